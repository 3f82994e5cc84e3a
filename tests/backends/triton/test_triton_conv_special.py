"""Infinity in one of several groups that a Triton kernel computes together."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("triton")

from tilewright.backends import get_backend_op
from tilewright.dispatcher import Dispatcher
from tilewright.ops import get_op
from tilewright.registry import default_registry
from tilewright.settings import Settings

CONV = get_op("conv")


def test_only_a_kernel_that_merges_groups_shares_infinity_between_them() -> None:
    problem = CONV.problem_from_dict(
        {"op": "conv", "direction": "forward", "n": 1, "g": 4, "c": 16, "k": 16, "input": [4, 4], "filter": [3, 3],
         "pad": [[1, 1], [1, 1]], "dtype": "fp16", "layout": "nhwgc", "device": "emu:gfx942"}
    )  # fmt: skip
    dispatcher = Dispatcher(default_registry(["triton"]), "analytical", Settings.from_env())
    ranked = [r.candidate for r in dispatcher.explain(problem).ranked]
    for merge in (True, False):
        candidate = next(c for c in ranked if c.spec.algorithm.merge is merge)
        tensors = CONV.random_tensors(problem, 0)
        tensors["input"][0, 0, 1, 1] = np.inf
        declared = get_backend_op("triton", "conv").product_error(candidate.spec, candidate.launch)
        with np.errstate(all="ignore"):
            out = dispatcher.bind_to(candidate, problem, **tensors)()
            assert CONV.verify(problem, tensors, out, product_error=declared).ok
            assert CONV.verify(problem, tensors, out).ok is not merge
