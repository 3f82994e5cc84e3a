"""Heads padded to a multiple of columns, for kernels that take only whole vectors: add zeros, and remove them again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .problem import FmhaProblem
from .rules import MAX_HDIM

MULTIPLE = 8  # columns: 16 bytes of a 16-bit dtype
SPLIT_MULTIPLE = 32  # columns of V that the step that combines splits reads at a time


def padded_problem(problem: FmhaProblem) -> FmhaProblem | None:
    """Return the same attention with wider heads; None if they are already multiples.

    Columns of zeros change no product. The softmax scale stays that of the original heads.

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"batch": 1, "heads_q": 2, "seqlen_q": 4, "hdim_q": 20, "dtype": "fp16"}
    >>> p = padded_problem(problem_from_dict({"op": "fmha", **size}))
    >>> p.hdim_q, p.hdim_v, round(p.scale, 4)
    (24, 24, 0.2236)
    """
    of_v = SPLIT_MULTIPLE if problem.family == "fwd_splitkv" else MULTIPLE
    hdim_q, hdim_v = (-(-n // m) * m for n, m in ((problem.hdim_q, MULTIPLE), (problem.hdim_v, of_v)))
    if (hdim_q, hdim_v) == (problem.hdim_q, problem.hdim_v) or max(hdim_q, hdim_v) > MAX_HDIM:
        return None
    scale = problem.softmax_scale
    return replace(problem, hdim_q=hdim_q, hdim_v=hdim_v, scale=scale, strides={}, alignment={})


def copy_in(source: Any, target: Any) -> None:
    """Copy `source` into the corner of the zero-filled `target`."""
    target[tuple(slice(n) for n in source.shape)] = source


def copy_out(source: Any, target: Any) -> None:
    """Copy the corner of the padded `source` into `target`."""
    target[...] = source[tuple(slice(n) for n in target.shape)]
