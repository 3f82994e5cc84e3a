"""Takers: each looks through a model for what it computes, and says why it leaves the rest.

`patch` asks a table of takers in turn; the first that takes a path has it. A taker may look at single layers, as those
here do, or at patterns of several layers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

from torch import nn

from . import op_gelu, op_sdpa
from .fitness import DEVICES, DTYPES
from .layer_turns import LEFT
from .modules import Taken, TakenConv, TakenConvTranspose, TilewrightLayerNorm, TilewrightLinear, taken_class
from .multihead import TakenMultihead
from .report import Report

Undo = Callable[[], None]
OWN_ATTRIBUTES = ("tilewright_path", "tilewright_report", "tilewright_calls", LEFT, "_tilewright_packed")


@dataclass(frozen=True)
class Claim:
    """What a taker found: the layers at `paths`, taken by `apply`, or left for a `reason`.

    `apply` changes the model and returns the function that changes it back. The first path names the claim.
    """

    paths: tuple[str, ...]
    kind: str
    reason: str | None = None
    apply: Callable[[Report], Undo] | None = None


class Taker(Protocol):
    """Finds what it can compute in a model."""

    @property
    def name(self) -> str:
        """Name of the taker, for the report and for `only`."""

    def claims(self, model: nn.Module) -> Iterator[Claim]:
        """Return a claim for everything in the model that is of this taker's kind, taken or left."""


@dataclass(frozen=True)
class LayerTaker:
    """Takes layers of some classes of torch by changing their class."""

    name: str
    kinds: tuple[type, ...]
    base: type
    why_not: Callable[[Any], str | None]
    methods: tuple[str, ...] = ("forward", "__call__")

    def claims(self, model: nn.Module) -> Iterator[Claim]:
        """Return a claim for every layer of these classes."""
        for path, layer in model.named_modules():
            if isinstance(layer, self.kinds):
                reason = self._why_left(layer)
                kind = type(layer).__name__
                yield Claim((path,), kind, reason, None if reason else self._applier(path, layer))

    def _why_left(self, layer: Any) -> str | None:
        if isinstance(layer, Taken):
            return "it is patched already"
        kind = next(k for k in self.kinds if isinstance(layer, k))
        for method in self.methods:
            if method in layer.__dict__ or getattr(type(layer), method) is not getattr(kind, method):
                return f"its {method} is not torch's"
        if any(isinstance(p, nn.parameter.UninitializedParameter) for p in layer.parameters(recurse=False)):
            return "its weight has no shape before its first call"
        if any(type(p) is not nn.Parameter for p in layer.parameters(recurse=False)):
            return "its weight is a tensor subclass"
        if nn.utils.parametrize.is_parametrized(layer):
            return "its weight is parametrized"
        return self.why_not(layer)

    def _applier(self, path: str, layer: Any) -> Callable[[Report], Undo]:
        kind = type(layer)

        taken = taken_class(kind, self.base)

        def apply(report: Report) -> Undo:
            layer.__class__ = taken
            layer.tilewright_path, layer.tilewright_report = path, report
            layer.tilewright_start()

            def undo() -> None:
                _give_back(layer, taken, kind)
                for name in OWN_ATTRIBUTES:
                    vars(layer).pop(name, None)

            return undo

        return apply


def _give_back(layer: Any, taken: type, kind: type) -> None:
    """Give a layer torch's own class again, also below the class that torch puts on top to parametrize a weight."""
    if issubclass(type(layer), taken):
        layer.__class__ = kind if type(layer) is taken else _based_on(kind, type(layer))


def _based_on(kind: type, changed: type) -> type:
    """Return the class that torch put in the place of a taken one, of torch's own layer."""
    own = {name: value for name, value in vars(changed).items() if name not in ("__dict__", "__weakref__")}
    return type(changed.__name__.replace("Tilewright", ""), (kind,), own)


class RowsTaker:
    """Lets the C launcher compute layer norms and GELU of few numbers, in a model on the CPU.

    All others stay torch's. The report has a line for them as soon as one was computed.
    """

    name = "rows"

    def claims(self, model: nn.Module) -> Iterator[Claim]:
        """Return one claim without paths, if the model is on the CPU."""
        if any(p.device.type != "cpu" for p in model.parameters()):
            return

        def apply(report: Report) -> Undo:
            layers = [layer for layer in model.modules() if type(layer) is nn.LayerNorm and _is_plain_norm(layer)]
            for layer in layers:
                layer.__class__ = TilewrightLayerNorm
            op_gelu.install(report)

            def undo() -> None:
                for layer in layers:
                    _give_back(layer, TilewrightLayerNorm, nn.LayerNorm)
                op_gelu.remove(report)

            return undo

        yield Claim((), "LayerNorm", None, apply)


def _is_plain_norm(layer: nn.LayerNorm) -> bool:
    held = [p for p in (layer._parameters.get("weight"), layer._parameters.get("bias")) if p is not None]
    return "forward" not in layer.__dict__ and all(type(p) is nn.Parameter and p.device.type == "cpu" for p in held)


class AttentionTaker:
    """Takes `torch.nn.functional.scaled_dot_product_attention`, for every caller in the process."""

    name = "attention"

    def claims(self, model: nn.Module) -> Iterator[Claim]:
        """Return one claim: the function belongs to no layer, so only a call shows whether the model has any."""
        called = any(isinstance(layer, nn.MultiheadAttention) for layer in model.modules())

        def apply(report: Report) -> Undo:
            op_sdpa.install(report, called)
            return lambda: op_sdpa.remove(report)

        yield Claim((op_sdpa.PATH,), "function", None, apply)


class OtherTaker:
    """Takes nothing: names the layers with matrices of their own that no other taker knows, LSTM for instance."""

    name = "other"

    def claims(self, model: nn.Module) -> Iterator[Claim]:
        """Return a claim with a reason for every such layer without layers inside."""
        for path, layer in model.named_modules():
            if isinstance(layer, (*KNOWN, nn.Embedding, nn.EmbeddingBag)) or next(layer.children(), None) is not None:
                continue
            if any(_is_matrix(p) for p in layer.parameters(recurse=False)):
                yield Claim((path,), type(layer).__name__, f"tilewright has no kernel for {type(layer).__name__}")


def _is_matrix(parameter: Any) -> bool:
    return not isinstance(parameter, nn.parameter.UninitializedParameter) and parameter.dim() > 1


def weight_reason(layer: Any) -> str | None:
    """Return why the weight of a layer is left to torch; None if it is not."""
    if layer.weight.dtype not in DTYPES:
        return f"its weight is {layer.weight.dtype}".replace("torch.", "")
    if layer.weight.device.type not in DEVICES:
        return f"its weight is on {layer.weight.device.type}"
    return None


def _multihead_reason(layer: Any) -> str | None:
    return weight_reason(layer.out_proj)


CONVS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
KNOWN = (nn.Linear, nn.MultiheadAttention, *CONVS, *TRANSPOSED)
# In the order in which they are asked.
TAKERS: tuple[Taker, ...] = (
    LayerTaker("multihead", (nn.MultiheadAttention,), TakenMultihead, _multihead_reason),
    LayerTaker("conv", CONVS, TakenConv, weight_reason, ("forward", "_conv_forward", "__call__")),
    LayerTaker("conv_transpose", TRANSPOSED, TakenConvTranspose, weight_reason),
    LayerTaker("linear", (nn.Linear,), TilewrightLinear, weight_reason),
    AttentionTaker(),
    RowsTaker(),
    OtherTaker(),
)
INSIDE = (nn.MultiheadAttention,)  # layers that use the weights of their children, not the children


def without_convolutions(taker: Taker) -> Taker:
    """Return a taker that leaves convolutions, because none of their kernels declares an order of summation."""
    if not isinstance(taker, LayerTaker) or taker.kinds not in (CONVS, TRANSPOSED):
        return taker
    return replace(taker, why_not=lambda layer: "convolutions have no batch-invariant kernels")
