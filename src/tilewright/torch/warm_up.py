"""`warm_up` of a model: a rehearsal finds the problems of both passes, then everything is built at once."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from ..dispatcher import Dispatcher
from ..errors import ProblemError
from ..frontends.default import chosen
from ..model.problem import Problem
from .recorder import capture


def warm_up(
    model: nn.Module,
    example_inputs: Any,
    *,
    backward: bool | None = None,
    device: str | None = None,
    jobs: int | None = None,
    progress: Any = None,
    dispatcher: Dispatcher | None = None,
) -> list[Problem]:
    """Build in parallel every kernel that `model` needs for such inputs, forward and backward; return the problems.

    `model` is one that `patch` changed, or that calls tilewright itself. `example_inputs` is a tensor, a sequence or a
    mapping of arguments, on the device where the model will run. Nothing is computed by tilewright meanwhile; weights,
    buffers, gradients and the state of random numbers are as before. `backward` is by default what the model says:
    whether it is in training mode and has a parameter that wants a gradient. A CUDA graph can be captured afterwards.

    A model and inputs on meta tensors need no memory. `device` then says where the model will run; None is the host.
    Such a model need not be patched, and what torch computes in it counts as if it was. Packed weights, which a fused
    model keeps on the CPU, need real tensors.

    >>> from tilewright.torch import patch
    >>> net = torch.nn.Linear(8, 16)
    >>> with patch(net):
    ...     [p.label() for p in warm_up(net, torch.ones(4, 8), backward=False)]
    ['gemm 4x16x8 fp32_rcr_add-d1']
    """
    where = chosen(dispatcher)
    train = backward if backward is not None else model.training and any(p.requires_grad for p in model.parameters())
    with _unchanged(model), torch.set_grad_enabled(train):
        wanted = _posed(model, example_inputs, train, device, where)
    if not wanted and not any(_is_left(layer) for layer in model.modules()):
        raise ProblemError("the model used no kernel of tilewright", remedy="call tilewright.torch.patch(model) before")
    where.warm_up(wanted, progress, jobs)
    return wanted


def _posed(model: nn.Module, inputs: Any, train: bool, device: str | None, where: Dispatcher) -> list[Problem]:
    """Return the problems of both passes: of a rehearsal, or of a capture on tensors without memory."""
    held = [*model.parameters(), *model.buffers(), *_tensors(inputs)]
    on_meta = bool(held) and all(t.device.type == "meta" for t in held)
    if device is not None and not on_meta:
        raise ProblemError("device is for a model and inputs on meta tensors", remedy="omit it, or move all to meta")
    if on_meta:
        with capture(device=device) as found:
            _both_passes(model, inputs, train)
        return found.problems
    with where.rehearsal() as problems:
        _both_passes(model, inputs, train)
    return list(problems.values())


def _both_passes(model: nn.Module, inputs: Any, train: bool) -> None:
    found = _called(model, inputs)
    if train:
        _backward(found)


def _called(model: nn.Module, inputs: Any) -> Any:
    if isinstance(inputs, Mapping):
        return model(**inputs)
    return model(*inputs) if isinstance(inputs, (tuple, list)) else model(inputs)


def _backward(found: Any) -> None:
    """Run the backward pass of everything in a result that has one."""
    outputs = [t for t in _tensors(found) if t.requires_grad]
    if not outputs:
        raise ProblemError("no result of the model wants a gradient", remedy="pass backward=False")
    torch.autograd.backward(outputs, [torch.ones_like(t) for t in outputs])


def _is_left(layer: Any) -> bool:
    """Return whether a layer belongs to a patch that has left layers to torch because it is faster."""
    report = getattr(layer, "tilewright_report", None)
    return report is not None and bool(report.slower)


def _tensors(found: Any) -> Iterator[torch.Tensor]:
    if isinstance(found, torch.Tensor):
        yield found
    elif isinstance(found, Mapping):
        yield from _tensors(list(found.values()))
    elif isinstance(found, Sequence) and not isinstance(found, str):
        for one in found:
            yield from _tensors(one)


@contextlib.contextmanager
def _unchanged(model: nn.Module) -> Iterator[None]:
    """Restore buffers, gradients and random numbers: a rehearsal computes nothing that may stay."""
    buffers = [(b, b.detach().clone()) for b in model.buffers()]
    gradients = [(p, p.grad) for p in model.parameters()]
    gpus = sorted({t.device.index or 0 for t in (*model.parameters(), *model.buffers()) if t.is_cuda})
    for parameter, _ in gradients:
        parameter.grad = None
    try:
        with torch.random.fork_rng(gpus):
            yield
    finally:
        with torch.no_grad():
            for buffer, before in buffers:
                buffer.copy_(before)
        for parameter, grad in gradients:
            parameter.grad = grad
