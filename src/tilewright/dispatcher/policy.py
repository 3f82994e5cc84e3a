"""The policy for builds at run time: what happens if the best kernel of a problem is not built yet.

`wait` compiles it. `never` uses the best kernel that is built. `background` runs at once on a stand-in and compiles
beside it; `strict` allows no stand-in, and waits. Ranks of one program must choose the same kernels, and so must
repeated runs that are to be equal to the bit: there `background` means `wait`.
"""

from __future__ import annotations

import sys

from ..errors import CaptureError
from ..model.device import memory_of
from ..model.problem import Problem
from ..settings import Settings


def policy_for(settings: Settings, problem: Problem) -> str:
    """Return the policy that holds for a problem now.

    >>> from tilewright.ops import problem_from_dict
    >>> problem = problem_from_dict({"op": "gemm", "m": 2, "n": 2, "k": 2, "dtype": "fp32"})
    >>> policy_for(Settings(build="background"), problem)
    'background'
    >>> policy_for(Settings(build="background", reproducible=True), problem)
    'wait'
    """
    waits = settings.build == "background" and (settings.strict or must_agree(problem, settings))
    return "wait" if waits else settings.build


def must_agree(problem: Problem, settings: Settings) -> bool:
    """Return whether every run of a problem must use the same kernels."""
    return runs_must_agree(settings) or problem.deterministic


def runs_must_agree(settings: Settings) -> bool:
    """Return whether every run must use the same kernels; torch is asked only if the program has loaded it.

    >>> runs_must_agree(Settings(reproducible=True))
    True
    """
    if settings.reproducible:
        return True
    torch, distributed = sys.modules.get("torch"), sys.modules.get("torch.distributed")
    if torch is not None and torch.are_deterministic_algorithms_enabled():
        return True
    return bool(distributed is not None and distributed.is_available() and distributed.is_initialized())


def is_captured(problem: Problem) -> bool:
    """Return whether a graph is being captured on the GPU of a problem.

    >>> from tilewright.ops import problem_from_dict
    >>> is_captured(problem_from_dict({"op": "gemm", "m": 2, "n": 2, "k": 2, "dtype": "fp32"}))
    False
    """
    return captures(problem.device)


def captures(place: str) -> bool:
    """Return whether a graph is being captured on the GPU at a place.

    >>> captures("cpu")
    False
    """
    torch = sys.modules.get("torch")
    if torch is None or memory_of(place) == "cpu":
        return False
    return bool(torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing())


def refuse_capture(problem: Problem, kernel: str) -> None:
    """Raise `CaptureError` if a graph is being captured: no kernel can be compiled or replaced there."""
    if is_captured(problem):
        raise CaptureError(
            f"{kernel} is not built, and a graph is being captured on {problem.device}",
            remedy="build the kernels before the capture: call warm_up, or run the program once",
        )
