"""Pointers below the alignment of a vector: problems on a GPU say so, and kernels that need vectors refuse them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.backends.triton.fmha.rules import ROW_ROLES
from tilewright.dispatcher import Dispatcher
from tilewright.dispatcher.nominal import nominal_device
from tilewright.jit.arrays import view_of
from tilewright.model.dtype import get_dtype
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import default_registry

from fmha_cases import cases  # isort: skip

GEMM = {"op": "gemm", "m": 8, "n": 16, "k": 24, "dtype": "fp16"}
CONV = {
    "op": "conv",
    "direction": "forward",
    "n": 1,
    "input": (6, 6),
    "c": 8,
    "k": 8,
    "filter": (3, 3),
    "dtype": "fp16",
}
PROBLEMS = {"gemm": GEMM, "conv": CONV, **cases(("fp16",))}


def seen(problem: Any, moved: str | None = None, by: int = 0, device: str = "cuda:0") -> dict[str, Any]:
    """Views of a problem's tensors, all at multiples of 64 bytes but one, as if they were on another device."""
    op = get_op(problem.op)
    views = {role: view_of(t, role) for role, t in op.random_tensors(replace(problem, device="cpu"), 0).items()}
    return {r: replace(v, address=(64 << 20) + by * (r == moved), device=device) for r, v in views.items()}


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems_on_a_gpu_say_how_pointers_are_aligned(name: str) -> None:
    host = problem_from_dict(PROBLEMS[name])
    op, problem = get_op(host.op), replace(host, device="cuda:0")
    for role in problem.roles:
        dtype = get_dtype(seen(host)[role].dtype)
        if dtype.kind != "float":
            continue
        for by in (1, 2, 4, 8, 16, 32):
            if by >= dtype.bytes:
                found = op.fitted(problem, seen(problem, role, by)).alignment
                assert min(found.get(role, 16), 16) == min(by, 16)
                assert all(n >= 16 for r, n in found.items() if r != role)
    assert op.fitted(host, seen(host, problem.roles[0], 2, "cpu")).alignment == {}


def test_an_aligned_call_forgets_the_alignment_of_another() -> None:
    problem = problem_from_dict({**PROBLEMS["fwd-plain-fp16"], "device": "cuda:0"})
    op = get_op("fmha")
    odd = op.fitted(problem, seen(problem, "q", 2))
    assert odd.alignment == {"q": 2}
    assert op.fitted(odd, seen(problem)) == problem


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "gfx942", "gfx1100"])
@pytest.mark.parametrize("name", [name for name in PROBLEMS if name.endswith("-fp16") and "-narrow" not in name])
def test_attention_has_a_kernel_for_every_alignment(name: str, arch: str) -> None:
    registry, device = default_registry(vendor=False), nominal_device(arch)
    problem = problem_from_dict({**PROBLEMS[name], "device": "cuda:0"})
    if not registry.consider(problem, device).legal:
        pytest.skip("no kernel takes this problem at all")
    for role in (r for r in problem.roles if r in ROW_ROLES):
        legal = registry.consider(replace(problem, alignment={role: 2}), device).legal
        assert legal
        assert not any(getattr(c.spec.algorithm, "aligned", False) for c in legal)


def shifted(*shape: int) -> Any:
    """fp16 numbers whose first one is two bytes behind a multiple of 16."""
    count = int(np.prod(shape))
    room = np.random.default_rng(0).standard_normal(count + 16).astype(np.float16)
    first = -room.ctypes.data % 16 // 2 + 1
    return room[first : first + count].reshape(shape)


def calls(dispatcher: Dispatcher) -> dict[str, Any]:
    """A call of every public function on shifted tensors."""
    x, ends, rows = shifted(2, 16, 4, 32), np.array([0, 16], np.int32), shifted(16, 4, 32)
    lse, lengths = np.zeros((2, 4, 16), np.float32), np.array([3, 5], np.int32)
    on = {"dispatcher": dispatcher, "device": "emu:gfx942"}
    a, image, filters = shifted(32, 32), shifted(1, 8, 8, 8), shifted(8, 8, 3, 3)
    return {
        "gemm": lambda: tw.gemm(a, a, **on),
        "conv": lambda: tw.conv(image, filters, **on),
        "attention": lambda: tw.attention(x, x, x, **on),
        "strided": lambda: tw.attention(x[:, ::2], x, x, **on),
        "varlen": lambda: tw.attention_varlen(rows, rows, rows, ends, ends, 16, 16, **on),
        "decode": lambda: tw.attention_decode(x[:, :1], x, x, lengths, **on),
        "backward": lambda: tw.attention_backward(x, x, x, x, x, lse, **on),
        "append": lambda: tw.append_kv(x.copy(), x.copy(), x[:, :1], x[:, :1], lengths, **on),
    }


@pytest.mark.parametrize("name", calls(Dispatcher()))
def test_calls_ask_for_kernels_that_take_their_pointers(name: str) -> None:
    dispatcher = Dispatcher()
    with dispatcher.rehearsal() as found:
        calls(dispatcher)[name]()
    assert found
    assert all(2 in problem.alignment.values() for problem in found.values())
