"""What a launch says of its operands is true of them: tensor maps, and what a kernel was compiled to rely on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tilewright.arch import get_arch
from tilewright.backends.triton.gemm import OP
from tilewright.backends.triton.gemm.algorithm import TritonGemm, view_of
from tilewright.backends.triton.gemm.bind import values
from tilewright.backends.triton.gemm.pipelines.pointer.source import _alignment
from tilewright.model.dtype import get_dtype
from tilewright.model.kernel import KernelSpec, Launch
from tilewright.ops.gemm.problem import GemmProblem

DIRECT = TritonGemm(pipeline="hopper", tile_m=64, tile_n=64, stages=4)
STAGED = TritonGemm(pipeline="hopper", tile_m=64, tile_n=64, stages=4, operands="staged")
SIZES = (1, 2, 8, 24, 64, 72, 130)
STEPS = (0, 1, 2, 3, 8, 16, 64, 72, 128, 192)
BASE = 1 << 40  # addresses of operands; the workspace is far below
NAMES = ["a_ptr", "b_ptr", "out_ptr", "a_strides", "b_strides", "out_strides", "M", "N", "K"]


def problems(count: int) -> Iterator[GemmProblem]:
    """Yield products with strides of all kinds: dense, padded, repeated, of single elements, across the layout."""
    draw = random.Random(0)
    for _ in range(count):
        fields: dict[str, Any] = {name: draw.choice(SIZES) for name in "mnk"}
        fields |= {"batch": draw.choice((1, 1, 3)), "dtype": draw.choice(("fp16", "bf16", "fp32", "fp8"))}
        layout = "".join(draw.choice("rc") for _ in range(3))
        strides = {}
        for letter, role in zip(layout, ("a", "b", "out"), strict=True):
            if draw.random() < 0.6:
                line, step = draw.choice(STEPS), 1 if draw.random() < 0.7 else draw.choice(STEPS)
                strides[role] = (draw.choice((0, 4096, 5000)), *((line, step) if letter == "r" else (step, line)))
        yield GemmProblem.from_dict({**fields, "layout": layout, "strides": strides})


def legal(a: TritonGemm, count: int) -> Iterator[tuple[GemmProblem, dict[str, Any]]]:
    """Yield problems that a kernel takes, with the values of its parameters."""
    for p in problems(count):
        spec = KernelSpec("gemm", "triton", "sm_90", p.signature, a)
        if not OP.check(spec, get_arch("sm_90"), p):
            addresses = {role: BASE + (i << 36) for i, role in enumerate(p.roles)}
            yield p, values(spec, p, Launch(), 132, addresses, 1 << 20)[1]


def check_map(p: GemmProblem, role: str, described: Any, last: int) -> None:
    """Check that a tensor map leads to the elements that the problem has; `last` is its contiguous dimension."""
    far, *steps = p.stride(role)
    extents = (p.batch if far else 1, p.shape(role)[1 - last], p.shape(role)[last])
    want = (far, steps[1 - last], steps[last])
    assert described["shape"] == [*extents], (p, role)
    for extent, got, step in zip(extents, described["strides"], want, strict=True):
        assert extent == 1 or got == step, (p, role)
    size = get_dtype(p.dtype(role)).bytes
    assert all(step * size % 16 == 0 for step in described["strides"][:2]), (p, role)


def test_tensor_maps_lead_to_the_elements_of_the_operands() -> None:
    seen = 0
    for a in (DIRECT, STAGED):
        for p, args in legal(a, 1500):
            view = view_of(p.signature, a)
            last = {"a": 1 if view.a_k else 0, "b": 0 if view.b_k else 1, "out": 1 if view.out_row else 0}
            for role, at in last.items():
                described = args[f"{role}_desc"]
                if described["address"] >= BASE:  # no copy in the workspace
                    check_map(p, role, described, at)
                    seen += any(step == 0 for step in p.stride(role)[1:]) or 1 in p.shape(role)
    assert seen > 20


def test_what_a_pointer_kernel_was_compiled_for_holds() -> None:
    seen = 0
    for vector in (1, 2, 4, 8, 16):
        a = TritonGemm(tile_m=64, tile_n=64, tile_k=64, vector_bytes=vector)
        for p, args in legal(a, 500):
            hints, ones = _alignment(NAMES, view_of(p.signature, a), a, p.dtype_out)
            for path, divisor in hints.items():
                name = ".".join([NAMES[path[0]], *map(str, path[1:])])
                is_alone = name.endswith("_strides.0") and p.batch == 1
                assert is_alone or args[name] % divisor == 0, (p, a, name)
            extents = {"a": (p.batch, p.m, p.k), "b": (p.batch, p.k, p.n), "out": (p.batch, p.m, p.n)}
            for argument, at in ones:
                name = NAMES[argument]
                assert extents[name.partition("_")[0]][at] == 1 or args[f"{name}.{at}"] == 1, (p, a, name)
            seen += 1
    assert seen > 100
