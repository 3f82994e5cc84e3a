"""What the zoo holds: entries with a model and its inputs, and weights in which an error shows.

Published nets repeat blocks. `shorten` keeps two of each run, so that a net of a billion parameters runs in seconds; it
still has every kind of layer, at its own width. Weights are random: with those of the constructors, attention is nearly
uniform, scales of layers are 1e-6, and statistics of batch norm are 0 and 1, so that much could go wrong unseen.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import torch
from torch import fx, nn

KEPT_BLOCKS = 2
Tensor = torch.Tensor


def call(model: nn.Module, inputs: Any) -> Any:
    """Return the result of a model for a mapping or a sequence of arguments."""
    return model(**inputs) if isinstance(inputs, Mapping) else model(*inputs)


@dataclass(frozen=True)
class Entry:
    """A model of the zoo. `forward` and `step` return what is compared, in evaluation and in training mode."""

    name: str
    make: Callable[[], nn.Module]
    inputs: Callable[[], Any]
    forward: Callable[[nn.Module, Any], Any] = call
    step: Callable[[nn.Module, Any], Any] | None = call
    prompt: Callable[[], dict[str, Tensor]] | None = None  # of `generate`
    shortens: bool = False


def prepared(entry: Entry, full: bool = False) -> nn.Module:
    """Return the model of an entry in fp32, the same one in every process."""
    torch.manual_seed(0)
    model = entry.make()
    calm(model)
    if entry.shortens and not full:
        shorten(model)
    fill(model)
    return model


def calm(model: nn.Module) -> None:
    """Switch off everything that draws random numbers in a training step."""
    for module in model.modules():
        if isinstance(module, nn.modules.dropout._DropoutNd) or type(module).__name__ == "StochasticDepth":
            module.p = 0.0


def shorten(model: nn.Module) -> None:
    """Keep two of each run of equal blocks in a row."""
    if any(isinstance(module, fx.GraphModule) for module in model.modules()):
        return  # its graph calls every block by its path
    for module in list(model.modules()):
        if isinstance(module, (nn.Sequential, nn.ModuleList)):
            for index in reversed(_repeated([repr(child) for child in module])):
                if next(module[index].parameters(), None) is not None:
                    del module[index]


def _repeated(names: Sequence[str]) -> list[int]:
    """Return the positions after the second of each run of equal names.

    >>> _repeated(["a", "b", "b", "b", "b", "a"])
    [3, 4]
    """
    found, start = [], 0
    for _, run in groupby(names):
        length = len(list(run))
        found += range(start + KEPT_BLOCKS, start + length)
        start += length
    return found


@contextlib.contextmanager
def no_init() -> Iterator[None]:
    """Let `torch.nn.init` do nothing: `fill` sets every weight, and large nets take long to initialise."""
    names = [name for name in vars(nn.init) if name.endswith("_") and not name.startswith("_")]
    kept = {name: getattr(nn.init, name) for name in names}
    for name in names:
        setattr(nn.init, name, lambda tensor, *_, **__: tensor)
    try:
        yield
    finally:
        for name, function in kept.items():
            setattr(nn.init, name, function)


@torch.no_grad()
def fill(model: nn.Module, seed: int = 1) -> None:
    """Give a model weights that keep the size of its activations, and statistics of batch norm that are not trivial."""
    generator = torch.Generator().manual_seed(seed)

    def noise(like: Tensor, scale: float, mean: float = 0.0) -> None:
        like.copy_(torch.randn(like.shape, generator=generator) * scale + mean)

    for module in model.modules():
        kind = type(module).__name__
        for name, parameter in module.named_parameters(recurse=False):
            if not parameter.is_floating_point() or not parameter.numel():
                continue
            if name == "bias" or name.endswith("_bias"):
                noise(parameter, 0.1)
            elif "Norm" in kind and name == "weight":
                noise(parameter, 0.1, 1.0)
            elif isinstance(module, nn.Embedding):
                noise(parameter, 0.5)
            elif parameter.dim() >= 2 and _is_matrix(module, name):
                noise(parameter, math.sqrt(1.5 / max(1, _fan_in(module, parameter))))
            elif not _is_set(parameter):
                noise(parameter, 0.2)
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.running_mean is not None:
            noise(module.running_mean, 0.1)
            module.running_var.copy_(torch.rand(module.running_var.shape, generator=generator) + 0.5)


def _is_matrix(module: nn.Module, name: str) -> bool:
    return isinstance(module, (nn.Linear, nn.modules.conv._ConvNd)) or name == "in_proj_weight" or (
        type(module).__name__ == "Conv1D")  # fmt: skip


def _fan_in(module: nn.Module, weight: Tensor) -> int:
    if isinstance(module, nn.modules.conv._ConvTransposeNd):
        return weight.shape[0] // module.groups
    return weight.shape[0] if type(module).__name__ == "Conv1D" else weight[0].numel()


def _is_set(parameter: Tensor) -> bool:
    """Return whether a weight of no known kind has values of its own: finite, not all alike, not tiny."""
    low, high = parameter.aminmax()
    return bool(low.isfinite() and high.isfinite() and low != high and 1e-3 < max(-low, high) < 1e3)


def converted(tree: Any, dtype: torch.dtype | None = None, device: str | None = None) -> Any:
    """Return nested inputs with their floating tensors in another dtype, and all tensors on another device."""
    if isinstance(tree, Tensor):
        return tree.to(device=device, dtype=dtype if tree.is_floating_point() else None)
    if isinstance(tree, Mapping):
        return {name: converted(value, dtype, device) for name, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(converted(value, dtype, device) for value in tree)
    return tree


def floats(tree: Any, path: str = "") -> Iterator[tuple[str, Tensor]]:
    """Return the floating tensors of a nested result by their paths. Caches and other objects are left out."""
    if isinstance(tree, Tensor):
        if tree.is_complex():
            tree = torch.view_as_real(tree)
        if tree.is_floating_point() and tree.numel():
            yield path, tree
    elif isinstance(tree, Mapping):
        for name, value in tree.items():
            yield from floats(value, f"{path}.{name}".lstrip("."))
    elif isinstance(tree, (list, tuple)):
        for i, value in enumerate(tree):
            yield from floats(value, f"{path}.{i}".lstrip("."))
