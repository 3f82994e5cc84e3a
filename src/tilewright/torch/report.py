"""What `patch` took and what it left, with reasons: layer by layer, and call by call."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch.compiler import is_compiling

from ..model.locks import new_lock
from .ways import TRANSFORMED

log = logging.getLogger("tilewright")


@dataclass(frozen=True)
class Entry:
    """One layer or function of a model: taken if `reason` is None."""

    path: str
    kind: str
    taker: str
    reason: str | None = None

    @property
    def taken(self) -> bool:
        """Whether tilewright computes it."""
        return self.reason is None


class Report:
    """Entries of a patched model, and the calls that were left to torch although their layer is taken.

    >>> report = Report([Entry("fc", "Linear", "linear"), Entry("conv", "Conv2d", "conv", "its dtype is float64")])
    >>> report.note("fc", "the input is on meta")
    >>> print(report)
    fc    Linear  taken
    conv  Conv2d  left: its dtype is float64
    calls of taken layers that torch computed:
    fc  1x  the input is on meta
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries = list(entries)
        self.uncalled = set[str]()  # functions that are replaced, but nobody has called them yet
        self.fuses = True  # False while `Patch.check` runs the layers one by one
        self.changes = 0  # how often weights may have changed without a trace
        self.verify_every = 0  # calls after which the bytes of copied weights are compared; 0: never
        self.invariant = False  # results must not depend on the batch: torch computes nothing that a layer is asked for
        self.turns: dict[Any, Any] = {}  # who computes a kind of call, by layer and input: see `layer_turns`
        self.table = self.turns  # or one in which all is torch's: see `model_turns`
        self.contests: dict[Any, Any] = {}  # layers that take turns together, by their work: see `layer_turns`
        self.names: dict[Any, object] = {}  # by which the memo in C knows attention that is ours: see `op_sdpa`
        self.slower: dict[str, str] = {}  # layers that torch computes faster: the measured times
        self._calls: Counter[tuple[str, str]] = Counter()
        self._lock = new_lock()

    @property
    def taken(self) -> list[Entry]:
        """What tilewright computes; a function if it was called."""
        return [e for e in self.entries if e.taken and e.path not in self.uncalled and e.path not in self.slower]

    @property
    def left(self) -> list[Entry]:
        """What torch computes, with the reason."""
        slower = [replace(e, reason=self.slower[e.path]) for e in self.entries if e.taken and e.path in self.slower]
        return [e for e in self.entries if not e.taken] + slower

    @property
    def left_calls(self) -> dict[tuple[str, str], int]:
        """How often a call of a taken layer was left to torch, by (path, reason)."""
        with self._lock:
            return dict(self._calls)

    def __deepcopy__(self, memo: Any) -> Report:
        """Return the report itself: a copy of a patched layer goes on noting its calls here."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Report, (self.entries,), {"verify_every": self.verify_every, "invariant": self.invariant}

    def restart(self) -> None:
        """Forget the layers, and who computes them: they are taken, and compared with torch, anew."""
        with self._lock:
            self.entries.clear()
            self.slower = {}
            for known in (self.turns, self.contests):
                known.clear()
            self.table = self.turns

    def leave(self, path: str, times: str) -> None:
        """Record that torch computes a layer faster, by measurement."""
        with self._lock:
            self.slower = {**self.slower, path: times}

    def note(self, path: str, reason: str, warns: bool = True) -> None:
        """Record a call that was left to torch; the first one with this reason logs a warning if it `warns`."""
        with self._lock:
            self._calls[path, reason] += 1
            first = self._calls[path, reason] == 1
        if first and warns:
            log.warning("%s is left to torch: %s", path or "the model", reason)

    def note_left(self, path: str, reason: str) -> None:
        """Record a call that is left to torch; in a program that is compiled only a transform, when it is traced."""
        if not is_compiling():
            self.note(path, reason)
        elif reason is TRANSFORMED:
            self.note_trace(path)

    def note_trace(self, path: str) -> None:
        """Record a call that is left to torch because it is transformed; Dynamo calls this, and traces nothing."""
        self.note(path, TRANSFORMED)

    note_trace._dynamo_marked_constant = True  # type: ignore[attr-defined]

    def to_dict(self) -> dict[str, Any]:
        """Return lists of what was taken, what was left, calls that were left, and replaced functions without calls.

        >>> Report([Entry("fc", "Linear", "linear")]).to_dict()["taken"]
        [{'path': 'fc', 'kind': 'Linear', 'taker': 'linear'}]
        """
        entries = [e for e in self.entries if e.path not in self.uncalled]
        reasons = {e.path: self.slower.get(e.path) if e.taken else e.reason for e in entries}
        named = [{"path": e.path, "kind": e.kind, "taker": e.taker, "reason": reasons[e.path]} for e in entries]
        calls = [{"path": p, "reason": r, "calls": n} for (p, r), n in self.left_calls.items()]
        return {
            "taken": [{k: v for k, v in e.items() if k != "reason"} for e in named if e["reason"] is None],
            "left": [e for e in named if e["reason"] is not None],
            "left_calls": calls,
            "uncalled": sorted(self.uncalled),
        }

    def __str__(self) -> str:
        rows = [(_label(e.path), e.kind, self._state(e)) for e in self.entries]
        lines = _table(rows)
        calls = [(_label(path), f"{n}x", reason) for (path, reason), n in self.left_calls.items()]
        if calls:
            lines += ["calls of taken layers that torch computed:", *_table(calls)]
        return "\n".join(lines) if lines else "nothing to take"

    def _state(self, entry: Entry) -> str:
        if not entry.taken:
            return f"left: {entry.reason}"
        if entry.path in self.slower:
            return f"left: {self.slower[entry.path]}"
        return "replaced; not called so far" if entry.path in self.uncalled else "taken"


def _label(path: str) -> str:
    """Return the path of a layer, or the name of a function of torch, as a line of the report shows it."""
    return path.removeprefix("torch.nn.functional.") or "(model)"


def _table(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(2)] if rows else []
    return ["  ".join([*(row[i].ljust(widths[i]) for i in range(2)), row[2]]) for row in rows]
