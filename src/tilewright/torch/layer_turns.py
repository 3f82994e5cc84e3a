"""Layers that torch computes faster are left to torch: their first calls take turns (`Turns`).

A layer is compared as the program calls it, with everything around the kernel; in training together with its backward
pass (`StepClock`). Layers that do the same work, as those of a model's equal blocks, are compared together: their calls
decide that many times earlier. The report of the patch says which side was faster, and how much.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeGuard

import torch
from torch import nn
from torch.nn.modules import module as torch_module

from ..dispatcher.contest import BETTER, Turns
from ..dispatcher.policy import runs_must_agree
from ..frontends import default
from .hooks import HOOKS
from .report import Report
from .step_clock import StepClock
from .ways import is_transformed

if TYPE_CHECKING:
    from ..dispatcher import Dispatcher

Tensor = torch.Tensor
STRIDED = torch.strided
MAX_KINDS = 4096  # kinds of calls that are remembered; calls of further kinds are ours
OURS, TORCHS = "ours", "torch"
TRAINS, INFERS, CASTS, APART = "trains", "infers", "infers under autocast", "is compared with no other"  # modes
PLACES = frozenset({"cpu", "cuda"})  # devices on which calls are compared
PLAIN = (bool, int, float, str)  # attributes of a layer that say what it computes, also in tuples
LEFT = "tilewright_left"  # of a layer: a list of what says which kind its latest call was that torch computed
OWN = ("tilewright_path", LEFT)  # but for those that say which layer it is
PARAMETERS = frozenset({"weight", "bias"})
GLOBAL_HOOKS = [getattr(torch_module, f"_global{name}") for name in HOOKS]
is_compiling = torch.compiler.is_compiling
is_grad_enabled = torch.is_grad_enabled
saved_tensors_hooks = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", lambda _: "unknown")
any_autocast = torch._C._is_any_autocast_enabled
tracing_state = torch._C._get_tracing_state
is_deterministic = torch._C._get_deterministic_algorithms  # what was measured does not count then


def faster(
    layer: Any, input: Any, ours: Callable[[Any], Any], torchs: Callable[[Any], Any], more: tuple[Any, ...] = ()
) -> Any:
    """Return the result of a taken layer by the side that is faster for inputs like this one, as far as that is known.

    `more` is what the time of a call depends on besides its input.

    >>> from types import SimpleNamespace
    >>> faster(SimpleNamespace(tilewright_report=None), 2, lambda x: x + 1, lambda x: x - 1)
    3
    """
    report: Report | None = layer.tilewright_report
    if report is None or is_compiling() or not is_plain(input) or is_transformed():
        return ours(input)
    mode = mode_now(input.requires_grad)
    if mode is APART:
        return ours(input)
    path: str = layer.tilewright_path
    key = (path, *kind_of(input), mode, *more)
    state = report.table.get(key)
    if state is None:
        state = begun(report, key, path, "x".join(map(str, input.shape)), input, layer)
    if state is OURS or is_deterministic():
        return ours(input)
    if state is TORCHS:
        if not more:
            note_left(layer, report, input, mode)
        return torchs(input)
    return state(input, ours, torchs)


def is_plain(input: Any) -> TypeGuard[Tensor]:
    """Return whether an input is an ordinary tensor: no subclass, not sparse, no rows of different lengths.

    >>> is_plain(torch.ones(2)), is_plain(torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]))
    (True, False)
    """
    return type(input) is Tensor and input.layout is STRIDED and not input.is_nested


def kind_of(input: Tensor) -> tuple[Any, ...]:
    """Return what the time of a call depends on as far as its input says.

    >>> kind_of(torch.ones(2, 3).mT)
    (torch.Size([3, 2]), torch.float32, device(type='cpu'), False)
    """
    return input.shape, input.dtype, input.device, input.is_contiguous()


def mode_now(wants: bool) -> str:
    """Return the mode that calls are in: a decision in one of them says nothing about the others.

    A step of training may be measured if its input `wants` a gradient, and nobody looks at saved tensors: a checkpoint
    computes a layer twice, and both times the same tensors must be saved. Under autocast torch keeps converted weights
    from one layer to the next, which depends on more than this layer.

    >>> mode_now(True), mode_now(False)
    ('trains', 'is compared with no other')
    """
    if not is_grad_enabled():
        return CASTS if any_autocast() else INFERS
    return TRAINS if wants and not any_autocast() and saved_tensors_hooks(True) is None else APART


def note_left(layer: Any, report: Report, input: Tensor, mode: str) -> None:
    """Let `is_left` know the kind of a call that torch computes; a copy with another report decides anew."""
    known = vars(layer).get(LEFT)
    if known is not None:
        known[:] = (*kind_of(input), mode, id(report.table))


def is_left(layer: dict[str, Any], input: Any) -> bool:
    """Return whether torch computes this call of a layer, and nobody else has to see it: no hook, no tracer.

    `layer` is the layer's `__dict__`. Such a call reaches torch's function with fewer steps between than in torch.

    >>> is_left(vars(nn.Linear(2, 2)), torch.ones(1, 2))
    False
    """
    known = layer.get(LEFT)
    if not known or not is_plain(input) or input.shape != known[0] or input.dtype is not known[1]:
        return False
    if input.device != known[2] or input.is_contiguous() is not known[3]:
        return False
    if mode_now(input.requires_grad) is not known[4] or tracing_state() is not None:
        return False
    if is_deterministic() or any(GLOBAL_HOOKS) or layer.get("_compiled_call_impl") is not None or "forward" in layer:
        return False
    if not layer["_parameters"].keys() >= PARAMETERS:  # one of them is a plain attribute by now
        return False
    hooks = layer["_forward_hooks"] or layer["_forward_pre_hooks"] or layer["_backward_hooks"]
    return not (hooks or layer["_backward_pre_hooks"]) and id(layer["tilewright_report"].table) == known[5]


def work_of(layer: nn.Module) -> tuple[Any, ...]:
    """Return what a layer's time depends on besides its input: its class, its plain attributes, its parameters' shapes.

    >>> work_of(nn.Linear(2, 3)) == work_of(nn.Linear(2, 3)), work_of(nn.Linear(2, 3)) == work_of(nn.Linear(3, 2))
    (True, False)
    """
    plain = {name: value for name, value in vars(layer).items() if _is_setting(value) and name not in OWN}
    held = [None if p is None else kind_of(p) if p.layout is STRIDED else p.layout for p in layer._parameters.values()]
    return type(layer), *sorted(plain.items()), *held


def _is_setting(value: Any) -> bool:
    return isinstance(value, PLAIN) or (type(value) is tuple and all(map(_is_setting, value)))


def begun(report: Report, key: Any, path: str, shape: str, input: Tensor, layer: nn.Module | None = None) -> Any:
    """Return the state of a kind of call that is new: taking turns, or ours if nothing may be compared.

    Calls of layers that do the same work take turns together.
    """
    dispatcher = default.made or default.default_dispatcher()
    settings = dispatcher.settings
    if dispatcher.is_rehearsing or len(report.turns) >= MAX_KINDS:
        return OURS
    if not settings.vendor or input.device.type not in PLACES or runs_must_agree(settings):
        report.turns[key] = OURS
        return OURS
    work = key if layer is None else (*work_of(layer), *key[1:])
    if work not in report.contests:
        device = str(input.device)
        clock = StepClock(device) if is_grad_enabled() else None
        report.contests[work] = LayerTurns(report, device, clock, dispatcher)
    what = f"in training, input {shape}" if is_grad_enabled() else f"input {shape}"
    return report.contests[work].join(key, path, what)


class LayerTurns:
    """Calls that do the same work and take turns; in training their input is seen by the clock."""

    def __init__(self, report: Report, device: str, clock: StepClock | None, dispatcher: Dispatcher) -> None:
        self._report, self._clock = report, clock
        self._members: dict[Any, tuple[str, str]] = {}  # layers that take part, and what the report says of their calls
        self._seconds: tuple[float, float] | None = None
        self._over = False
        self._turns = Turns(
            device,
            self._decided,
            lambda: dispatcher.is_rehearsing or runs_must_agree(dispatcher.settings),
            clock,
            lambda: dispatcher.wait_for_builds(0),
        )

    def join(self, key: Any, path: str, what: str) -> Any:
        """Return the state of one more layer's calls, and keep it in the report: this, or the side that has won."""
        self._report.turns[key] = self
        self._members[key] = path, what
        if self._over:
            self._settle(key)
        elif self._clock is not None:
            self._clock.members = len(self._members)
        return self._report.turns[key]

    def __call__(self, input: Any, ours: Callable[[Any], Any], torchs: Callable[[Any], Any]) -> Any:
        """Return what one of both returns."""
        clock = self._clock
        if self._turns.rests():
            return ours(input)
        if clock is None:
            return self._turns.take_turn(lambda: ours(input), lambda: torchs(input))
        return self._turns.take_turn(lambda: ours(clock.entered(input)), lambda: torchs(clock.entered(input)))

    def _decided(self, seconds: tuple[float, float] | None) -> bool:
        self._over, self._seconds = True, seconds
        for key in list(self._members):
            self._settle(key)
        return self._torch_wins

    @property
    def _torch_wins(self) -> bool:
        """Whether the layers are left to torch: if it is faster by a margin, in training also if ours is not.

        A step has more around a kernel of ours than was measured: an autograd function in Python.
        """
        if self._seconds is None:
            return False
        own, other = self._seconds
        return other < BETTER * own or (self._clock is not None and not own < BETTER * other)

    def _settle(self, key: Any) -> None:
        """Record who computes the calls of a layer from now on."""
        (path, what), seconds, wins = self._members[key], self._seconds, self._torch_wins
        if seconds is not None and wins:
            times = f"{seconds[1] * 1e3:.3f} against {seconds[0] * 1e3:.3f} ms"
            how = "faster" if seconds[1] < BETTER * seconds[0] else "as fast"
            self._report.leave(path, f"torch is {how} here: {times} ({what})")
        self._report.turns[key] = TORCHS if wins else OURS
