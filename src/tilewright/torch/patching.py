"""`patch`: let tilewright compute the layers of a model, for a while or for good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from ..errors import ProblemError, VerificationError, check_known
from . import captures
from .fusion import FusionTaker
from .model_turns import ModelTurns
from .packed import packing
from .report import Entry, Report
from .takers import INSIDE, TAKERS, Claim, RowsTaker, Taker, Undo, without_convolutions


class Patch:
    """A patched model. `print` shows its `report`: what was taken. `undo()`, or the end of a `with`, restores it."""

    def __init__(
        self, model: nn.Module, takers: Sequence[Taker], verify_every: int = 0, invariant: bool = False
    ) -> None:
        self.model = model
        self.report = Report()
        self.report.verify_every, self.report.invariant = verify_every, invariant
        self._takers = takers
        self._undo: list[Undo] = []
        self._turns: ModelTurns | None = None
        self._stop: Undo = lambda: None
        self._take()

    def __str__(self) -> str:
        return str(self.report)

    @property
    def is_settled(self) -> bool:
        """Whether it is decided who computes each layer, for the inputs so far: no call is compared with torch's.

        >>> with patch(nn.Sequential(nn.Linear(8, 4))) as patched:
        ...     patched.is_settled
        True
        """
        return self._turns is None or self._turns.is_settled

    def stop_comparing(self) -> None:
        """Compare the whole model with torch no more, and take the hooks for that off it. Layers stay as decided.

        `torch.cuda.make_graphed_callables` takes no model with hooks.

        >>> model = nn.Sequential(nn.Linear(8, 4))
        >>> with patch(model) as patched:
        ...     patched.stop_comparing()
        ...     len(model._forward_hooks)
        0
        """
        self._stop()
        self._turns, self._stop = None, lambda: None

    def _take(self) -> None:
        try:
            self._ask_all()
        except BaseException:
            self.undo()
            raise

    def _ask_all(self) -> None:
        claimed = set(_inner_paths(self.model))
        for taker in self._takers:
            for claim in list(taker.claims(self.model)):
                if claimed.isdisjoint(claim.paths):
                    self._settle(taker, claim)
                    if claim.reason is None:
                        claimed.update(claim.paths)
        compares = not self.report.invariant and not any(isinstance(taker, FusionTaker) for taker in self._takers)
        if compares and self.report.taken and next(self.model.children(), None) is not None:
            self._turns = ModelTurns(self.report)
            self._stop = self._turns.install(self.model)
            self._undo.append(self._stop)

    def _settle(self, taker: Taker, claim: Claim) -> None:
        if claim.apply is not None:
            self._undo.append(claim.apply(self.report))
        self.report.entries += [Entry(path, claim.kind, taker.name, claim.reason) for path in claim.paths]

    def undo(self, release: bool = False) -> None:
        """Restore the model, in the reverse order; no call of it may run meanwhile. A second call changes nothing.

        A CUDA graph of the model can be replayed afterwards: fused weights that a captured graph reads stay in memory.
        `release` frees them; no such graph may be replayed then.
        """
        while self._undo:
            self._undo.pop()()
        if release:
            captures.release(self.report)

    def refresh(self) -> None:
        """Patch the model anew, as it is now: for changes that `patch` lists, and to fuse a changed model again."""
        self.undo()
        self.report.restart()
        self._turns = None
        self._take()

    def check(self, *inputs: Any, tolerance: float | None = None) -> float:
        """Return how much fusion changes the result, relative to its largest value; raise an error if it is too much.

        The default tolerance is 1e-4 for fp32 and 0.03 for 16 bits, which round every result between two layers.
        """
        with torch.no_grad():
            fused = self.model(*inputs)
            self.report.fuses = False
            try:
                plain = self.model(*inputs)
            finally:
                self.report.fuses = True
        error = float((fused - plain).abs().max() / plain.abs().max().clamp_min(1e-30))
        limit = (1e-4 if plain.dtype is torch.float32 else 0.03) if tolerance is None else tolerance
        if not error <= limit:
            raise VerificationError(f"fusion changes the result by {error:.3g}; {limit:.3g} is allowed")
        return error

    def __enter__(self) -> Patch:
        return self

    def __exit__(self, *error: Any) -> None:
        self.undo()


def patch(
    model: nn.Module,
    *,
    fuse: bool | str = False,
    verify_every: int = 1,
    only: Sequence[str] | None = None,
    invariant: bool = False,
    takers: Sequence[Taker] = TAKERS,
) -> Patch:
    """Let tilewright compute the layers of `model` that it can, and return the `Patch` with its report.

    Linear, Conv1d to 3d, ConvTranspose1d to 3d, MultiheadAttention and scaled_dot_product_attention are taken; `only`
    names some of the `takers`. LayerNorm and gelu of few fp32 numbers on the CPU, as a decoder has them, are taken
    too, unless with `fuse` or `invariant`; the report says so when it happens. Layers that torch computes faster are
    left to it, and all of them if the whole model is faster so. The model is changed in place until `undo()`, or until
    the end of a `with`. Nothing is kept of its weights.

    With `fuse`, batch norm, activations and residual adds of a model in evaluation mode go into the kernels of its
    layers, and linear layers on the CPU keep packed weights. These copies follow the model: each call compares the
    versions and addresses of the weights, all attributes, hooks and classes of the modules, and the global variables
    that their functions read. Other weights are folded again. After any other change the model's own forward pass runs,
    and the report says why. Not seen are changes that leave no trace:

    - memory written from outside of torch's operators: through `.data`, `untyped_storage()`, a NumPy array or a DLPack
      tensor of a weight, by another process (`share_memory`), or by an operator that says nothing about it;
    - objects that are no modules, containers or plain Python objects (a NumPy array as an attribute), and what
      functions outside of the model's classes read: files, the environment, C libraries;
    - any change, for a program that was compiled, exported or captured in a CUDA graph before.

    After such a change, call `refresh()` of the returned object. With `fuse="verify"`, a checksum of all bytes of the
    weights that were copied is compared too, in every `verify_every`-th call.

    With `invariant`, results of linear layers and attention do not depend on the batch (see `tilewright.gemm` and
    `tilewright.attention`). A call for which no kernel promises that is an error; torch computes none of them. The
    report names convolutions as left: nothing is promised for those, nor for gradients. It cannot be combined with
    `fuse`. The function scaled_dot_product_attention is invariant for every caller of the process meanwhile.

    >>> import torch
    >>> model = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2, dtype=torch.float64))
    >>> with patch(model, only=["linear"]) as patched:
    ...     print(patched.report)
    0  Linear  taken
    2  Linear  left: its weight is float64
    """
    if not isinstance(model, nn.Module):
        raise ProblemError(f"model is a {type(model).__name__}; it must be a torch.nn.Module")
    names = [t.name for t in takers]
    for name in only or ():
        check_known("taker", name, names)
    if fuse not in (True, False, "verify"):
        raise ProblemError(f'fuse is {fuse!r}; it must be True, False or "verify"')
    if type(verify_every) is not int or verify_every < 1:
        raise ProblemError(f"verify_every is {verify_every!r}; it must be 1 or a larger int")
    if fuse and invariant:
        raise ProblemError(
            "fuse and invariant are both given", remedy="give one: fused kernels promise no order of sums"
        )
    chosen = [t for t in takers if only is None or t.name in only]
    if not fuse and not invariant:
        return Patch(model, chosen)
    # `torch.fx` knows layers by their class; and more rows of a layer norm would be torch's, with other bits.
    chosen = [t for t in chosen if not isinstance(t, RowsTaker)]
    if invariant:
        return Patch(model, [*map(without_convolutions, chosen)], 0, invariant)
    chosen = [*map(packing, chosen)]
    return Patch(model, [*chosen, FusionTaker()], verify_every if fuse == "verify" else 0)


def _inner_paths(model: nn.Module) -> list[str]:
    """Return the layers whose weights another layer reads: their own forward pass is never called."""
    return [
        f"{path}.{name}".lstrip(".")
        for path, layer in model.named_modules()
        if isinstance(layer, INSIDE)
        for name, _ in layer.named_modules()
        if name
    ]
