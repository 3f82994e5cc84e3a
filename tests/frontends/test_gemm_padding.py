"""Products whose sides are no whole vectors: padded where no kernel takes them as they are, reported, and right."""

from __future__ import annotations

from typing import Any

import pytest

import tilewright as tw
from tilewright.backends import get_backend_op
from tilewright.model.rule import broken, rule
from tilewright.ops import get_op, problem_from_dict

OP = get_op("gemm")
SIZES = {"op": "gemm", "m": 13, "n": 21, "k": 19}
D = {"d": [{"dtype": "fp32", "broadcast": "row"}, {"dtype": "fp32"}], "epilogue": {"activation": "relu"}}
SCALED = {"dtype_a": "int8", "dtype_b": "int8", "dtype_out": "bf16", "scale_a": "row", "scale_b": "tensor"}


@pytest.mark.parametrize(
    ("fields", "sides"),
    [
        ({"dtype": "fp32", "layout": "rcr"}, "13x24x24"),
        ({"dtype": "fp32", "layout": "rrr", "batch": 3}, "3x13x24x24"),
        ({"dtype": "fp32", "layout": "crr", **D}, "16x24x19"),
        ({"dtype": "int8", "layout": "rcr"}, "13x24x32"),
        ({**SCALED, "layout": "rcr"}, "13x24x32"),
    ],
)
def test_sides_are_padded_where_no_kernel_takes_them(
    fields: dict[str, Any], sides: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    @rule("test.gemm.multiple", "problem", "n % 8 == 0")
    def multiple(s: Any) -> Any:
        return broken("n is no multiple of 8", "pad it") if s.problem.n % 8 else None

    cpu = get_backend_op("cpu", "gemm")
    monkeypatch.setattr(type(cpu), "rules", (*cpu.rules, multiple))
    monkeypatch.setattr(cpu, "problem_rules", (*cpu.problem_rules, multiple))
    problem = problem_from_dict({**SIZES, **fields})
    tensors = OP.random_tensors(problem, 0)
    dispatcher = tw.Dispatcher(tw.default_registry(["cpu"]))
    assert f"padded to gemm {sides} " in dispatcher.explain(problem).note
    for _ in range(2):  # the second call is remembered
        tensors["out"][...] = 7
        assert OP.verify(problem, tensors, dispatcher.run(problem, **tensors)).ok
    assert [e.kind for e in dispatcher.events] == ["padded"]


@pytest.mark.parametrize("layout", ["rcr", "rrr", "crr", "ccr", "ccc"])
def test_ck_tile_takes_odd_sides(layout: str) -> None:
    problem = problem_from_dict({"op": "gemm", "m": 127, "n": 130, "k": 129, "dtype": "fp16", "layout": layout})
    found = tw.Dispatcher(tw.default_registry(["ck_tile"])).explain(problem, arch="gfx942")
    assert found.ranked
    assert "padded to" in found.note
    assert found.ranked[0].candidate.spec.algorithm.pad_n


def test_whole_vectors_and_packed_weights_are_not_padded() -> None:
    assert OP.padded(problem_from_dict({**SIZES, "m": 8, "n": 16, "k": 32, "dtype": "fp16"})) is None
    assert OP.padded(problem_from_dict({**SIZES, "dtype": "fp32", "b_format": "cpu_panels_16"})) is None
