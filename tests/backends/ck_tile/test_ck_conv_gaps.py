"""Backward data whose stride passes over pixels: CK does not write them, so they are cleared first."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from amd_toolchain import REAL, needs_toolchain

from tilewright.backends.ck_tile.call import ClearCall, CodeCall
from tilewright.backends.ck_tile.conv import CkTileConv
from tilewright.backends.ck_tile.conv.launch import launches, leaves_gaps
from tilewright.dispatcher import Dispatcher
from tilewright.model.kernel import KernelSpec
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.conv.signature import ConvSignature
from tilewright.registry import Registry

SPEC = KernelSpec("conv", "ck_tile", "gfx942", ConvSignature("backward_data", *["fp16"] * 3, "fp32"), CkTileConv(
    tile_m=64, tile_n=64, waves_m=1, waves_n=4, warp_tile_m=16, warp_tile_n=16, vector_a=4, vector_b=8,
))  # fmt: skip
GAPS = [({"filter": [1, 1], "stride": 2}, True), ({"filter": [2, 2], "stride": 3}, True),
        ({"filter": [3, 3], "stride": 2, "dilation": 2}, True), ({"filter": [3, 1], "stride": [1, 2]}, True),
        ({"filter": [2, 2], "stride": 2}, False), ({"filter": [1, 1]}, False),
        ({"filter": [3, 3], "stride": 3}, False)]  # fmt: skip


def problem_of(**fields: Any) -> Any:
    size = {"n": 2, "c": 64, "k": 64, "input": [8, 8], "dtype": "fp16", "device": "emu:gfx942"}
    return problem_from_dict({"op": "grouped_conv", "direction": "backward_data", **size, **fields})


@pytest.mark.parametrize(("fields", "gaps"), GAPS)
def test_pixels_that_no_tap_reaches_are_cleared_before_the_kernel(fields: dict[str, Any], gaps: bool) -> None:
    kernels: Any = SimpleNamespace(spec=SPEC, function=lambda driver, name: 1)
    library: Any = SimpleNamespace(conv=lambda sizes, tensors, split_k: (bytes(8), (1, 1, 1)))
    problem = problem_of(**fields)
    assert leaves_gaps(problem) == gaps
    addresses = {"input": 4096, "weight": 8192, "output": 12288}
    calls = launches(kernels, library, None, problem, 1, addresses, 0)
    assert [type(call) for call in calls] == [ClearCall] * gaps + [CodeCall]
    if gaps:
        size = 2 * 64 * 8 * 8 * 2
        assert calls[0].places[3:] == (size, size, 1)
        assert calls[0].addresses()[0][2] == 4096


@needs_toolchain
@pytest.mark.exhaustive  # the compiler takes a minute
@pytest.mark.xdist_group("amd_compile")
def test_a_compiled_kernel_leaves_no_pixel_as_it_was() -> None:
    assert REAL is not None
    registry, op = Registry("one"), get_op("conv")
    registry.add(SPEC)
    where = Dispatcher(registry, settings=REAL)
    for fields in ({"filter": [1, 1]}, {"filter": [1, 1], "stride": 2}):
        problem = problem_of(**fields)
        tensors = op.random_tensors(problem, 0)
        assert op.verify(problem, tensors, where.run(problem, **tensors), tier="float64").ok, fields
