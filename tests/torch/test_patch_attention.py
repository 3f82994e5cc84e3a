"""Attention by `patch`: torch's function with its masks, `nn.MultiheadAttention`, and models of transformers."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: patch is not tested")

from torch import nn
from torch.nn import functional

import tilewright.torch as tt
from tilewright.errors import MissingExtraError
from tilewright.torch import op_sdpa
from tilewright.torch.hugging_face import attention_forward

torchs = functional.scaled_dot_product_attention


def heads(rows: int = 6, heads: int = 2, hdim: int = 32, dtype: Any = torch.float32) -> Any:
    return torch.randn(2, rows, heads, hdim, dtype=dtype).transpose(1, 2)


def close(got: Any, want: Any) -> None:
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


MASKS = {
    "none": lambda: {},
    "causal": lambda: {"is_causal": True},
    "scale": lambda: {"scale": 0.5},
    "rows": lambda: {"attn_mask": torch.randn(6, 6)},
    "keys": lambda: {"attn_mask": torch.tensor([True, True, False, True, True, True]).expand(2, 1, 1, 6)},
    "all": lambda: {"attn_mask": torch.randn(2, 2, 6, 6)},
}


@pytest.mark.parametrize("cache", ["concatenate", "slices"])
def test_a_cache_that_grows(cache: str) -> None:
    memory, q = torch.randn(2, 2, 2, 211, 32), heads(rows=1)
    with torch.no_grad():
        for keys in (2, 3, 5, 8, 20, 21, 22, 95, 96, 97, 98, 140, 143, 144, 210, 211):
            k, v = memory[:, :, :, :keys] if cache == "slices" else memory[:, :, :, :keys].contiguous()
            close(tt.sdpa(q, k, v), torchs(q, k, v))


@pytest.mark.parametrize("cache", ["concatenate", "slices"])
def test_a_cache_that_grows_needs_one_question(cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Known sizes and those that follow are asked for in C, by the options of the call, in the time of one patch."""
    memory, q = torch.randn(2, 2, 2, 100, 32), heads(rows=1)

    def attend(keys: int, **options: Any) -> None:
        k, v = memory[:, :, :, :keys] if cache == "slices" else memory[:, :, :, :keys].contiguous()
        close(functional.scaled_dot_product_attention(q, k, v, **options), torchs(q, k, v, **options))

    with torch.no_grad(), tt.patch(nn.Identity(), only=["attention"]):
        for keys in range(33, 38):
            attend(keys)
        with monkeypatch.context() as alone:
            alone.setattr(op_sdpa, "_ours", None)
            for keys in (36, 37, 38, 40, 45):
                attend(keys)
            for options in ({"is_causal": True}, {"scale": 2.0}, {"attn_mask": torch.zeros(1, 40)}):
                with pytest.raises(TypeError, match="not callable"):
                    attend(40, **options)
            with torch.enable_grad(), pytest.raises(TypeError, match="not callable"):
                attend(40)
        for options in ({"is_causal": True}, {"scale": 2.0}):
            for keys in (40, 40, 41, 42, 43, 44):
                attend(keys, **options)
    assert not op_sdpa._names


def test_the_keys_of_a_single_row_are_compared_with_torch_in_powers_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    q = heads(rows=1)
    begun: list[Any] = []
    monkeypatch.setattr(op_sdpa, "begun", lambda report, kind, *rest: begun.append(kind) or op_sdpa.OURS)
    with torch.no_grad(), tt.patch(nn.Identity(), only=["attention"]) as patched:
        for keys in (33, 34, 63, 64, 65):
            functional.scaled_dot_product_attention(q, heads(keys), heads(keys), scale=1 / keys)
            patched.report.turns.update(dict.fromkeys(begun, op_sdpa.OURS))
    assert len({kind[:-2] for kind in begun}) == 2


@pytest.mark.parametrize("name", MASKS)
def test_sdpa(name: str) -> None:
    q, k, v, options = heads(), heads(), heads(), MASKS[name]()
    with tt.patch(nn.Identity()) as patched:
        for _ in range(2):
            with torch.no_grad():
                close(functional.scaled_dot_product_attention(q, k, v, **options), torchs(q, k, v, **options))
    assert patched.report.left_calls == {}


LEFT = {
    "dtype": (lambda: [heads(dtype=torch.float64)] * 3, {}, "the dtype is float64"),
    "dims": (lambda: [heads()[None]] * 3, {}, "have not four dimensions"),
    "wide": (lambda: [heads(hdim=300)] * 3, {}, "wider than 256"),
    "dense": (lambda: [torch.randn(2, 2, 32, 6).mT] * 3, {}, "not dense"),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_no_kernel_computes_is_left(name: str) -> None:
    make, options, reason = LEFT[name]
    q, k, v = make()
    with tt.patch(nn.Identity()) as patched:
        close(tt.sdpa(q, k, v, **options), torchs(q, k, v, **options))
    assert reason in next(iter(patched.report.left_calls))[1]


def multihead_calls() -> dict[str, Any]:
    causal = nn.Transformer.generate_square_subsequent_mask(6)
    padded = torch.tensor([[False] * 6, [False] * 4 + [True] * 2])
    each = torch.randn(4, 6, 6)
    return {
        "plain": {},
        "causal": {"attn_mask": causal, "is_causal": True},
        "padded": {"key_padding_mask": padded},
        "both": {"attn_mask": causal, "key_padding_mask": padded.float().masked_fill(padded, float("-inf"))},
        "each head": {"attn_mask": each},
    }


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("name", multihead_calls())
def test_multihead_attention(name: str, batch_first: bool) -> None:
    layer, options = nn.MultiheadAttention(64, 2, batch_first=batch_first), multihead_calls()[name]
    x = torch.randn(2, 6, 64) if batch_first else torch.randn(6, 2, 64)
    y = torch.randn_like(x)
    want = [layer(a, b, b, need_weights=False, **options)[0] for a, b in ((x, x), (x, y))]
    with tt.patch(layer) as patched:
        got = [layer(a, b, b, need_weights=False, **options)[0] for a, b in ((x, x), (x, y))]
    close(got, want)
    assert patched.report.left_calls == {}


SHAPES = {
    "no heads": ((2, 6, 32), (2, 5, 32)),
    "one sequence": ((6, 32), (5, 32)),
    "a batch of keys only": ((2, 6, 32), (3, 2, 5, 32)),
    "shared keys": ((2, 4, 6, 32), (1, 1, 5, 32)),
    "shared queries": ((1, 1, 6, 32), (2, 4, 5, 32)),
}


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("name", SHAPES)
def test_dimensions_that_are_missing_or_broadcast(name: str, masked: bool) -> None:
    q, k = (torch.randn(shape, requires_grad=True) for shape in SHAPES[name])
    mask = torch.randn(6, 5) if masked else None
    before = tt.left_calls()
    found = [call(q, k, k, attn_mask=mask) for call in (tt.sdpa, torchs)]
    ours, theirs = ([y, *torch.autograd.grad(y.square().sum(), (q, k))] for y in found)
    close(ours, theirs)
    assert tt.left_calls() == before


@pytest.mark.parametrize("kind", ["plain", "kdim", "more rows"])
def test_multihead_attention_with_weights(kind: str) -> None:
    """Keys and values of other widths, rows that the layer adds, one sequence, and the weights."""
    options = {"kdim": {"kdim": 24, "vdim": 40}, "more rows": {"add_bias_kv": True, "add_zero_attn": True}}
    layer = nn.MultiheadAttention(64, 2, **options.get(kind, {}))
    q, k, v = (torch.randn(6, 2, n) for n in (64, layer.kdim, layer.vdim))
    mask = torch.randn(6, 6)
    calls = [
        lambda: layer(q, k, v, attn_mask=mask),
        lambda: layer(q, k, v, average_attn_weights=False, key_padding_mask=torch.zeros(2, 6, dtype=torch.bool)),
        lambda: layer(q[:, 0], k[:, 0], v[:, 0], need_weights=False)[0],
        lambda: layer(q[:, 0], k[:, 0], v[:, 0], attn_mask=mask),
        lambda: layer(q[:, :0], k[:, :0], v[:, :0], attn_mask=mask),
        lambda: layer(q[:0], k, v),
    ]
    want = [call() for call in calls]
    with tt.patch(layer) as patched:
        close([call() for call in calls], want)
    assert patched.report.left_calls == {}
    assert not patched.report.left


@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_of_rows_whose_keys_are_all_hidden(dtype: torch.dtype, heads: int) -> None:
    """Hidden by the lowest number, as padding is: all keys are then equally likely, forward and backward."""
    torch.manual_seed(0)
    q, k, v, grad = (torch.randn(2, 2, 9, 16, dtype=dtype) for _ in range(4))
    mask = torch.randn(2, heads, 9, 9, dtype=dtype)
    mask[:, :, :3] = mask[..., :2] = torch.finfo(dtype).min
    found = []
    for function in (functional.scaled_dot_product_attention, tt.sdpa):
        leaves = [t.clone().requires_grad_() for t in (q, k, v, mask)]
        out = function(*leaves)
        found.append((out, *torch.autograd.grad(out, leaves, grad)))
    for want, got in zip(*found, strict=True):
        torch.testing.assert_close(got, want, atol=2e-5 if dtype is torch.float32 else 0.06, rtol=0.02)


def test_a_mask_of_another_shape_is_refused_as_torch_does() -> None:
    layer, x = nn.MultiheadAttention(64, 2), torch.randn(6, 2, 64)
    with tt.patch(layer), pytest.raises(RuntimeError, match="2D attn_mask"):
        layer(x, x, x, attn_mask=torch.zeros(6, 1))


def test_an_attention_function_of_transformers() -> None:
    """The interface that transformers documents; the next test uses transformers itself, if it is installed."""
    layer = nn.Module()
    q, k, v = heads(), heads(heads=1), heads(heads=1)
    for mask, causal in ((None, True), (None, False), (torch.randn(2, 1, 6, 8), True)):
        cut = mask if mask is None else mask[..., :6]
        want = torchs(q, k, v, cut, is_causal=causal and mask is None, scale=0.3, enable_gqa=True)
        got, weights = attention_forward(layer, q, k, v, mask, scaling=0.3, is_causal=causal, unknown=1)
        close(got, want.transpose(1, 2))
        assert weights is None
    capped, _ = attention_forward(layer, q, k, v, None, softcap=2.0)
    close(capped.transpose(1, 2), tt.attention(q, k, v, causal=True, soft_cap=2.0, layout="bhsd"))
    one, _ = attention_forward(layer, q[:, :, :1], k, v, None)  # a newest row sees every key
    close(one.transpose(1, 2), torchs(q[:, :, :1], k, v, enable_gqa=True))


@pytest.mark.parametrize("masked", [False, True])
def test_sinks_of_transformers_take_their_share(masked: bool) -> None:
    """gpt-oss: each head has a score that takes part in the softmax and has no value."""
    q, k, v = (x.requires_grad_() for x in (heads(), heads(heads=1), heads(heads=1)))
    sinks = torch.tensor([0.5, -1.0], requires_grad=True)
    mask = torch.ones(2, 1, 6, 6, dtype=torch.bool).tril()
    if masked:
        mask[1, :, :, :2] = False  # the first rows of the second sequence see nothing but the sink
    scores = (q @ k.transpose(2, 3) * 0.3).masked_fill(~mask, -torch.inf)
    shares = torch.cat((scores, sinks.reshape(1, 2, 1, 1).expand(2, 2, 6, 1)), 3).softmax(3)
    want = (shares[..., :-1] @ v).transpose(1, 2)
    got, _ = attention_forward(nn.Module(), q, k, v, mask if masked else None, scaling=0.3, s_aux=sinks)
    close(got, want)
    gradient = torch.randn_like(want)
    operands = (q, k, v, sinks)
    close(torch.autograd.grad(got, operands, gradient), torch.autograd.grad(want, operands, gradient))


def test_a_model_of_transformers() -> None:
    try:
        import transformers
    except ImportError:
        with pytest.raises(MissingExtraError, match=r"tilewright\[transformers\]"):
            tt.register_attention()
        pytest.skip("transformers is not installed: only its absence was tested")
    tt.register_attention()
    config = transformers.LlamaConfig(
        vocab_size=64, hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, max_position_embeddings=64,
    )  # fmt: skip
    model, ids = transformers.LlamaForCausalLM(config).eval(), torch.randint(0, 64, (2, 6))
    model.set_attn_implementation("sdpa")
    want = model(ids).logits
    model.set_attn_implementation("tilewright")
    close(model(ids).logits, want)
