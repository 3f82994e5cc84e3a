"""PyTorch's own sample inputs (OpInfo) for the functions that `tilewright.torch` has, and a judge of their results.

The reference is torch in float64. A bound of the error follows from the arithmetic: every sum of `terms` products of
rounded operands is kept in fp32, and each result is rounded once to its dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn import functional
from torch.utils._pytree import tree_flatten, tree_map

import tilewright.torch as tt

OURS: dict[str, Callable[..., Any]] = {
    "nn.functional.linear": tt.linear,
    "mm": tt.matmul,
    "bmm": tt.matmul,
    "matmul": tt.matmul,
    "addmm": tt.addmm,
    "nn.functional.conv1d": tt.conv,
    "nn.functional.conv2d": tt.conv,
    "nn.functional.conv3d": tt.conv,
    "nn.functional.conv_transpose1d": tt.conv_transpose,
    "nn.functional.conv_transpose2d": tt.conv_transpose,
    "nn.functional.conv_transpose3d": tt.conv_transpose,
    "nn.functional.scaled_dot_product_attention": tt.sdpa,
    "nn.functional.multi_head_attention_forward": tt.multi_head_attention_forward,
}
ROUNDING = {torch.float32: 2.0**-24, torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8}
FP32 = ROUNDING[torch.float32]
FLUSHED = 2.0**-126  # a probability below it may become 0
SMALLEST = {torch.float32: 2.0**-149, torch.float16: 2.0**-24, torch.bfloat16: 2.0**-133}
# Operators of torch that compute what a kernel would.
KIN = ("mm", "bmm", "addmm", "baddbmm", "mv", "addmv", "dot", "vdot", "convolution", "_scaled_dot_product")
MULTIHEAD = "nn.functional.multi_head_attention_forward"


def op_infos() -> dict[str, Any]:
    """Return torch's descriptions of these functions, by name."""
    from torch.testing._internal.common_methods_invocations import op_db

    return {op.name: op for op in op_db if op.name in OURS and not op.variant_test_name}


@dataclass
class Call:
    """One sample: a function, its tensors, and how the same function is called on others."""

    name: str
    args: tuple[Any, ...]
    options: dict[str, Any]
    dtype: torch.dtype
    backward: bool = True

    def tensors(self) -> list[torch.Tensor]:
        """Return all tensors of the call, in a fixed order."""
        return [t for t in tree_flatten((self.args, self.options))[0] if isinstance(t, torch.Tensor)]

    def with_each(self, change: Callable[[torch.Tensor], torch.Tensor]) -> Call:
        """Return the call on changed tensors."""

        def changed(value: Any) -> Any:
            return change(value) if isinstance(value, torch.Tensor) else value

        args, options = tree_map(changed, (self.args, self.options))
        return Call(self.name, args, options, self.dtype, self.backward)

    def run(self, function: Callable[..., Any], slopes: Callable[[torch.Tensor], torch.Tensor] | None = None) -> Any:
        """Return the results and, for slopes that depend on shapes only, the gradients of all tensors."""
        call = self.with_each(lambda t: t.detach().clone().requires_grad_(t.is_floating_point() or t.is_complex()))
        torch.manual_seed(5)
        found = [t for t in tree_flatten(function(*call.args, **call.options))[0] if isinstance(t, torch.Tensor)]
        if not self.backward:
            return [t.detach() for t in found]
        leaves = [t for t in call.tensors() if t.requires_grad]
        grads = torch.autograd.grad(found, leaves, [(slopes or signed)(t) for t in found], allow_unused=True)
        filled = [torch.zeros_like(t) if g is None else g for t, g in zip(leaves, grads, strict=True)]
        return [*(t.detach() for t in found), *filled]


def signed(like: torch.Tensor) -> torch.Tensor:
    """Return a gradient of a result: numbers of both signs that every dtype holds."""
    values = (torch.arange(like.numel()) * 7 % 13 - 6).reshape(like.shape) / 4
    return values.to(like.dtype)


def positive(like: torch.Tensor) -> torch.Tensor:
    """Return the absolute values of that gradient."""
    return signed(like).abs()


def samples(name: str, dtype: torch.dtype) -> Iterator[Call]:
    """Return torch's samples of a function; most of those of multi-head attention have no gradients in its tests."""
    info = op_infos()[name]
    for wants_gradient in (True, False) if name == MULTIHEAD else (True,):
        for sample in info.sample_inputs("cpu", dtype, requires_grad=wants_gradient and dtype.is_floating_point):
            tensors = tree_map(
                lambda t: t.detach() if isinstance(t, torch.Tensor) else t,
                ((sample.input, *sample.args), sample.kwargs),
            )
            yield Call(name, *tensors, dtype, wants_gradient and (dtype.is_floating_point or dtype.is_complex))


def torchs(name: str) -> Callable[..., Any]:
    """Return torch's function of a name."""
    owner: Any = functional if name.startswith("nn.") else torch
    found: Callable[..., Any] = getattr(owner, name.rsplit(".", 1)[-1])
    return found


@dataclass
class Verdict:
    """What became of a sample: computed by our kernels or left for a reason, and how its error compares."""

    call: Call
    reasons: list[str] = field(default_factory=list)
    by_torch: list[str] = field(default_factory=list)  # torch's operators that were seen
    excess: float = 0.0  # the largest error as a share of its bound
    worse: float = 0.0  # the largest error as a share of torch's own, if that is not zero

    @property
    def computed(self) -> bool:
        """Whether our kernels computed it."""
        return not self.reasons


def judged(call: Call) -> Verdict:
    """Return the verdict of one sample."""
    verdict = Verdict(call)
    before = tt.left_calls()
    ours, verdict.by_torch = seen(lambda: call.run(OURS[call.name]))
    after = tt.left_calls()
    verdict.reasons = [reason for (_, reason), n in after.items() if n > before.get((_, reason), 0)]
    if call.dtype not in ROUNDING:
        for got, want in zip(ours, call.run(torchs(call.name)), strict=True):
            assert torch.equal(got, want)
        return verdict
    judge = attention if "scaled_dot" in call.name else multihead if call.name == MULTIHEAD else products
    rough = call.run(torchs(call.name))
    exact, bounds = judge(call, rough)
    dropped = bool(call.options.get("dropout_p"))  # torch draws other numbers: its error says nothing
    for got, theirs, want, bound in zip(ours, rough, exact, bounds, strict=True):
        assert got.shape == want.shape
        assert got.dtype is call.dtype
        error = (got.double() - want).abs()
        verdict.excess = max(verdict.excess, largest(error / bound))
        if not dropped:
            verdict.worse = max(verdict.worse, largest(error) / max(largest((theirs.double() - want).abs()), 1e-300))
    return verdict


def largest(values: torch.Tensor) -> float:
    return float(values.nan_to_num(nan=float("inf")).max()) if values.numel() else 0.0


def seen(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return a result, and which of torch's operators computed products meanwhile."""
    with torch.autograd.profiler.profile() as profile:
        found = call()
    names = {event.name.removeprefix("aten::") for event in profile.function_events}
    return found, sorted(name for name in names if name.startswith(KIN[-1]) or name in KIN)


def rounded(exact: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return how much one rounding of a result to its dtype may change it."""
    return exact.abs() * ROUNDING[dtype] + SMALLEST[dtype]


def products(call: Call, rough: list[torch.Tensor]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Return the exact results of a function that is linear in each of its tensors, and a bound of each error.

    The same function of absolute values bounds every sum, and that of ones counts its terms.
    """
    function, wide = torchs(call.name), call.with_each(lambda t: t.double())
    exact = wide.run(function)
    magnitudes = wide.with_each(torch.abs).run(function, positive)
    ones = wide.with_each(torch.ones_like)
    ones.options = {name: value for name, value in ones.options.items() if name not in ("alpha", "beta")}
    terms = ones.run(function, torch.ones_like)
    bounds = [rounded(e, call.dtype) + (n + 3) * FP32 * m for e, m, n in zip(exact, magnitudes, terms, strict=True)]
    if call.name in ("matmul", "addmm"):  # rounded gradients of what is broadcast are added, as torch does it too
        bounds[1:] = [b + m * ROUNDING[call.dtype] for b, m in zip(bounds[1:], magnitudes[1:], strict=True)]
    return exact, bounds


def attention(call: Call, rough: list[torch.Tensor]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Return the exact attention and its gradients, and bounds of their errors.

    Scores are sums in fp32, and so are the results. Probabilities, the result that the backward pass reads, and the
    gradients of scores are rounded to the dtype; probabilities without a normal number in fp32 may be zero.
    """
    kept = kept_weights(call)
    wide = call.with_each(lambda t: t.double())
    exact = wide.run(lambda *args, **options: attended(kept, *args, **options)[0])
    q, k, v = (t.abs() for t in wide.args[:3])
    mask = wide.options.get("attn_mask")
    p = attended(kept, *wide.args[:3], **wide.options)[1]
    u, hdim, rows, keys = ROUNDING[call.dtype], q.shape[-1], q.shape[-2], k.shape[-2]
    scores = q @ k.mT / hdim**0.5 + (0 if mask is None else mask.abs())
    drift = 2 * (hdim + 3) * FP32 * scores.amax(-1, keepdim=True) + (keys + 16) * FP32  # of a probability
    slope = positive(exact[0])
    weights = p * kept
    reach = kept * (slope @ v.mT) + (slope * (weights @ v)).sum(-1, keepdim=True)  # of the gradients of scores
    lost_scores = ((drift + 5 * u + (hdim + keys + rows) * FP32) * p + FLUSHED) * reach
    parts = [
        ((drift + u + keys * FP32) * weights + FLUSHED * kept) @ v,
        lost_scores @ k / hdim**0.5,
        lost_scores.mT @ q / hdim**0.5,
        ((drift + 2 * u + rows * FP32) * weights + FLUSHED * kept).mT @ slope,
        lost_scores,
    ]
    lost = SMALLEST[call.dtype] * 64 if call.options.get("dropout_p") else 0.0  # a weight that was kept, seen as 0
    return exact, [
        rounded(e, call.dtype) + part.sum_to_size(e.shape) + lost for e, part in zip(exact, parts, strict=False)
    ]


def attended(
    kept: torch.Tensor, q: Any, k: Any, v: Any, attn_mask: Any = None, is_causal: bool = False, **_: Any
) -> Any:
    """Return (attention, probabilities) of wide tensors; `kept` are factors of probabilities."""
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if attn_mask is not None:
        scores = scores + attn_mask
    if is_causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), float("-inf"))
    p = scores.softmax(-1)
    return (p * kept) @ v, p


def kept_weights(call: Call) -> torch.Tensor:
    """Return the factors of dropout: attention to unit vectors shows which probabilities were kept."""
    share = call.options.get("dropout_p", 0.0)
    if not share:
        return torch.ones(())
    q, k, v = call.args[:3]
    units = torch.eye(k.shape[-2], v.shape[-1], dtype=v.dtype).expand(v.shape)
    shown = Call(call.name, (q, k, units), call.options, call.dtype, False).run(OURS[call.name])[0]
    kept = shown[..., : k.shape[-2]] != 0
    assert 0 < kept.sum() < kept.numel()
    return kept.double() / (1 - share)


def multihead(call: Call, rough: list[torch.Tensor]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Return the exact results of many products, and what is allowed: some errors like torch's, and some roundings."""
    exact = call.with_each(lambda t: t.double()).run(torchs(call.name))
    allowed = []
    for got, want in zip(rough, exact, strict=True):
        error = 4 * largest((got.double() - want).abs()) + 8 * ROUNDING[call.dtype] * largest(want.abs())
        allowed.append(torch.full_like(want, error + SMALLEST[call.dtype]))
    return exact, allowed


def fixed_dropout(x: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor:
    """Return torch's dropout with numbers that depend on the shape only."""
    kept = (torch.arange(x.numel()) * 7 % 11 >= 11 * p).reshape(x.shape)
    return x * kept / (1 - p) if training else x
