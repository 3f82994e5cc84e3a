"""The contest of a whole model: some of its calls run with torch's layers, until it is clear who is faster.

Layers that win alone may lose together: where a GPU waits for the host, everything around a kernel counts, and a layer
sees only its own part of it. So when the layers are decided (`layer_turns`), blocks of the model's calls are compared
as the program makes them: a call without gradients from its begin to its end, a step of training from one call to the
next, with the backward pass and the optimizer. If torch is faster, all layers are left to it for inputs of this kind.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from functools import partial
from statistics import mean, median_low
from threading import get_ident
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ..dispatcher import contest
from ..dispatcher.clocks import is_reached, mark, seconds_between
from ..dispatcher.contest import ASKED, BETTER
from ..dispatcher.policy import captures, runs_must_agree
from ..frontends import default
from . import op_sdpa
from .layer_turns import APART, OURS, PLACES, TORCHS, TRAINS, is_compiling, is_plain, kind_of, mode_now
from .report import Report
from .ways import is_transformed

if TYPE_CHECKING:
    from ..dispatcher import Dispatcher

# Calls of one side after each other, and how many of them are not measured: memory is allocated anew, and the host may
# have been ahead. If 2, 3, 4 or 6 calls make a step, both sides measure equal parts of it.
BLOCK, WARM = 6, 2
BLOCKS = 4  # of each side
CLEAR = 1.1  # one block of each side is enough if one is faster by this factor; steps of training are less equal
LONG = 1.5  # times the usual call: one that ends a step of many calls, with its optimizer
PATIENCE = 1024  # calls after which the layers count as decided: some kinds of calls never come again
MAX_KINDS = 64  # of inputs; a further one takes the place of one that was not decided and came longest ago


class All(dict[Any, Any]):
    """A `Report.table` in which one side computes every layer.

    >>> All(TORCHS).get("any call")
    'torch'
    """

    def __init__(self, side: str) -> None:
        self._side = side

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the side."""
        return self._side


class ModelTurns:
    """The hook in front of a patched model: says before each call who computes the layers.

    >>> from tilewright.torch import patch
    >>> model = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    >>> with patch(model), torch.no_grad():
    ...     model(torch.ones(2, 8)).shape
    torch.Size([2, 8])
    """

    def __init__(self, report: Report) -> None:
        self._report, self._torchs, self._ours = report, All(TORCHS), All(OURS)
        self._kinds: dict[Any, _Blocks | None] = {}
        self._calls = 0
        # A model, the layer that owns its first parameter, and the name of that.
        self._first: tuple[weakref.ref[nn.Module], weakref.ref[nn.Module], str] | None = None
        self._latest: _Blocks | None = None  # of the call before, or of the one that runs now
        self._thread: int | None = None  # whose call runs now; calls of others beside it take part in nothing

    def __deepcopy__(self, memo: Any) -> ModelTurns:
        """Return the hook itself, as a copy's layers keep their report."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return ModelTurns, (self._report,)

    def install(self, model: nn.Module) -> Callable[[], None]:
        """Put the hooks on a model; return what removes them."""
        handles = [
            model.register_forward_pre_hook(self.begin, prepend=True, with_kwargs=True),
            model.register_forward_hook(self.end, always_call=True),
        ]

        def remove() -> None:
            for handle in handles:
                handle.remove()
            self._switch(model, self._report.turns)

        return remove

    def begin(self, model: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Choose who computes the layers in the call that begins."""
        if is_compiling() or self._thread not in (None, thread := get_ident()):
            return
        self._thread = thread
        before, self._latest = self._latest, None
        op_sdpa.follow(self._report)
        dispatcher = default.made or default.default_dispatcher()
        if runs_must_agree(dispatcher.settings):  # what was measured before does not count
            return self._switch(model, self._ours)
        blocks, is_torchs = self._blocks(model, args, kwargs, dispatcher), False
        if blocks is not None:
            is_torchs = blocks.torch_won is True
            if not blocks.is_over and not captures(blocks.place):
                self._latest = blocks
                is_torchs = blocks.begin(blocks is before, self._is_ready)
        self._switch(model, self._torchs if is_torchs else self._report.turns)

    def end(self, model: nn.Module, args: Any, result: Any) -> None:
        """Note the end of the call. One that failed has no result, and is not measured."""
        if is_compiling() or self._thread != get_ident():
            return
        self._thread = None
        if self._latest is not None and result is not None:
            self._latest.end()

    @property
    def is_settled(self) -> bool:
        """Whether nothing is compared any more, for the kinds of inputs so far: neither layers nor the model.

        A kind that did not come for many calls may never come again.
        """
        compared = [blocks for blocks in list(self._kinds.values()) if blocks is not None and not blocks.is_over]
        return self._layers_are_settled and all(self._calls - blocks.latest > PATIENCE for blocks in compared)

    def _blocks(
        self, model: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any], dispatcher: Dispatcher
    ) -> _Blocks | None:
        """Return the blocks of the call's kind, or None if it is not compared with others."""
        tensors = [value for value in (*args, *kwargs.values()) if is_plain(value)]
        weight, mode = self._weight_of(model), mode_now(True)
        if not tensors or weight is None or weight.device.type not in PLACES or is_transformed():
            return None
        if mode is APART or dispatcher.is_rehearsing:
            return None
        kind = (mode, model.training, weight.dtype, weight.device, *map(kind_of, tensors))
        self._calls += 1
        if kind not in self._kinds and self._has_room():
            compares, trains = dispatcher.settings.vendor, mode is TRAINS and model.training
            self._kinds[kind] = self._new_blocks(str(weight.device), tensors[0], trains) if compares else None
        blocks = self._kinds.get(kind)
        if blocks is not None:
            blocks.latest = self._calls
        return blocks

    def _weight_of(self, model: nn.Module) -> torch.Tensor | None:
        """Return the first parameter: a walk through a model takes longer than a call of a small one.

        A copy of the model has the same hooks, and none of them keeps a model alive.
        """
        if self._first is not None:
            of, owner, name = self._first[0](), self._first[1](), self._first[2]
            found = owner._parameters.get(name) if of is model and owner is not None else None
            if found is not None:
                return found
        for owner in model.modules():
            for name, found in owner._parameters.items():
                if found is not None:
                    self._first = weakref.ref(model), weakref.ref(owner), name
                    return found
        return None

    def _has_room(self) -> bool:
        """Return whether one more kind may be compared, if need be in the place of another one."""
        if len(self._kinds) < MAX_KINDS:
            return True
        compared = {kind: b.latest for kind, b in self._kinds.items() if b is not None and not b.is_over}
        if compared:
            del self._kinds[min(compared, key=compared.__getitem__)]
        return bool(compared)

    def _new_blocks(self, place: str, input: torch.Tensor, trains: bool) -> _Blocks:
        what = f"the whole model{' in training' if trains else ''}, input {'x'.join(map(str, input.shape))}"
        return _Blocks(place, trains, partial(self._record, what))

    def _is_ready(self) -> bool:
        made = default.made
        return self._layers_are_settled and (made is None or made.wait_for_builds(0))

    @property
    def _layers_are_settled(self) -> bool:
        return all(isinstance(state, str) for state in list(self._report.turns.values()))

    def _record(self, what: str, own: float, other: float) -> None:
        """Record that torch computes all layers that the contest switched."""
        times = f"torch is faster here: {other * 1e3:.3f} against {own * 1e3:.3f} ms ({what})"
        for path in {key[0] for key in list(self._report.turns)}:
            self._report.leave(path, times)

    def _switch(self, model: nn.Module, table: dict[Any, Any]) -> None:
        """Let a table decide. Calls that memos know as ours may be torch's from now on."""
        if self._report.table is table:
            return
        self._report.table = table
        self._report.names.clear()  # attention that was ours may be torch's from now on
        for layer in model.modules():
            known = vars(layer)
            if known.get("tilewright_calls") is not None:
                known["tilewright_calls"] = None


class _Blocks:
    """Calls of one kind: blocks of both sides in turn, and what was decided."""

    def __init__(self, place: str, trains: bool, record: Callable[[float, float], None]) -> None:
        self.place = place
        self._trains, self._record = trains, record
        self._mark: Callable[[], Any] = partial(mark, place)
        self._calls = 0
        self.latest = 0  # number of the model's call that was the latest of this kind
        self._asks = ASKED  # number of the call that asks whether the layers are decided; 0: they are
        self._rest = 0  # calls without a side before the next block
        self._block = self._left = 0  # number of the latest block, those of torch are even, and its calls to come
        self.torch_won: bool | None = None
        self._open: Any = None  # begin of a measured call that has not ended
        self._returned = False  # whether the latest call has
        self._ended: list[tuple[int, Any, Any]] = []  # block, begin and end of measured calls
        self._seconds: dict[int, list[float]] = {}  # of the calls of each block

    @property
    def is_over(self) -> bool:
        """Whether it is decided."""
        return self.torch_won is not None

    def begin(self, follows: bool, is_ready: Callable[[], bool]) -> bool:
        """Return whether torch computes the call that begins; `follows`: the call before was of this kind too."""
        self._calls += 1
        if self._open is not None and self._trains and follows and self._returned:
            self._ended.append((self._block, self._open, self._mark()))
        self._open, self._returned = None, False
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
        self._left -= 1
        if self._left < BLOCK - WARM:
            self._open = self._mark()
        return self._block % 2 == 0

    def end(self) -> None:
        """Note the end of a call without gradients; a step of training ends when the next one begins."""
        self._returned = True
        if self._open is not None and not self._trains:
            self._ended.append((self._block, self._open, self._mark()))
            self._open = None

    def _next_block(self) -> None:
        """Begin the next block, or decide. Ours computes until the share of time allows another block of torch's."""
        done = [entry for entry in self._ended if is_reached(entry[2])]
        self._ended = [entry for entry in self._ended if entry not in done]
        for block, begin, end in done:
            self._seconds.setdefault(block, []).append(seconds_between(begin, end))
        if self._block % 2 == 0:
            if self._ended:  # the GPU has not come so far
                self._rest = ASKED
                return
            own, other = self._typical(1), self._typical(0)
            if self._is_clear(own, other):
                self.torch_won = 0.0 < other < BETTER * own
                if self.torch_won:
                    self._record(own, other)
                return
            if own and other:
                added = (other / own - 1) * BLOCK * (self._block // 2 + 1)  # by torch's blocks so far and the next
                self._rest = max(0, int(added / contest.SHARE) - self._calls)
        self._block += 1
        self._left = BLOCK

    def _typical(self, odd: int) -> float:
        """Return the time of a usual call of a side; 0 if none could be measured.

        In training that is so if no two calls of this kind follow each other. If more than a few calls of a step take
        long, it is that of a call in the middle one of the blocks, which have equal parts of the step.
        """
        blocks = [seconds for block, seconds in self._seconds.items() if block % 2 == odd]
        every = [seconds for block in blocks for seconds in block]
        usual = median_low(every) if every else 0.0
        if self._trains and sum(seconds > LONG * usual for seconds in every) * 4 >= len(every) > 0:
            return median_low(map(mean, blocks))
        return usual

    def _is_clear(self, own: float, other: float) -> bool:
        """Return whether there is nothing more to measure."""
        if self._block >= 2 * BLOCKS:
            return True
        return not self._trains and own > 0.0 < other and not own / CLEAR < other < own * CLEAR
