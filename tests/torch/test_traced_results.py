"""What tracing says about a result is what a kernel returns: compiled code reads the memory of results by it."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: its operators are not tested")

from torch._subclasses.fake_tensor import FakeTensorMode

import tilewright as tw
import tilewright.torch as tt
from tilewright.errors import TilewrightError
from tilewright.frontends import default

OPS = torch.ops.tilewright
FP32, BF16, FP8, FNUZ = torch.float32, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2fnuz
DTYPES = ((FP32, FP32), (BF16, BF16), (torch.int8, torch.int8), (FP8, FP8), (FNUZ, FNUZ), (FP32, BF16), (FP8, FP32))
ONE = ([1, 1], [1, 1], [1, 1], 2)  # the geometry of convolutions
MASK = (True, [-1, -1], 0, None, 0.0)


@pytest.fixture(autouse=True)
def reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute by the reference, which takes all dtypes and builds nothing."""
    registry = tw.Registry("the reference")
    for op in ("gemm", "conv", "fmha"):
        registry.declare(tw.KernelSet(f"reference.{op}", op, "reference", ({},)))
    monkeypatch.setattr(default, "made", tw.Dispatcher(registry))


def made(dtype: Any, *shape: int, last: bool = False) -> Any:
    numbers = (torch.arange(torch.Size(shape).numel()) % 5 - 2).reshape(shape).to(torch.float32).to(dtype)
    return numbers.contiguous(memory_format=torch.channels_last) if last else numbers


def lengths(*values: int) -> Any:
    return torch.tensor(values, dtype=torch.int32)


def attention(layout: str, lse: bool) -> tuple[Any, ...]:
    none = (None,) * 4
    return *none, False, True, [-1, -1], "bottom_right", 0, None, 0.0, 0.0, layout, None, None, False, lse


def calls(first: Any, second: Any) -> dict[str, tuple[Any, ...]]:
    """Return calls of the operators whose first operand has one dtype, and the second another one or the same."""
    found: dict[str, tuple[Any, ...]] = {}
    for a, b in product(((3, 4), (1, 3, 4), (2, 3, 4), (0, 3, 4)), ((4, 5), (1, 4, 5), (2, 4, 5))):
        found[f"matmul {a} {b}"] = OPS.matmul, made(first, *a), made(second, *b)
    for x, w in product(((4,), (2, 3, 4), (0, 4)), ((5, 4), (0, 4))):
        found[f"linear {x} {w}"] = OPS.linear, made(first, *x), made(second, *w)
    for last in (False, True):
        x, y = made(first, 2, 4, 5, 5, last=last), made(first, 2, 6, 5, 5, last=last)
        w, t = made(second, 6, 2, 3, 3), made(second, 4, 3, 3, 3)
        found[f"conv {last}"] = OPS.conv, x, w, None, *ONE
        found[f"conv_transpose {last}"] = OPS.conv_transpose, x, t, None, [5, 5], *ONE
        found[f"conv_backward_data {last}"] = OPS.conv_backward_data, y, w, [5, 5], last, *ONE
        found[f"conv_backward_weight {last}"] = OPS.conv_backward_weight, x, y.to(second), [3, 3], last, *ONE
    q, k, v = made(first, 2, 3, 4, 32), made(second, 2, 8, 2, 32), made(second, 2, 8, 2, 32)
    found["attention"] = OPS.attention, q, k, v, *attention("bshd", True)
    turned = (t.transpose(1, 2) for t in (q, k, v))
    found["attention bhsd"] = OPS.attention, *turned, *attention("bhsd", False)
    found["attention_decode"] = OPS.attention_decode, q, k, v, lengths(3, 8), *(None,) * 4, *MASK, None
    pages, ends = lengths(1, 0).reshape(2, 1), lengths(0, 2, 3)
    found["attention_prefill"] = (
        OPS.attention_prefill, q[0], k, v, ends, 2, lengths(3, 8), pages, None, None, None, *MASK,
    )  # fmt: skip
    caches, new, angles = (k, v), (k[:, :1].clone(), v[:, :1].clone()), torch.ones(8, 8)
    found["append_kv_rotated"] = (
        OPS.append_kv_rotated, *caches, *new, lengths(3, 5), q[:, :1], angles, angles, None, None, None, "half", True,
    )  # fmt: skip
    return found


def seen(results: Any) -> list[Any]:
    """Return what a compiler asks about results. Strides of a tensor without elements are never read."""
    results = results if isinstance(results, tuple) else (results,)
    return [(tuple(t.shape), t.stride() if t.numel() else None, t.dtype) for t in results]


@pytest.mark.parametrize(("first", "second"), DTYPES, ids=str)
def test_traced_results_are_those_of_kernels(first: Any, second: Any) -> None:
    ran = []
    for name, (call, *values) in calls(first, second).items():
        mode = FakeTensorMode()
        fakes = [mode.from_tensor(t) if isinstance(t, torch.Tensor) else t for t in values]
        try:
            want = seen(call(*values))
        except TilewrightError:  # no kernel, or a mistake
            continue
        with mode:
            assert seen(call(*fakes)) == want, name
        ran.append(name.split()[0])
    assert {"matmul", "linear", "conv"} <= set(ran)


WRONG = {
    "matmul": ((2, 3, 4), (2, 5, 6)),
    "matmul of four dimensions": ((1, 2, 3, 4), (4, 5)),
    "linear": ((3, 4), (5, 3)),
    "linear with a vector": ((3, 4), (4,)),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_kernels_refuse_is_refused_when_it_is_traced(name: str) -> None:
    with FakeTensorMode(), pytest.raises(RuntimeError, match=r"a is|linear: x has"):
        getattr(OPS, name.split()[0])(*(torch.ones(shape) for shape in WRONG[name]))


def test_a_traced_sum_has_the_dtype_of_a_computed_one() -> None:
    for dtype, kind, beta in product((torch.int8, BF16), (torch.int32, FP32), (1.0, 2.0)):
        a, d = made(dtype, 4, 4), made(kind, 4)
        with FakeTensorMode() as mode:
            traced = tt.addmm(*map(mode.from_tensor, (d, a, a)), beta=beta)
        assert traced.dtype is tt.addmm(d, a, a, beta=beta).dtype
