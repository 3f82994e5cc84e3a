"""`warm_up`: build what a list of problems needs before the first call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..dispatcher import Dispatcher
from ..errors import ProblemError
from ..model.device import full_device_name
from ..model.fields import shown
from ..model.problem import Problem, is_problem
from ..ops import problem_from_dict
from ..ops.problem_files import read_problem_file
from ..plan import Plan
from .default import chosen

Problems = str | os.PathLike[str] | Iterable[Problem | Mapping[str, Any]]


def warm_up(
    problems: Problems,
    *,
    device: str | None = None,
    jobs: int | None = None,
    progress: Any = None,
    dispatcher: Dispatcher | None = None,
) -> list[Plan]:
    """Build in parallel every kernel that `problems` need, and plan each; their first call compiles nothing.

    `problems` is a problem file (of `tilewright capture`, say), or problems, each also as its JSON form. `device` puts
    them there instead of where they say: "cuda" for a file that was captured on the host. `jobs` kernels are compiled
    at a time; None: one per core. `progress` shows the builds, see `tilewright.jit.progress`. Builds happen with every
    policy, `build="never"` too: that is what this is for.

    >>> [plan] = warm_up([{"op": "gemm", "m": 8, "n": 16, "k": 8, "dtype": "fp32", "layout": "rrr"}])
    >>> plan.problem.label()
    'gemm 8x16x8 fp32_rrr'
    """
    wanted = read_problem_file(problems) if isinstance(problems, (str, os.PathLike)) else [*map(_problem, problems)]
    if device is not None:
        place = full_device_name(device)
        wanted = [replace(problem, device=place) for problem in wanted]
    return chosen(dispatcher).warm_up(wanted, progress, jobs)


def _problem(given: Any) -> Problem:
    if is_problem(given):
        return given
    if isinstance(given, Mapping):
        return problem_from_dict(given)
    raise ProblemError(f"{shown(given)} is no problem", remedy="give problems, their JSON form, or a problem file")
