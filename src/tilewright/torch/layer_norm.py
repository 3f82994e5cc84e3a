"""Layer norm over few columns, as ConvNeXt has it over channels: several rows in each program of the GPU.

torch gives each row a block of threads, most of which idle if the row is short. Rows of more than `MAX_COLUMNS`
numbers, tensors on the host and calls that are traced stay torch's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import torch
from torch import fx, nn
from torch.nn import functional

from .chains import attribute
from .fitness import DTYPES
from .hooks import is_watched
from .ways import PLAIN_TYPES, can_use_memo

Tensor = torch.Tensor
PLACES = frozenset({"cuda"})
MAX_COLUMNS = 512
ELEMENTS = 2048  # of one program
WARPS = 4


def why_torchs(norm: Any) -> str | None:
    """Return why a layer norm stays torch's; None if the kernel computes it.

    >>> why_torchs(nn.LayerNorm(8))
    'it is on cpu, where torch computes it'
    """
    if len(norm.normalized_shape) != 1 or norm.weight is None or norm.bias is None:
        return "it has no weight and bias of one dimension"
    if norm.normalized_shape[0] > MAX_COLUMNS:
        return f"rows of {norm.normalized_shape[0]} numbers are long enough for torch's own kernel"
    if norm.weight.device.type not in PLACES:
        return f"it is on {norm.weight.device.type}, where torch computes it"
    return None if find_spec("triton") is not None else "Triton, which compiles its kernel, is not installed"


def layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Tensor:
    """Return `torch.nn.functional.layer_norm`, by a kernel for short rows if it can compute this call.

    >>> layer_norm(torch.tensor([[1.0, 3.0]]), (2,), eps=0.0).tolist()
    [[-1.0, 1.0]]
    """
    x = input
    if not _fits(x, normalized_shape, weight, bias):
        return functional.layer_norm(x, list(normalized_shape), weight, bias, eps)
    from .layer_norm_kernel import normalise

    columns = x.shape[-1]
    width = 1 << (columns - 1).bit_length()
    rows, together = x.numel() // columns, max(1, ELEMENTS // width)
    out = torch.empty_like(x)
    with _on_device_of(x):
        normalise[(-(-rows // together),)](x, weight, bias, out, rows, columns, eps, together, width, num_warps=WARPS)
    return out


def _on_device_of(x: Tensor) -> Any:
    """Return a context in which Triton launches on the GPU of `x`."""
    here = not x.is_cuda or x.device.index == torch.cuda.current_device()
    return nullcontext() if here else torch.cuda.device(x.device)


def _fits(x: Tensor, shape: Sequence[int], weight: Any, bias: Any) -> bool:
    if x.device.type not in PLACES or weight is None or bias is None or len(shape) != 1 or not can_use_memo():
        return False
    same = x.dtype is weight.dtype is bias.dtype and x.dtype in DTYPES and type(x) in PLAIN_TYPES
    short = x.shape[-1] == shape[0] <= MAX_COLUMNS and 0 < x.numel() < 1 << 31
    dense = x.is_contiguous() and weight.is_contiguous() and bias.is_contiguous()
    return same and short and dense and tuple(weight.shape) == tuple(bias.shape) == (shape[0],)


class FusedLayerNorm(nn.Module):
    """A layer norm of the model, computed by `layer_norm`; it has no weights of its own."""

    def __init__(self, norm: nn.LayerNorm) -> None:
        super().__init__()
        self.norm = (norm,)  # in a tuple: its weights stay those of the model

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalised rows."""
        norm = self.norm[0]
        return layer_norm(x, norm.normalized_shape, norm.weight, norm.bias, norm.eps)


def take_norms(traced: fx.GraphModule) -> Iterator[str]:
    """Let `layer_norm` compute the layer norms of a traced module that it can; yield their paths.

    A model calls them as modules, or as the function, with weights of its own.
    """
    for node in list(traced.graph.nodes):
        if node.op == "call_module":
            norm = traced.get_submodule(str(node.target))
            if type(norm) is nn.LayerNorm and why_torchs(norm) is None and not is_watched(norm):
                path = str(node.target)
                node.target = f"tilewright_norm_{path.replace('.', '_')}"
                traced.add_submodule(node.target, FusedLayerNorm(norm))
                yield path
        elif node.target is functional.layer_norm and _why_torchs_call(traced, node) is None:
            node.target = layer_norm
            yield str(_given(node)["weight"].target).rpartition(".")[0]


def _given(node: fx.Node) -> dict[str, Any]:
    """Return the arguments of a call of the function by their names."""
    names = ("input", "normalized_shape", "weight", "bias", "eps")
    return {"weight": None, "bias": None, **dict(zip(names, node.args, strict=False)), **node.kwargs}


def _why_torchs_call(traced: fx.GraphModule, node: fx.Node) -> str | None:
    """Return why a call of the function stays torch's."""
    given = _given(node)
    weights = [given["weight"], given["bias"]]
    if not all(isinstance(w, fx.Node) and w.op == "get_attr" for w in weights):
        return "its weights are computed, or missing"
    weight, bias = (attribute(traced, str(w.target)) for w in weights)
    return why_torchs(SimpleNamespace(normalized_shape=given["normalized_shape"], weight=weight, bias=bias))
