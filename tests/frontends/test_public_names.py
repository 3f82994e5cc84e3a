"""Parameters that every public function shares, and the names that tell one thing from another."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.errors import DeviceError, ProblemError, TensorError, TilewrightError, UnknownNameError
from tilewright.frontends.attention_options import masking
from tilewright.model.dtype import dtype_name

FUNCTIONS = (
    "append_kv", "attention", "attention_backward", "attention_decode", "attention_prefill", "attention_varlen",
    "contract", "conv", "conv_backward_data", "conv_backward_weight", "gemm", "pack_weights",
)  # fmt: skip
OLD = {"dtype_out", "mask"}


@pytest.fixture(scope="module")
def reference() -> tw.Dispatcher:
    """A dispatcher that needs no compiler."""
    registry = tw.Registry("the reference")
    for op in ("gemm", "conv", "fmha"):
        registry.declare(tw.KernelSet(f"reference.{op}", op, "reference", ({},)))
    return tw.Dispatcher(registry, "first_fit")


def ones(*shape: int) -> Any:
    return np.ones(shape, np.float32)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_takes_a_dispatcher_and_a_device(name: str) -> None:
    parameters = inspect.signature(getattr(tw, name)).parameters
    assert {"dispatcher", "device"} <= set(parameters)
    assert not OLD & set(parameters)


def test_a_call_uses_the_dispatcher_that_is_given(reference: tw.Dispatcher) -> None:
    out = tw.gemm(ones(2, 3), ones(3, 4), dispatcher=reference)
    assert out.tolist() == [[3.0] * 4] * 2
    assert [p.kernel.split("_")[1] for p in reference._plans._made.values()] == ["reference"]
    with pytest.raises(TilewrightError, match="dispatcher is 'mine'"):
        tw.gemm(ones(2, 3), ones(3, 4), dispatcher="mine")  # type: ignore[arg-type]


@pytest.mark.parametrize("device", ["cpu", "cpu:0"])
def test_a_device_may_be_where_the_tensors_are(reference: tw.Dispatcher, device: str) -> None:
    assert tw.gemm(ones(2, 3), ones(3, 4), device=device, dispatcher=reference)[0, 0] == 3
    assert tw.conv(ones(1, 1, 3), ones(1, 1, 2), device=device, dispatcher=reference).shape == (1, 1, 2)
    q = ones(1, 2, 1, 8)
    assert tw.attention(q, q, q, device=device, dispatcher=reference).shape == q.shape


@pytest.mark.parametrize("device", ["cuda:0", "cuda", "somewhere", "", 5])
def test_a_device_of_other_memory_is_refused(reference: tw.Dispatcher, device: Any) -> None:
    for call in (
        lambda: tw.gemm(ones(2, 3), ones(3, 4), device=device, dispatcher=reference),
        lambda: tw.conv(ones(1, 1, 3), ones(1, 1, 2), device=device, dispatcher=reference),
        lambda: tw.attention(*[ones(1, 2, 1, 8)] * 3, device=device, dispatcher=reference),
    ):
        with pytest.raises((TensorError, DeviceError), match="is on cpu"):
            call()


@pytest.mark.parametrize("dtype", ["fp16", "float16", np.float16, np.dtype("float16")])
def test_out_dtype_is_a_name_or_a_dtype(reference: tw.Dispatcher, dtype: Any) -> None:
    out = tw.gemm(ones(2, 3), ones(3, 4), out_dtype=dtype, dispatcher=reference)
    assert out.dtype == np.float16
    assert tw.conv(ones(1, 1, 3), ones(1, 1, 2), out_dtype=dtype, dispatcher=reference).dtype == np.float16
    with pytest.raises(TensorError, match="out has dtype fp32, but out_dtype is fp16"):
        tw.gemm(ones(2, 3), ones(3, 4), out=ones(2, 4), out_dtype=dtype, dispatcher=reference)


def test_dtypes_of_torch_are_known_too() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    assert [dtype_name(t) for t in (torch.bfloat16, torch.float8_e4m3fn, torch.int8)] == ["bf16", "fp8", "int8"]


@pytest.mark.parametrize("wrong", ["fp17", 3, object, ["fp16"], b"fp16", np.dtype("complex64")])
def test_what_is_no_dtype_is_refused(wrong: Any) -> None:
    with pytest.raises(UnknownNameError):
        dtype_name(wrong)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("layout", [None, "nhwgc"])
def test_a_size_may_be_the_spatial_or_the_whole_one(reference: tw.Dispatcher, whole: bool, layout: str | None) -> None:
    options: dict[str, Any] = {"groups": 2, "layout": layout, "dispatcher": reference}
    if layout:
        x, w, grad = ones(3, 5, 6, 2, 2), ones(2, 4, 3, 3, 2), ones(3, 3, 4, 2, 4)
    else:
        x, w, grad = ones(3, 4, 5, 6), ones(8, 2, 3, 3), ones(3, 8, 3, 4)
    data = tw.conv_backward_data(grad, w, x.shape if whole else (5, 6), **options)
    weight = tw.conv_backward_weight(x, grad, w.shape if whole else (3, 3), **options)
    assert (data.shape, weight.shape) == (x.shape, w.shape)


def test_a_whole_size_that_contradicts_the_tensors_is_refused(reference: tw.Dispatcher) -> None:
    with pytest.raises(TensorError, match=r"size of the input begins with \(3, 5\), the tensors say \(3, 4\)"):
        tw.conv_backward_data(ones(3, 8, 3, 4), ones(8, 4, 3, 3), (3, 5, 5, 6), dispatcher=reference)
    with pytest.raises(TensorError, match="give its 2 spatial sizes, or its whole shape"):
        tw.conv_backward_data(ones(3, 8, 3, 4), ones(8, 4, 3, 3), (5, 5, 6), dispatcher=reference)


def test_slopes_have_a_name_of_their_own(reference: tw.Dispatcher) -> None:
    q, slopes = ones(1, 4, 2, 8), np.array([0.5, 0.25], np.float32)
    q[0, :, 0] *= np.arange(4, dtype=np.float32)[:, None]
    plain = tw.attention(q, q, q, dispatcher=reference)
    sloped = tw.attention(q, q, q, alibi_slopes=slopes, dispatcher=reference)
    assert not np.allclose(plain, sloped)
    np.testing.assert_array_equal(tw.attention(q, q, q, alibi_slopes=slopes[None], dispatcher=reference), sloped)
    with pytest.raises(TensorError, match=r"bias has shape \(1, 2\).*alibi_slopes="):
        tw.attention(q, q, q, bias=slopes[None], dispatcher=reference)
    with pytest.raises(TensorError, match="bias and alibi_slopes are both given"):
        tw.attention(q, q, q, bias=ones(1, 1, 4, 4), alibi_slopes=slopes, dispatcher=reference)


def test_causal_rows_stand_at_the_last_keys(reference: tw.Dispatcher) -> None:
    rng = np.random.default_rng(0)
    q, k = (rng.standard_normal((1, n, 1, 8), np.float32) for n in (2, 5))
    last = tw.attention(q, k, k, causal=True, dispatcher=reference)
    np.testing.assert_allclose(last[:, :1], tw.attention(q[:, :1], k[:, :4], k[:, :4], dispatcher=reference), rtol=1e-5)
    first = tw.attention(q, k, k, causal=True, align="top_left", dispatcher=reference)
    np.testing.assert_allclose(first[:, 0], k[:, 0], rtol=1e-5)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((True, (4, 2), "bottom_right", 0), r"window is \(4, 2\), and causal"),
        (("yes", (-1, -1), "bottom_right", 0), "causal is 'yes'"),
        ((True, (-1, -1), "middle", 0), "align is 'middle'"),
        ((True, (1,), "top_left", 0), "window is"),
    ],
)
def test_wrong_masks_are_refused(given: tuple[Any, ...], says: str) -> None:
    with pytest.raises(ProblemError, match=says):
        masking(*given)


def test_results_may_be_accumulated_in_place_again_and_again() -> None:
    """One prepared launch serves calls in which d is the output, and calls in which it is not."""
    a, b, d = ones(4, 8), ones(8, 4), ones(4, 4)
    assert tw.gemm(a, b, d=d, out=ones(4, 4))[0, 0] == 9
    kept = len(tw.default_dispatcher().calls)
    assert tw.gemm(a, b, d=d, out=d) is d
    assert tw.gemm(a, b, d=d, out=d)[0, 0] == 17
    assert len(tw.default_dispatcher().calls) == kept
    with pytest.raises(TensorError, match="out overlaps a in memory"):
        tw.gemm(a[:, :4], ones(4, 4), d=d, out=a[:, :4])
    half = ones(8, 4)
    tw.gemm(a, b, d=half[:4], out=half[4:])
    with pytest.raises(TensorError, match="out overlaps d0 in memory"):
        tw.gemm(a, b, d=half[:4], out=half[2:6])
