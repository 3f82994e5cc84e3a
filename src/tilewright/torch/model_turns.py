"""The contest of a whole model: some of its calls run with torch's layers, until it is clear who is faster.

Layers that win alone may lose together: where a GPU waits for the host, everything around a kernel counts, and a layer
sees only its own part of it. So when the layers are decided (`layer_turns`), blocks of the model's calls are compared
as the program makes them: a call without gradients from its begin to its end, a step of training from one call to the
next, with the backward pass and the optimizer. If torch is faster, all layers are left to it for inputs of this kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from statistics import median_low
from typing import Any

import torch
from torch import nn

from ..dispatcher import contest
from ..dispatcher.clocks import is_reached, mark, seconds_between
from ..dispatcher.contest import ASKED, BETTER
from ..dispatcher.policy import captures, runs_must_agree
from ..frontends import default
from . import op_sdpa
from .layer_turns import TORCHS, can_compare, is_compiling, is_grad_enabled
from .report import Report
from .ways import is_transformed

BLOCK = 5  # calls of one side after each other
WARM = 2  # of them that are not measured: memory is allocated anew, and the host may have been ahead
BLOCKS = 4  # of each side
CLEAR = 1.1  # one block of each side is enough if one is faster by this factor
PATIENCE = 128  # calls after which the layers count as decided: some kinds of calls never come again
MAX_KINDS = 64  # of inputs; calls of further kinds stay as the layers decided


class AllTorch(dict[Any, Any]):
    """A `Report.table` in which every layer is left to torch."""

    def get(self, key: Any, default: Any = None) -> Any:
        """Return that torch computes it."""
        return TORCHS


class ModelTurns:
    """The hook in front of a patched model: says before each call who computes the layers.

    >>> from tilewright.torch import patch
    >>> model = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    >>> with patch(model), torch.no_grad():
    ...     model(torch.ones(2, 8)).shape
    torch.Size([2, 8])
    """

    def __init__(self, report: Report) -> None:
        self._report, self._torchs = report, AllTorch()
        self._kinds: dict[Any, _Blocks | None] = {}
        self._latest: _Blocks | None = None  # of the call before, or of the one that runs now

    def __deepcopy__(self, memo: Any) -> ModelTurns:
        """Return the hook itself, as a copy's layers keep their report."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return ModelTurns, (self._report,)

    def install(self, model: nn.Module) -> Callable[[], None]:
        """Put the hooks on a model; return what removes them."""
        handles = [
            model.register_forward_pre_hook(self.begin, prepend=True, with_kwargs=True),
            model.register_forward_hook(self.end),
        ]

        def remove() -> None:
            for handle in handles:
                handle.remove()
            self._switch(model, self._report.turns)

        return remove

    def begin(self, model: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Choose who computes the layers in the call that begins."""
        if is_compiling():
            return
        before, self._latest = self._latest, None
        tensors = [value for value in (*args, *kwargs.values()) if type(value) is torch.Tensor]
        trains = is_grad_enabled()
        if not tensors or is_transformed() or not can_compare(trains):
            return
        kind = (trains, *((value.shape, value.dtype, value.device) for value in tensors))
        if kind not in self._kinds and len(self._kinds) < MAX_KINDS:
            self._kinds[kind] = self._blocks(tensors[0])
        blocks = self._kinds.get(kind)
        if (
            blocks is None
            or blocks.is_over
            or captures(str(tensors[0].device))
            or runs_must_agree(default.default_dispatcher().settings)
        ):
            is_torchs = blocks is not None and blocks.torch_won is True
        else:
            self._latest = blocks
            is_torchs = blocks.begin(blocks is before, self._is_ready)
        self._switch(model, self._torchs if is_torchs else self._report.turns)

    def end(self, model: nn.Module, args: Any, result: Any) -> None:
        """Note the end of the call."""
        if not is_compiling() and self._latest is not None:
            self._latest.end()

    @property
    def is_settled(self) -> bool:
        """Whether nothing is compared any more, for the kinds of inputs so far: neither layers nor the model."""
        kinds = self._kinds.values()
        return self._layers_are_settled and all(blocks is None or blocks.is_over for blocks in kinds)

    def _blocks(self, input: torch.Tensor) -> _Blocks | None:
        """Return the blocks of a new kind of call, or None if nothing may be compared."""
        if not default.default_dispatcher().settings.vendor:
            return None
        what = f"the whole model{' in training' if is_grad_enabled() else ''}, input {'x'.join(map(str, input.shape))}"
        return _Blocks(str(input.device), is_grad_enabled(), lambda own, other: self._record(what, own, other))

    def _is_ready(self) -> bool:
        made = default.made
        return self._layers_are_settled and (made is None or made.wait_for_builds(0))

    @property
    def _layers_are_settled(self) -> bool:
        return all(isinstance(state, str) for state in self._report.turns.values())

    def _record(self, what: str, own: float, other: float) -> None:
        times = f"torch is faster here: {other * 1e3:.3f} against {own * 1e3:.3f} ms ({what})"
        for entry in self._report.taken:
            self._report.leave(entry.path, times)

    def _switch(self, model: nn.Module, table: dict[Any, Any]) -> None:
        """Let a table decide. Calls that memos know as ours may be torch's from now on."""
        if self._report.table is table:
            return
        self._report.table = table
        op_sdpa.forget_names()
        for layer in model.modules():
            known = vars(layer)
            if known.get("tilewright_calls") is not None:
                known["tilewright_calls"] = None


class _Blocks:
    """Calls of one kind: blocks of both sides in turn, and what was decided."""

    def __init__(self, place: str, trains: bool, record: Callable[[float, float], None]) -> None:
        self._trains, self._record = trains, record
        self._mark: Callable[[], Any] = partial(mark, place)
        self._calls = 0
        self._asks = ASKED  # number of the call that asks whether the layers are decided; 0: they are
        self._rest = 0  # calls without a side before the next block
        self._blocks = self._left = 0  # blocks that have begun, those of torch are even, and calls of the latest
        self.torch_won: bool | None = None
        self._open: tuple[int, Any] | None = None  # side and begin of a measured call that has not ended
        self._ended: list[tuple[int, Any, Any]] = []  # side, begin and end of measured calls
        self._samples: tuple[list[float], list[float]] = ([], [])

    def begin(self, follows: bool, is_ready: Callable[[], bool]) -> bool:
        """Return whether torch computes the call that begins; `follows`: the call before was of this kind too."""
        self._calls += 1
        if self._open is not None and self._trains and follows:
            self._ended.append((*self._open, self._mark()))
        self._open = None  # also of a call that failed
        if self._asks:
            if self._calls >= self._asks:
                self._asks = 0 if self._calls >= PATIENCE or is_ready() else self._calls + ASKED
            return False
        if self._rest == self._left == 0:
            self._next_block()
            if self.torch_won is not None:
                return self.torch_won
        if self._rest:
            self._rest -= 1
            return False
        side = 1 - self._blocks % 2
        self._left -= 1
        if self._left < BLOCK - WARM:
            self._open = side, self._mark()
        return bool(side)

    @property
    def is_over(self) -> bool:
        """Whether it is decided."""
        return self.torch_won is not None

    def end(self) -> None:
        """Note the end of a call without gradients; a step of training ends when the next one begins."""
        if self._open is not None and not self._trains:
            self._ended.append((*self._open, self._mark()))
            self._open = None

    def _next_block(self) -> None:
        """Begin the next block, or decide. Ours computes until the share of time allows another block of torch's."""
        done = [entry for entry in self._ended if is_reached(entry[2])]
        self._ended = [entry for entry in self._ended if entry not in done]
        for side, begin, end in done:
            self._samples[side].append(seconds_between(begin, end))
        if self._blocks % 2 == 0 and all(self._samples):
            own, other = map(median_low, self._samples)
            if self._blocks >= 2 * BLOCKS or not own / CLEAR < other < own * CLEAR:
                self.torch_won = other < BETTER * own
                if self.torch_won:
                    self._record(own, other)
                return
            added = (other / own - 1) * BLOCK * (self._blocks // 2 + 1)  # by torch's blocks and the next, in our calls
            self._rest = max(0, int(added / contest.SHARE) - self._calls)
        self._blocks += 1
        self._left = BLOCK
