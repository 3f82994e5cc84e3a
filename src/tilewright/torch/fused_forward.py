"""The forward pass of a fused module, used as long as the module is what was fused.

Each call compares the module with its state (`state.py`). Other values of weights are folded again. If anything else
has changed, and in training or where gradients are wanted, the module's own forward pass runs.
"""

from __future__ import annotations

import inspect
from types import MethodType
from typing import Any

import torch
from torch import fx, nn

from .captures import keep_if_captured
from .chains import attribute
from .checksums import checksum
from .fused import Fused
from .report import Report
from .state import State, stamp_of
from .takers import Undo
from .ways import PLAIN_TYPES, TRANSFORMED, is_transformed

Tensor = torch.Tensor
MISSING = object()


class FusedForward:
    """A rewritten graph of a module, and what it was made from. `live` are submodules that it calls as they are."""

    def __init__(
        self, path: str, module: nn.Module, traced: fx.GraphModule, layers: list[Fused], live: list[nn.Module]
    ) -> None:
        self.path, self.module, self.traced, self.layers, self.live = path, module, traced, layers, live
        (self.argument,) = inspect.signature(module.forward).parameters
        self.attributes = [str(n.target) for n in traced.graph.nodes if n.op == "get_attr"]
        self.is_active = self.is_stale = False

    def install(self, report: Report) -> Undo:
        """Put this into the module, and return the function that takes it out."""
        for layer in self.layers:
            layer.report = report
        self.report, self.is_active = report, True
        module, run = self.module, self.traced.forward

        def forward(model: Any, *args: Any, **options: Any) -> Any:
            x = self.input_of(args, options)
            if model is module and x is not MISSING and self.is_active and report.fuses and self.is_fused(x):
                found = run(x)
                keep_if_captured(report, self.layers)  # after the call: a weight may have got another format in it
                return found
            return type(model).forward(model, *args, **options)  # also that of a copy, which has its own weights

        installed = module.forward = MethodType(forward, module)
        self._renew(refolds=False)

        def undo() -> None:
            self.is_active = False
            if module.__dict__.get("forward") is installed:
                del module.forward

        return undo

    def _renew(self, refolds: bool = True) -> None:
        """Make the weights anew from those of the model.

        The state is read before, so that a later change shows, and is kept afterwards, so that no other thread takes
        the weights for new ones before they are.
        """
        changes, sources = self.report.changes, self._sources()
        state = State(self.module, self.live, sources)
        checked = checksum(sources) if self.report.verify_every else None
        for layer in self.layers if refolds else ():
            layer.refold()
        for path in self.attributes:
            self._bind(path, attribute(self.module, path))
        self.parameters = [m._parameters for m in self.module.modules()]
        self.checksum, self.changes, self.calls, self.is_stale = checked, changes, 0, False
        self.state = state

    def _sources(self) -> list[Tensor]:
        return [tensor for layer in self.layers for tensor in layer.fold.sources()]

    def input_of(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Return the one argument of a call; MISSING if the call is wrong, which the module itself reports."""
        if len(args) + len(options) != 1:
            return MISSING
        return args[0] if args else options.get(self.argument, MISSING)

    def is_fused(self, x: Any) -> bool:
        """Return whether the fused forward pass computes this call; its weights are those of the model then."""
        if self.module.training:
            self.is_stale = True  # the weights may change now: they are folded again afterwards
            return False
        if torch.compiler.is_compiling():
            return not (torch.is_grad_enabled() and getattr(x, "requires_grad", False)) and self.compiles()
        if is_transformed():  # a trace would keep folded weights, and not those of the model
            return self._leave(TRANSFORMED)
        return self.holds(x)

    def compiles(self) -> bool:
        """Return `holds` for a compiler, which calls this once for a graph."""
        return self.holds(None)

    # What `torch.compiler.assume_constant_result` does; that imports the compiler, which takes seconds.
    compiles._dynamo_marked_constant = True  # type: ignore[attr-defined]

    def holds(self, x: Any) -> bool:
        """Compare the module with its state, and fold weights that have changed again."""
        change = self.state.compare()
        if isinstance(change, tuple):
            change = self.state.review(change)
        if isinstance(change, tuple):
            return self._leave(f"{self.state.explain(change)}; refresh() of the patch fuses it again")
        if torch.is_grad_enabled() and self._wants_gradient(x):
            self.is_stale = True
            return self._leave("gradients are wanted, which fused layers have not; call it under torch.no_grad()")
        if change or self.is_stale or self.changes != self.report.changes or self._has_other_bytes():
            reason = next(filter(None, map(_why_unfit, self.layers)), None)
            if reason is not None:
                return self._leave(reason)
            self._renew()
        return True

    def _leave(self, reason: str) -> bool:
        self.report.note(self.path, reason)
        return False

    def _wants_gradient(self, x: Any) -> bool:
        held = (p for group in self.parameters for p in group.values())
        return getattr(x, "requires_grad", False) or any(p is not None and p.requires_grad for p in held)

    def _has_other_bytes(self) -> bool:
        """Return whether the bytes of the weights have changed, if this is a call in which they are compared."""
        every = self.report.verify_every
        self.calls += 1
        return every > 0 and self.calls % every == 0 and checksum(self._sources()) != self.checksum

    def _bind(self, path: str, value: Any) -> None:
        """Let the graph read this tensor: the module has another one than when it was traced."""
        if attribute(self.traced, path) is value:
            return
        owner, _, name = path.rpartition(".")
        part = self.traced.get_submodule(owner)
        for held in (part._parameters, part._buffers):
            held.pop(name, None)
        object.__setattr__(part, name, value)  # not the module's own, which would register it


def _why_unfit(layer: Fused) -> str | None:
    """Return why a fused layer cannot use the weights that the model has now."""
    sources = layer.fold.sources()
    if [t.shape for t in sources] != layer.shapes:
        return f"the weights of {layer.path} have other shapes"
    if any(type(t) not in PLAIN_TYPES or stamp_of(t) is None for t in sources):
        return f"a weight of {layer.path} has no version: it was made in inference mode, or a transform wraps it"
    return None
