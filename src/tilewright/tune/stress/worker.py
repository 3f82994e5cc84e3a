"""A process of its own that builds, runs and verifies one kernel on some problems: a crash ends only this process.

It reads a JSON object per line and answers with one: `state` is right, refused, compile, wrong or error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from ...backends import get_backend_op
from ...backends.plain import spec_from_dict
from ...dispatcher import Dispatcher
from ...errors import BuildError, SpecError, TilewrightError
from ...model.json_text import parse_json
from ...model.kernel import Candidate
from ...model.problem import Problem
from ...ops import get_op, problem_from_dict
from ...registry import Registry
from ..bench.record import product_error
from ..measure.environment import answer_file


def check(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return what became of a kernel: the first problem that is not right, or how many were.

    >>> from tilewright.backends import device_at
    >>> from tilewright.settings import Settings
    >>> problem = {"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp32"}
    >>> signature = {"dtype_a": "fp32", "dtype_b": "fp32", "dtype_out": "fp32", "dtype_acc": "fp32"}
    >>> spec = {"schema": 1, "op": "gemm", "backend": "reference", "arch": device_at("cpu", Settings.from_env()).arch,
    ...         "signature": signature, "algorithm": {}}
    >>> check({"spec": spec, "problems": [problem], "pick": 0, "seed": 0})["state"]
    'right'
    """
    registry = Registry("stress")
    spec = spec_from_dict(task["spec"])
    get_backend_op(spec.backend, spec.op).library(spec)  # loads the library that it calls: the parent process has it
    registry.add(spec)
    dispatcher = Dispatcher(registry, "first_fit")
    right = refused = 0
    for data in task["problems"]:
        problem = problem_from_dict(data)
        found = dispatcher.explain(problem)
        if not found.ranked:
            refused += 1
            continue
        candidate = found.ranked[task["pick"] % len(found.ranked)].candidate
        said = _run(dispatcher, problem, candidate, task["seed"])
        if said["state"] != "right":
            return {**said, "problem": data, "right": right, "refused": refused}
        right += 1
    return {"state": "right" if right else "refused", "right": right, "refused": refused}


def _run(dispatcher: Dispatcher, problem: Problem, candidate: Candidate, seed: int) -> dict[str, Any]:
    op, launch = get_op(problem.op), candidate.launch.label()
    try:
        tensors = op.random_tensors(problem, seed)
        bound = dispatcher.bind_to(candidate, problem, **dispatcher.stored(problem, tensors))
        verification = op.verify(problem, tensors, bound(), product_error=product_error(bound.plan))
    except BuildError as error:
        return {"state": "compile", "message": str(error), "launch": launch}
    except TilewrightError as error:
        return {"state": "error", "message": f"{type(error).__name__}: {error}", "launch": launch}
    if verification.ok:
        return {"state": "right"}
    message = f"error {verification.error:.4g}, tolerance {verification.tolerance:.4g} ({verification.tier})"
    return {"state": "wrong", "message": message, "launch": launch}


def main() -> None:
    """Answer tasks until the input ends."""
    out = answer_file()
    for line in sys.stdin:
        try:
            answer = check(parse_json(line, "task"))
        except SpecError as error:
            answer = {"state": "rule", "message": str(error)}
        except Exception as error:  # a mistake of ours is a finding as well
            answer = {"state": "error", "message": f"{type(error).__name__}: {error}"}
        out.write(json.dumps(answer) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
