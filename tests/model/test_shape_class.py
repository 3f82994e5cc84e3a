"""What problems of other sizes share, and what other processes get of it."""

from __future__ import annotations

import pickle

from tilewright.model.problem import ShapeClass, shape_class_of
from tilewright.model.trace import code_of
from tilewright.ops import get_op, problem_from_dict


def test_a_problem_whose_shape_class_is_known_can_be_sent_to_another_process() -> None:
    for fields in (
        {"op": "gemm", "m": 4, "n": 8, "k": 8},
        {"op": "fmha", "batch": 1, "heads_q": 2, "seqlen_q": 16, "hdim_q": 32},
    ):
        known = problem_from_dict({**fields, "dtype": "fp32"})
        extents = get_op(known.op).extents
        shape_class = shape_class_of(known, extents)
        copied = pickle.loads(pickle.dumps(known))
        assert copied == known
        assert shape_class_of(copied, extents) is shape_class


def test_code_of_a_class_with_strides_follows_them_or_is_not_made() -> None:
    problem = problem_from_dict({"op": "gemm", "m": 6, "n": 8, "k": 4, "dtype": "fp16", "layout": "crr"})
    moving = ShapeClass(("m",), lambda fields: {"a": (0, 1, fields["m"] + 2)})
    unknown = ShapeClass(("m",), lambda fields: None)
    assert code_of(lambda p: (p.stride("a"),), problem, moving)(9) == ((0, 1, 11),)
    assert code_of(lambda p: (p.stride("a"),), problem, unknown)(9) is None
