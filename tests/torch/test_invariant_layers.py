"""`invariant` of the torch functions and of `patch`: equal bits in every batch, no silent way around."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import tilewright.torch as tt
from tilewright.errors import ProblemError, SelectionError
from tilewright.frontends import default


class Block(nn.Module):
    """A small transformer: linear layers, attention by torch's function, nothing that mixes sequences."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out, self.up = nn.Linear(64, 192), nn.Linear(64, 64), nn.Linear(64, 40)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (t.unflatten(-1, (2, 32)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        found: torch.Tensor = self.up(torch.relu(self.out(y.transpose(1, 2).flatten(2))))
        return found


def test_functions_give_a_row_the_same_bits_in_every_batch() -> None:
    torch.manual_seed(0)
    x, w, b = torch.randn(40, 96), torch.randn(24, 96), torch.randn(24)
    layer, product = tt.linear(x, w, b, "relu", invariant=True), tt.matmul(x, w.T, invariant=True)
    for m in (1, 2, 9, 33):
        assert torch.equal(tt.linear(x[:m], w, b, "relu", invariant=True), layer[:m])
        assert torch.equal(tt.matmul(x[:m], w.T, invariant=True), product[:m])
    assert torch.equal(tt.linear(x[:30].view(3, 10, 96), w, b, "relu", invariant=True).view(30, 24), layer[:30])
    q = torch.randn(2, 4, 9, 32)
    whole = tt.sdpa(q, q, q, is_causal=True, invariant=True)
    assert torch.equal(tt.sdpa(q[:1], q[:1], q[:1], is_causal=True, invariant=True), whole[:1])
    rows = q.transpose(1, 2)
    assert torch.equal(tt.attention(rows, rows, rows, causal=True, invariant=True).transpose(1, 2), whole)
    lengths = torch.full((2,), 9, dtype=torch.int32)
    step = tt.attention_decode(rows[:, -1:], rows, rows, lengths, invariant=True)
    assert torch.equal(step[:, 0], whole[:, :, -1])


def test_gradients_and_traced_calls_keep_the_option() -> None:
    torch.manual_seed(0)
    x, w = torch.randn(5, 600), torch.randn(24, 600)
    want = tt.linear(x, w, invariant=True)
    asked: list[str] = []
    plan = type(default.default_dispatcher()).plan

    def noting(self: Any, problem: Any) -> Any:
        asked.append(problem.summation)
        return plan(self, problem)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(type(default.default_dispatcher()), "plan", noting)
        given = x.clone().requires_grad_()
        out = tt.linear(given, w, invariant=True)
        assert torch.equal(out, want)
        out.sum().backward()  # type: ignore[no-untyped-call]
        tt.matmul(given, w.T, invariant=True).sum().backward()  # type: ignore[no-untyped-call]
        q = torch.randn(1, 2, 7, 32, requires_grad=True)
        tt.sdpa(q, q, q, is_causal=True, invariant=True).sum().backward()  # type: ignore[no-untyped-call]
    assert "invariant" in asked
    compiled = torch.compile(lambda x: tt.linear(x, w, invariant=True), backend="eager", fullgraph=True)
    assert torch.equal(compiled(x), want)
    assert torch.equal(torch.ops.tilewright.linear(x, w, None, "none", True), want)
    assert torch.equal(torch.ops.tilewright.matmul(x, w.T, True), tt.matmul(x, w.T, invariant=True))


def test_a_patched_model_gives_a_sequence_the_same_bits_in_every_batch() -> None:
    torch.manual_seed(0)
    model, x = Block().eval(), torch.randn(6, 11, 64)
    with torch.no_grad(), tt.patch(model, invariant=True) as patched:
        whole = model(x)
        for part in (slice(1), slice(2, 5), slice(5, 6)):
            assert torch.equal(model(x[part]), whole[part])
        assert not patched.report.left_calls
        assert not patched.report.turns  # no layer is compared with torch's
        assert torch.allclose(whole, tt_undone(patched, model, x), atol=1e-4)


def tt_undone(patched: Any, model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    patched.undo()
    found: torch.Tensor = model(x)
    return found


def test_multihead_attention_in_a_patched_model() -> None:
    torch.manual_seed(0)
    model = nn.TransformerEncoderLayer(64, 2, 96, batch_first=True, dropout=0.0).eval()
    x = torch.randn(4, 9, 64)
    with torch.no_grad(), tt.patch(model, invariant=True):
        assert torch.equal(model(x[2:3]), model(x)[2:3])
        with pytest.raises(SelectionError, match="need_weights=False"):
            model.self_attn(x, x, x)


def test_what_no_kernel_computes_is_an_error_not_torchs() -> None:
    model = Block().eval()
    with tt.patch(model, invariant=True), torch.no_grad():
        with pytest.raises(SelectionError, match="qkv has no batch-invariant result"):
            model.double()(torch.randn(1, 3, 64, dtype=torch.float64))
        q = torch.randn(1, 2, 3, 32, dtype=torch.float64)
        with pytest.raises(SelectionError, match="scaled_dot_product_attention has no batch-invariant result"):
            nn.functional.scaled_dot_product_attention(q, q, q)
    assert nn.functional.scaled_dot_product_attention(q, q, q).shape == q.shape


def test_convolutions_are_named_as_left_and_fusion_is_refused() -> None:
    with tt.patch(nn.Sequential(nn.Conv2d(3, 4, 3), nn.Linear(4, 4)), invariant=True) as patched:
        assert [(e.path, e.reason) for e in patched.report.left if e.kind == "Conv2d"] == [
            ("0", "convolutions have no batch-invariant kernels")
        ]
    with pytest.raises(ProblemError, match="fuse and invariant"):
        tt.patch(Block(), fuse=True, invariant=True)
