"""What the pass took and what it left, with reasons: graph by graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...model.locks import new_lock


@dataclass(frozen=True)
class Entry:
    """One product, convolution or attention of a compiled graph: taken if `reason` is None. Times are in seconds.

    `node` is its name in the graph, `computes` what one kernel of tilewright computes or would compute.
    """

    graph: int
    node: str
    computes: str
    problem: str = ""
    kernel: str = ""
    reason: str | None = None
    ours: float | None = None
    theirs: float | None = None

    @property
    def taken(self) -> bool:
        """Whether tilewright computes it."""
        return self.reason is None


class CompileReport:
    """Entries of all graphs that were compiled by the backend `tilewright` in this process.

    >>> report = CompileReport([Entry(0, "mm", "mm + relu", "gemm 4x4x4", "k1"), Entry(0, "mm_1", "mm", reason="fp64")])
    >>> print(report)
    graph 0  mm    mm + relu  taken: k1
    graph 0  mm_1  mm         left: fp64
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._entries = list(entries)
        self._graphs = 0
        self._lock = new_lock()

    def new_graph(self) -> int:
        """Return the number of one more graph."""
        with self._lock:
            self._graphs += 1
            return self._graphs - 1

    def add(self, entry: Entry) -> None:
        """Record one more node."""
        with self._lock:
            self._entries.append(entry)

    def drop(self, graph: int) -> None:
        """Forget one graph."""
        with self._lock:
            self._entries = [entry for entry in self._entries if entry.graph != graph]

    def clear(self) -> None:
        """Forget all graphs so far."""
        with self._lock:
            self._entries, self._graphs = [], 0

    @property
    def entries(self) -> list[Entry]:
        """All of them, in the order of compilation."""
        with self._lock:
            return list(self._entries)

    @property
    def taken(self) -> list[Entry]:
        """What tilewright computes."""
        return [e for e in self.entries if e.taken]

    @property
    def left(self) -> list[Entry]:
        """What Inductor computes, with the reason."""
        return [e for e in self.entries if not e.taken]

    def to_dict(self) -> dict[str, Any]:
        """Return lists of what was taken and what was left.

        >>> CompileReport([Entry(0, "mm", "mm", kernel="k1")]).to_dict()["taken"][0]["kernel"]
        'k1'
        """
        rows = [(e.taken, {k: v for k, v in vars(e).items() if v not in (None, "")}) for e in self.entries]
        return {"taken": [row for taken, row in rows if taken], "left": [row for taken, row in rows if not taken]}

    def __str__(self) -> str:
        entries = self.entries
        if not entries:
            return "no graph was compiled"
        rows = [(f"graph {e.graph}", e.node, e.computes, _state(e)) for e in entries]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        return "\n".join("  ".join([*(row[i].ljust(widths[i]) for i in range(3)), row[3]]) for row in rows)


def _state(entry: Entry) -> str:
    times = ""
    if entry.ours is not None and entry.theirs is not None:
        times = f" ({entry.ours * 1e6:.1f} us; library {entry.theirs * 1e6:.1f} us)"
    return f"taken: {entry.kernel}{times}" if entry.taken else f"left: {entry.reason}{times}"


REPORT = CompileReport()


def compile_report() -> CompileReport:
    """Return what the backend `tilewright` of `torch.compile` took and left in this process, with reasons.

    >>> isinstance(compile_report(), CompileReport)
    True
    """
    return REPORT
