"""On a GPU: masks that hide whole blocks of keys, forward and backward, and a model with a sliding window."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest

pytest.importorskip("triton")
torch = pytest.importorskip("torch")

from fmha_masks import MASKS, hidden_value, masked_tensors, seen
from torch.nn import functional

import tilewright.torch as tt
from tilewright import Dispatcher
from tilewright.backends.triton.fmha.algorithm import TritonFmha
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op, problem_from_dict

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU; none is here"),
]
OP = get_op("fmha")
SIZES = {"op": "fmha", "batch": 1, "heads_q": 4, "heads_kv": 2, "seqlen_q": 300, "seqlen_k": 700,
         "bias": "elementwise", "lse": True}  # fmt: skip
FAMILIES: dict[str, dict[str, Any]] = {
    "fwd": {},
    "bwd": {"family": "bwd", "dbias": True},
    "split": {"family": "fwd_splitkv", "seqlen_q": 1, "num_splits": 3},
    "capped": {"soft_cap": 2.0},
    "capped-bwd": {"family": "bwd", "dbias": True, "soft_cap": 2.0},
}
DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}


def on_gpu(p: Any, arrays: dict[str, Any]) -> dict[str, Any]:
    """The same values in the memory of the GPU."""
    made = {}
    for role, x in arrays.items():
        dtype = {"fp32": torch.float32, **DTYPES}[p.dtype_of(role)]
        made[role] = torch.from_numpy(x.astype("float32")).to("cuda", dtype)
    return made


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("hdim", [64, 128, 256])
@pytest.mark.parametrize("family", FAMILIES)
def test_hidden_blocks(family: str, hdim: int, dtype: str) -> None:
    p = problem_from_dict({**SIZES, **FAMILIES[family], "hdim_q": hdim, "dtype": dtype, "device": "cuda:0"})
    wrong, dispatcher = [], Dispatcher()
    for mask in MASKS:
        tensors = on_gpu(p, masked_tensors(problem_from_dict({**p.to_dict(), "device": "cpu"}), mask))
        for role in p.outputs:
            tensors[role].fill_(float("nan"))
        dispatcher.run(p, **tensors)
        torch.cuda.synchronize()
        found = OP.verify(p, tensors, tensors[p.outputs[0]], tier="float64")
        if not found.ok:
            wrong.append(f"{mask}: error {found.error:.3g} > {found.tolerance:.3g} at {found.spot}")
    assert not wrong, wrong


HOPPER = {
    "plain": {"seqlen_k": 704},
    "causal": {"seqlen_k": 704, "mask": "causal_bottom_right", "bias_heads": 4},
    "window": {"seqlen_q": 128, "seqlen_k": 136, "batch": 2, "bias_batch": 2, "mask": "window", "window_left": 40,
               "window_right": 3},
}  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("hdim", [64, 192])
@pytest.mark.parametrize("mask", HOPPER)
def test_lists_of_blocks_on_hopper(mask: str, hdim: int, dtype: str) -> None:
    """The pipeline that walks along lists, by itself: selection takes others for problems as small as these."""
    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("needs a GPU of sm_90")
    p = problem_from_dict({**SIZES, **HOPPER[mask], "hdim_q": hdim, "dtype": dtype, "device": "cuda:0"})
    algorithm = TritonFmha(128, 64 if hdim > 128 else 128, 8, 2, pipeline="hopper")
    spec, wrong, dispatcher = KernelSpec("fmha", "triton", "sm_90", p.signature, algorithm), [], Dispatcher()
    for name, only in zip(MASKS, cycle((True, False)), strict=False):
        arrays = masked_tensors(problem_from_dict({**p.to_dict(), "device": "cpu"}), name, only=only)
        tensors = on_gpu(p, arrays)
        for role in p.outputs:
            tensors[role].fill_(float("nan"))
        dispatcher.bind_to(Candidate(spec, Launch()), p, **tensors)()
        torch.cuda.synchronize()
        found = OP.verify(p, tensors, tensors[p.outputs[0]], tier="float64")
        if not found.ok:
            wrong.append(f"{name}, {only}: error {found.error:.3g} > {found.tolerance:.3g} at {found.spot}")
    assert not wrong, wrong


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("hdim", [64, 128])
@pytest.mark.parametrize("boolean", [False, True])
def test_sdpa_with_hidden_blocks(boolean: bool, hdim: int, dtype: str) -> None:
    """torch's function and its gradients in float64 are the answer, rows without keys included."""
    rows, keys, kind = 260, 260, DTYPES[dtype]
    torch.manual_seed(0)
    q, k, v, slope = (torch.randn(2, 4, rows, hdim, device="cuda", dtype=kind) for _ in range(4))
    for name in MASKS:
        if boolean and name.startswith("lowest"):
            continue
        shown = torch.from_numpy(seen(name, rows, keys).copy()).cuda()
        hidden = torch.zeros(rows, keys, device="cuda", dtype=kind).masked_fill(~shown, hidden_value(name, dtype))
        found = []
        for function, wide in ((tt.sdpa, kind), (functional.scaled_dot_product_attention, torch.float64)):
            leaves = [x.detach().to(wide).requires_grad_() for x in (q, k, v)]
            mask = shown if boolean else hidden.to(wide)
            with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
                out = function(*leaves, attn_mask=mask)
            found.append((out, *torch.autograd.grad(out, leaves, slope.to(wide))))
        for got, want in zip(*found, strict=True):
            # With a single visible key the gradients of q and k are zero: errors are relative to what came in.
            least = 1e-2 * float(slope.double().norm())
            error = float(((got.detach().double() - want).norm() / want.norm().clamp(min=least)).detach())
            assert error < {"fp16": 2e-3, "bf16": 1.2e-2}[dtype], (name, error)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_patched_mistral_with_a_sliding_window(dtype: str) -> None:
    """Left-padded prompts, and a window that hides the first blocks of keys from most rows."""
    transformers = pytest.importorskip("transformers")
    tt.register_attention()
    config = transformers.MistralConfig(
        vocab_size=128, hidden_size=256, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=1024, sliding_window=64,
    )  # fmt: skip
    torch.manual_seed(0)
    model = transformers.MistralForCausalLM(config).to("cuda", DTYPES[dtype])
    ids = torch.randint(0, 128, (2, 600), device="cuda")
    padding = torch.ones_like(ids)
    padding[1, :350] = 0
    found = {}
    for name in ("eager", "tilewright", "patched"):
        model.set_attn_implementation("sdpa" if name == "patched" else name)
        model.zero_grad()
        patched = tt.patch(model) if name == "patched" else None
        out = model(ids, attention_mask=padding, labels=ids.masked_fill(padding == 0, -100))
        out.loss.backward()
        if patched is not None:
            patched.undo()
        logits = out.logits[padding.bool()].float().detach()
        slope = torch.cat([x.grad.flatten().float() for x in model.parameters() if x.grad is not None])
        assert logits.isfinite().all(), name
        assert slope.isfinite().all(), name
        found[name] = (logits, slope)
    for name in ("tilewright", "patched"):
        for got, want in zip(found[name], found["eager"], strict=True):
            assert (got - want).norm() < 5e-2 * want.norm(), name
