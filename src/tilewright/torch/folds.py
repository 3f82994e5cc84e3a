"""Weights of fused layers: batch norm, or a factor per channel, folded into those of the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

Tensor = torch.Tensor
FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}


@dataclass(frozen=True)
class Fold:
    """Makes the weight and bias of a fused layer from the model as it is when this is called.

    If there is nothing to fold, they are the layer's own, not copies.

    >>> layer, norm = torch.nn.Conv1d(1, 1, 1, bias=False), torch.nn.BatchNorm1d(1).eval()
    >>> for tensor, value in ((layer.weight, 1.0), (norm.weight, 3.0), (norm.running_var, 4.0)):
    ...     _ = torch.nn.init.constant_(tensor, value)
    >>> weight, bias = Fold(layer, norm)()
    >>> round(weight.item(), 4), bias.item()
    (1.5, 0.0)
    """

    layer: Any
    norm: Any = None
    factor: Callable[[], Tensor] | None = None

    @property
    def computes(self) -> bool:
        """Whether there is something to fold."""
        return self.norm is not None or self.factor is not None

    def sources(self) -> list[Tensor]:
        """Return the tensors of the model that count, as they are now."""
        found = [self.layer.weight, self.layer.bias]
        if self.norm is not None:
            found += [self.norm.weight, self.norm.bias, self.norm.running_mean, self.norm.running_var]
        if self.factor is not None:
            found.append(self.factor())
        return [t for t in found if t is not None]

    @torch.inference_mode(False)  # a tensor of inference mode could be written in that mode only
    @torch.no_grad()
    def __call__(self) -> tuple[Tensor, Tensor | None]:
        """Return the weight and the bias."""
        weight: Tensor = self.layer.weight.detach()
        bias: Tensor | None = None if self.layer.bias is None else self.layer.bias.detach()
        shift: Tensor | None
        if self.norm is not None:
            scale, shift = _line(self.norm, bias)
        elif self.factor is not None:
            scale = self.factor().detach().float().flatten()
            shift = None if bias is None else bias.float() * scale
        else:
            return weight, bias
        folded = (weight.float() * scale.reshape(-1, *(1 for _ in weight.shape[1:]))).to(weight.dtype)
        if weight.dim() in FORMATS and weight.is_contiguous(memory_format=FORMATS[weight.dim()]):
            folded = folded.contiguous(memory_format=FORMATS[weight.dim()])
        return folded, None if shift is None else shift.to(weight.dtype)


def _line(norm: Any, bias: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return the factor and the summand of batch norm in evaluation mode, after a layer with this bias."""
    scale = (norm.running_var.float() + norm.eps).rsqrt()
    if norm.weight is not None:
        scale = scale * norm.weight.float()
    mean = norm.running_mean.float() - (0.0 if bias is None else bias.float())
    shift = -mean * scale
    return scale, shift if norm.bias is None else shift + norm.bias.float()
