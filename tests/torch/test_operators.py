"""The torch operators: eager, traced, compiled, differentiated, refused."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: its operators are not tested")

from torch.nn import functional

import tilewright as tw
import tilewright.torch as tt
from tilewright.errors import GradientError, TensorError

OPS = torch.ops.tilewright
LAST = {4: torch.channels_last, 5: torch.channels_last_3d}


def leaf(*shape: int, last: bool = False) -> Any:
    made = torch.randn(shape)
    return (made.contiguous(memory_format=LAST[len(shape)]) if last else made).requires_grad_()


def assert_same(ours: Any, theirs: Any, leaves: Any) -> None:
    """The results and all gradients are the same."""
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)
    grad = torch.randn_like(theirs)
    wanted = torch.autograd.grad(theirs, leaves, grad)
    for got, want in zip(torch.autograd.grad(ours, leaves, grad), wanted, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("a", "b"), [((7, 5), (5, 9)), ((3, 7, 5), (3, 5, 9)), ((3, 7, 5), (5, 9))], ids=str)
def test_matmul(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = leaf(*a), leaf(*b)
    assert_same(tt.matmul(x, y), x @ y, (x, y))
    with torch.no_grad():
        torch.testing.assert_close(tt.matmul(x, y), x @ y)


LINEAR = {"none": lambda y: y, "relu": torch.relu, "gelu_tanh": lambda y: functional.gelu(y, approximate="tanh")}


@pytest.mark.parametrize("grad", [False, True])
def test_dimensions_of_one_element_have_any_stride(grad: bool) -> None:
    """One token of each sequence, transposed: dense for torch, although its middle stride is 1 (Mamba's decoding)."""
    x = torch.randn(3, 16, 1).transpose(1, 2).requires_grad_(grad)
    assert x.is_contiguous()
    assert x.stride() == (16, 1, 1)
    w, b = leaf(8, 16), leaf(8)
    with torch.set_grad_enabled(grad):
        got = tt.linear(x, w, b)
    torch.testing.assert_close(got, functional.linear(x, w, b), rtol=1e-4, atol=1e-4)
    if grad:
        assert_same(tt.linear(x, w, b), functional.linear(x, w, b), (x, w, b))
        odd = torch.randn(3, 8, 1).transpose(1, 2)  # a gradient with such strides
        gradients = [torch.autograd.grad(f(x, w, b), (x, w, b), odd) for f in (tt.linear, functional.linear)]
        torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("lead", "activation"), [((5,), "none"), ((2, 3), "none"), ((), "relu"), ((2, 3), "gelu_tanh")]
)
@pytest.mark.parametrize("call", [tt.linear, OPS.linear], ids=["function", "operator"])
def test_linear(call: Any, lead: tuple[int, ...], activation: str) -> None:
    leaves = leaf(*lead, 16), leaf(8, 16), leaf(8)
    assert_same(call(*leaves, activation), LINEAR[activation](functional.linear(*leaves)), leaves)
    with torch.no_grad():
        first, second = call(*leaves, activation), call(*leaves, activation)  # the second one is remembered
        torch.testing.assert_close(first, second)


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(("x", "w"), [((0, 3, 4), (0, 4)), ((2, 3, 4), (0, 4)), ((2, 3, 0), (5, 0)), ((0,), (0, 0))])
def test_layers_without_rows_or_columns_have_gradients(x: Any, w: Any, traced: bool) -> None:
    leaves = leaf(*x), leaf(*w), leaf(w[0])
    call = OPS.linear if traced else tt.linear
    assert_same(call(*leaves), functional.linear(*leaves), leaves)


def t(*shape: int) -> Any:
    return torch.ones(shape)


MISFITS = {
    "bias": (functional.linear, tt.linear, (t(2), t(1, 2), t(8))),
    "bias of several rows": (functional.linear, tt.linear, (t(3, 2), t(4, 2), t(5, 3, 4))),
    "weight": (functional.linear, tt.linear, (t(3, 2), t(2, 1, 2))),
    "batches": (torch.baddbmm, tt.baddbmm, (t(1), t(1, 2, 3), t(2, 3, 4))),
    "no batch": (torch.baddbmm, tt.baddbmm, (t(1), t(0, 2, 3), t(1, 3, 4))),
    "summand": (torch.addmm, tt.addmm, (t(3, 5), t(3, 2), t(2, 4))),
    "wide summand": (torch.addmm, tt.addmm, (t(1, 3, 4), t(3, 2), t(2, 4))),
}


@pytest.mark.parametrize("name", MISFITS)
def test_what_torch_refuses_is_not_broadcast(name: str) -> None:
    theirs, ours, values = MISFITS[name]
    for call in (theirs, ours):
        with pytest.raises((RuntimeError, TensorError)):
            call(*values, **({} if ours is tt.linear else {"beta": 0.0}))


def test_rows_that_cannot_be_folded_are_copied() -> None:
    x, w = leaf(3, 4, 16), leaf(8, 16)
    y = x.transpose(0, 1)
    assert_same(tt.linear(y, w), functional.linear(y, w), (x, w))


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_conv(dims: int) -> None:
    x = leaf(2, 6, *(7, 6, 5)[:dims], last=dims > 1)
    w, b = leaf(4, 3, *(3,) * dims), leaf(4)
    theirs = {1: torch.conv1d, 2: torch.conv2d, 3: torch.conv3d}[dims]
    options = {"stride": 2, "padding": 1, "groups": 2}
    assert_same(tt.conv(x, w, b, **options), theirs(x, w, b, **options), (x, w, b))
    with torch.no_grad():
        for _ in range(2):  # the second one is remembered
            torch.testing.assert_close(tt.conv(x, w, b, **options), theirs(x, w, b, **options), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(2, 7, 6), (2, 5, 6, 8)])
def test_inputs_in_an_order_that_has_no_name(shape: tuple[int, ...]) -> None:
    """Channels-last in one dimension, and some channels of a channels-last image."""
    base = leaf(*shape)
    x = base.mT if len(shape) == 3 else base.permute(0, 3, 1, 2)[:, :6]
    w = leaf(4, 6, *(3,) * (len(shape) - 2))
    theirs = torch.conv1d if len(shape) == 3 else torch.conv2d
    assert_same(tt.conv(x, w, padding=1), theirs(x, w, padding=1), (base, w))
    assert OPS.conv(x, w, None, *[[1] * (len(shape) - 2)] * 3, 1).stride() == theirs(x, w, padding=1).stride()


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_conv_transpose(dims: int) -> None:
    x = leaf(2, 6, *(4, 3, 2)[:dims], last=dims > 1)
    w, b = leaf(6, 2, *(3,) * dims), leaf(4)
    theirs = {1: torch.conv_transpose1d, 2: torch.conv_transpose2d, 3: torch.conv_transpose3d}[dims]
    options = {"stride": 2, "padding": 1, "output_padding": 1, "groups": 2}
    assert_same(tt.conv_transpose(x, w, b, **options), theirs(x, w, b, **options), (x, w, b))


def test_attention_with_a_bias() -> None:
    q, k, v, mask = leaf(2, 4, 6, 32), leaf(2, 2, 7, 32), leaf(2, 2, 7, 32), leaf(2, 1, 6, 7)
    ours = tt.attention(q, k, v, bias=mask, layout="bhsd")
    assert ours.transpose(1, 2).is_contiguous()  # heads of a row can be merged without a copy
    theirs = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
    assert_same(ours, theirs, (q, k, v, mask))


def test_attention_of_packed_sequences() -> None:
    q, k, v = leaf(5, 2, 32), leaf(5, 2, 32), leaf(5, 2, 32)
    ends = torch.tensor([0, 2, 5], dtype=torch.int32)
    parts = [
        functional.scaled_dot_product_attention(*(x[a:b].transpose(0, 1)[None] for x in (q, k, v)), is_causal=True)
        for a, b in ((0, 2), (2, 5))
    ]
    theirs = torch.cat([p[0].transpose(0, 1) for p in parts])
    assert_same(tt.attention_varlen(q, k, v, ends, ends, 3, 3, causal=True), theirs, (q, k, v))


def test_dropout_follows_the_seed_of_torch() -> None:
    q = leaf(1, 6, 2, 32)

    def drawn(seed: int) -> Any:
        torch.manual_seed(seed)
        return tt.attention(q, q, q, dropout=0.5)

    first = drawn(1)
    torch.testing.assert_close(first, drawn(1))
    assert not torch.equal(first, drawn(2))
    first.sum().backward()
    assert q.grad.isfinite().all()


def test_decode_over_pages_is_attention_over_their_rows() -> None:
    cache, table = torch.randn(3, 4, 2, 32), torch.tensor([[2, 0]], dtype=torch.int32)
    q, length = torch.randn(1, 1, 2, 32), torch.tensor([6], dtype=torch.int32)
    keys = torch.cat([cache[2], cache[0]])[None, :6]
    want = tt.attention(q, keys, keys)
    torch.testing.assert_close(tt.attention_decode(q, cache, cache, length, page_table=table), want)
    compiled = torch.compile(tt.attention_decode, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(q, cache, cache, length, page_table=table), want)


CHECKED = {
    "matmul": lambda: (leaf(6, 4), leaf(4, 3)),
    "linear": lambda: (leaf(2, 3, 16), leaf(8, 16), None, "relu"),
    "conv": lambda: (leaf(1, 4, 6, 6, last=True), leaf(4, 2, 3, 3), leaf(4), [1, 1], [1, 1], [1, 1], 2),
    "conv_backward_data": lambda: (
        torch.randn(1, 4, 6, 6), torch.randn(4, 2, 3, 3), [6, 6], False, [1, 1], [1, 1], [1, 1], 2,
    ),
    "conv_backward_weight": lambda: (
        torch.randn(1, 4, 6, 6), torch.randn(1, 4, 6, 6), [3, 3], True, [1, 1], [1, 1], [1, 1], 2,
    ),
    "conv_transpose": lambda: (leaf(2, 6, 4, 3), leaf(6, 2, 3, 3), None, [9, 7], [2, 2], [0, 0], [1, 1], 2),
    "attention": lambda: (
        *(leaf(2, 4, 6, 32) for _ in range(3)), None, None, None, None, False, True, [-1, -1], "top_left", 0, None,
        0.0, 0.0, "bhsd", None, None, False, True,
    ),
    "append_kv": lambda: (
        torch.zeros(2, 8, 2, 32), torch.zeros(2, 8, 2, 32), torch.ones(2, 1, 2, 32), torch.ones(2, 1, 2, 32),
        torch.tensor([3, 5], dtype=torch.int32), None, None, None,
    ),
    "append_kv_rotated": lambda: (
        torch.zeros(2, 8, 2, 32), torch.zeros(2, 8, 2, 32), torch.ones(2, 1, 2, 32), torch.ones(2, 1, 2, 32),
        torch.tensor([3, 5], dtype=torch.int32), torch.ones(2, 1, 4, 32), torch.ones(8, 8), torch.ones(8, 8), None,
        None, None, "half", True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHECKED)
def test_the_contract_of_an_operator(name: str) -> None:
    """The schema, shapes for tracing, gradients and a traced run, by torch's own checker."""
    torch.library.opcheck(getattr(OPS, name).default, CHECKED[name](), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("rope", "causal"), [("half", True), ("interleaved", True), ("half", False)])
def test_appending_rotates_as_the_function_for_arrays_does(rope: str, causal: bool, compiled: bool) -> None:
    torch.manual_seed(0)
    new, q = torch.randn(2, 2, 2, 32), torch.randn(2, 2, 4, 32)
    angles, old = torch.randn(8, 8), torch.tensor([3, 5], dtype=torch.int32)
    caches = [[torch.zeros(2, 8, 2, 32) for _ in "kv"] for _ in range(2)]
    options = {"q": q, "cos": angles.cos(), "sin": angles.sin(), "rope": rope, "causal": causal}
    want = tw.append_kv(*caches[0], new, new, old, **options)
    call = torch.compile(tt.append_kv, fullgraph=True, backend="aot_eager") if compiled else tt.append_kv
    got = call(*caches[1], new, new, old, **options)
    torch.testing.assert_close(got, want, rtol=0, atol=0)
    torch.testing.assert_close(caches[1], caches[0], rtol=0, atol=0)


BAD_ROTATIONS: dict[str, tuple[dict[str, Any], str]] = {
    "no queries": ({"cos": torch.ones(8, 8), "sin": torch.ones(8, 8)}, "cos and sin without q"),
    "no sines": ({"q": torch.ones(2, 1, 2, 32), "cos": torch.ones(8, 8)}, "cos and sin belong together"),
    "no angles": ({"q": torch.ones(2, 1, 2, 32)}, "q without cos and sin"),
    "name": ({"rope": "nonsense"}, "rope is 'nonsense'"),
}


@pytest.mark.parametrize("name", BAD_ROTATIONS)
def test_appending_refuses_half_a_rotation(name: str) -> None:
    changed, told = BAD_ROTATIONS[name]
    cache, new = torch.zeros(2, 8, 2, 32), torch.ones(2, 1, 2, 32)
    for append in (tw.append_kv, tt.append_kv):
        with pytest.raises(tw.TilewrightError, match=told):
            append(cache, cache.clone(), new, new, torch.tensor([3, 5], dtype=torch.int32), **changed)


def test_rotated_queries_have_no_gradient() -> None:
    cache, new, angles = torch.zeros(2, 8, 2, 32), torch.ones(2, 1, 2, 32), torch.ones(8, 8)
    q = new.clone().requires_grad_()
    with pytest.raises(GradientError, match="no gradient"):
        tt.append_kv(
            cache, cache.clone(), new, new, torch.tensor([3, 5], dtype=torch.int32), q=q, cos=angles, sin=angles
        )


def test_second_derivatives_are_refused() -> None:
    x, w = leaf(3, 4), leaf(5, 4)
    for call in (tt.linear, OPS.linear):
        (first,) = torch.autograd.grad(call(x, w).square().sum(), x, create_graph=True)
        with pytest.raises(GradientError, match="first derivatives only"):
            first.sum().backward()


SECOND = {
    "linear": lambda x: tt.linear(x[0, 0], torch.ones(5, 32)),
    "ops.linear": lambda x: OPS.linear(x[0, 0], torch.ones(5, 32)),
    "conv": lambda x: tt.conv(x, torch.ones(3, 2, 3, 3), None, 1, 1),
    "sdpa": lambda x: tt.sdpa(x, x, x, is_causal=True),
    "sdpa with a mask": lambda x: tt.sdpa(x, x, x, attn_mask=torch.zeros(16, 16)),
    "attention": lambda x: tt.attention(x, x, x),
}


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives_by_grad_are_refused(name: str) -> None:
    """`autograd.grad` looks for a way to its inputs first: there has to be one, which is then refused."""
    x = leaf(1, 2, 16, 32)
    (first,) = torch.autograd.grad(SECOND[name](x).square().sum(), x, create_graph=True)
    with pytest.raises(GradientError, match="first derivatives only"):
        torch.autograd.grad(first.sum(), x)


def test_offsets_that_change_before_the_gradient_are_noticed() -> None:
    q, ends = leaf(9, 4, 32), torch.tensor([0, 4, 9], dtype=torch.int32)
    out = tt.attention_varlen(q, q, q, ends, ends.clone(), 6, 6)
    ends[1] += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


@pytest.mark.parametrize("name", ["torch.func", "dual numbers", "compiled"])
def test_operators_refuse_forward_mode(name: str) -> None:
    """Torch would take the result for one without a tangent: a wrong derivative of 0."""
    from torch.autograd import forward_ad

    x, w = torch.randn(3, 4), torch.randn(5, 4)

    def derived() -> Any:
        if name == "dual numbers":
            with forward_ad.dual_level():
                return OPS.linear(forward_ad.make_dual(x, x), w)
        call = torch.compile(OPS.linear, backend="eager") if name == "compiled" else OPS.linear
        return torch.func.jvp(lambda t: call(t, w), (x,), (x,))

    with pytest.raises(Exception, match="forward mode"):
        derived()


def test_transforms_of_functions_are_left_to_torch_and_of_operators_refused() -> None:
    x, w = torch.randn(2, 3, 4), torch.randn(5, 4)
    found = torch.func.vmap(lambda t: tt.linear(t, w))(x)
    torch.testing.assert_close(found, torch.nn.functional.linear(x, w))
    assert any("torch.func transforms" in reason for _, reason in tt.left_calls())
    with pytest.raises(GradientError, match=r"torch\.func transforms"):
        torch.func.vmap(lambda t: OPS.linear(t, w))(x)


def test_a_gradient_where_there_is_none_is_refused() -> None:
    cache = torch.randn(1, 4, 2, 32)
    out = tt.attention_decode(leaf(1, 1, 2, 32), cache, cache)
    with pytest.raises(GradientError, match="has no gradient"):
        out.sum().backward()


def test_autocast_converts_operands_as_torch_does() -> None:
    x, w, b = leaf(3, 16), leaf(8, 16), leaf(8)
    with torch.autocast("cpu", torch.bfloat16):
        for call in (tt.linear, OPS.linear):
            assert call(x, w, b).dtype is torch.bfloat16
    with torch.autocast("cpu", torch.bfloat16):
        y = tt.linear(x, w, b)
    y.float().sum().backward()
    assert w.grad.dtype is torch.float32


def test_mistakes_are_named() -> None:
    q = torch.ones(1, 2, 2, 32)
    for call in (tt.attention, tt.attention_decode):
        with pytest.raises(tw.TilewrightError, match="window is 5"):
            call(q, q, q, window=5)
    with pytest.raises(Exception, match="did you mean 'relu'"):
        OPS.linear(torch.randn(2, 2), torch.randn(2, 2), None, "rellu")
    with pytest.raises(TensorError, match="channels differ"):
        tt.conv_transpose(torch.randn(1, 2, 4), torch.randn(3, 1, 2))


def test_a_quiet_call_skips_the_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    from tilewright.torch import op_conv

    class OperatorError(Exception):
        """The operator was called."""

    def operator(*args: Any) -> Any:
        raise OperatorError

    monkeypatch.setattr(op_conv, "CONV", operator)
    x, w = torch.randn(1, 4, 6, 6), torch.nn.Parameter(torch.randn(4, 2, 3, 3))
    tt.conv(x, w, None, padding=1, groups=2).sum().backward()  # an autograd function, not the operator
    with torch.no_grad():
        tt.conv(x, w, None, padding=1, groups=2)
    with pytest.raises(OperatorError):
        tt.conv(x.to("meta"), w.to("meta"), None, padding=1, groups=2)


def test_remembered_gradients_of_a_convolution_keep_the_memory_format_of_its_input() -> None:
    generator = torch.Generator().manual_seed(0)
    x, w = (torch.randn(shape, generator=generator) for shape in ((2, 4, 5, 5), (6, 4, 3, 3)))
    grad = torch.randn(2, 6, 5, 5, generator=generator)
    expected = torch.ops.aten.convolution_backward(
        grad, x, w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, False]
    )
    for memory_format in (torch.contiguous_format, torch.channels_last) * 2:  # the second time from the memo
        leaves = [x.contiguous(memory_format=memory_format).requires_grad_(), w.clone().requires_grad_()]
        found = torch.autograd.grad(tt.conv(*leaves, padding=1), leaves, grad)
        for got, want in zip(found, expected[:2], strict=True):
            torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
        assert found[0].is_contiguous(memory_format=memory_format)


def test_sdpa_of_new_lengths_runs_like_that_of_others() -> None:
    from tilewright.frontends import default
    from tilewright.frontends.call_template import CallTemplate

    for length in (7, 9, 12, 5, 14):
        x = torch.randn(1, length, 2, 32).transpose(1, 2)  # rows before heads in memory, as models have them
        with torch.no_grad():
            torch.testing.assert_close(
                tt.sdpa(x, x, x, is_causal=True), functional.scaled_dot_product_attention(x, x, x, is_causal=True)
            )
    assert default.made is not None
    found = [
        t
        for known in default.made.calls.templates.values()
        for t in known._known.values()
        if isinstance(t, CallTemplate)
    ]
    assert any(t.problem.op == "fmha" for t in found)


def test_a_remembered_sdpa_with_gradients_asks_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from tilewright.torch import op_sdpa

    def gradients(call: Any) -> list[Any]:
        q, k, v = (torch.sin(torch.arange(512.0) * n).reshape(1, 2, 8, 32).requires_grad_() for n in (1, 2, 3))
        out = call(q, k, v, is_causal=True)
        return [out, *torch.autograd.grad(out.square().sum(), (q, k, v))]

    def asked(*args: Any) -> Any:
        raise AssertionError("the whole way was taken")

    want = gradients(functional.scaled_dot_product_attention)
    gradients(tt.sdpa)
    monkeypatch.setattr(op_sdpa, "_why_left", asked)
    for _ in range(2):
        for got, right in zip(gradients(tt.sdpa), want, strict=True):
            torch.testing.assert_close(got, right, rtol=1e-4, atol=1e-4)
    assert torch.is_grad_enabled()
    with pytest.raises(AssertionError, match="whole way"), torch.autocast("cpu", torch.bfloat16):
        gradients(tt.sdpa)
