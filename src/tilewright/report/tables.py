"""Tables: fitted to the terminal if there is one, plain text with unbroken lines otherwise."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console

UNBROKEN = 10_000  # columns of a stream that is not a terminal: lines are never cut


@dataclass
class Table:
    """Rows under named columns. `right` names the columns with numbers, `wrap` the columns that may take more than one
    line on a terminal (by default all).

    >>> t = Table(["kernel", "ms"], right=["ms"])
    >>> t.add("gemm", 1.25)
    >>> print(t.text())
    kernel    ms
    gemm    1.25
    """

    columns: Sequence[str]
    title: str = ""
    right: Sequence[str] = ()
    wrap: Sequence[str] = ()
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, *cells: Any) -> None:
        """Append a row; None is shown as "-"."""
        self.rows.append(tuple("-" if c is None else str(c) for c in cells))

    def text(self) -> str:
        """Return the table as plain text with aligned columns and lines of any length."""
        lines = [tuple(self.columns), *self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        shown = []
        for line in lines:
            cells = [
                cell.rjust(width) if name in self.right else cell.ljust(width)
                for cell, width, name in zip(line, widths, self.columns, strict=True)
            ]
            shown.append("  ".join(cells).rstrip())
        return "\n".join([self.title, *shown] if self.title else shown)

    def show(self, stream: TextIO | None = None) -> None:
        """Print the table to `stream` (by default stdout): with Rich on a terminal, as plain text elsewhere."""
        stream = stream if stream is not None else sys.stdout
        if not stream.isatty():
            print(self.text(), file=stream)
            return
        from rich import box
        from rich.table import Table as Drawn
        from rich.text import Text

        drawn = Drawn(title=self.title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
        for name in self.columns:
            justify: Any = "right" if name in self.right else "left"
            fixed = name in self.right or bool(self.wrap and name not in self.wrap)
            drawn.add_column(name, justify=justify, no_wrap=fixed, overflow="fold")
        for row in self.rows:
            drawn.add_row(*(Text(cell) for cell in row))
        console(stream).print(drawn)


def console(stream: TextIO | None = None) -> Console:
    """Return a Rich console on `stream`; as wide as needed if it is not a terminal."""
    from rich.console import Console

    stream = stream if stream is not None else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else UNBROKEN, highlight=False, markup=False)


def milliseconds(value: float | None) -> str:
    """Return a time in milliseconds with three significant digits.

    >>> milliseconds(0.01234), milliseconds(12.345), milliseconds(None)
    ('0.0123', '12.3', '-')
    """
    if value is None:
        return "-"
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def rate(tflops: float | None) -> str:
    """Return a rate in GFLOP/s, or in TFLOP/s if it is that large.

    >>> rate(0.0123), rate(1.5), rate(None)
    ('12.3 G', '1.50 T', '-')
    """
    if tflops is None:
        return "-"
    if tflops >= 1:
        return f"{tflops:.2f} T"
    giga = tflops * 1e3
    return f"{giga:.0f} G" if giga >= 100 else f"{giga:.3g} G"


WIDEST_INTERVAL = 1.5  # of a ratio: a wider one says too little
NOISY = "noisy"


def is_noisy(peer: Mapping[str, Any]) -> bool:
    """Return whether the rounds of a comparison with a peer disagree too much for a ratio.

    >>> is_noisy({"ratio": 2.0, "low": 1.8, "high": 2.2}), is_noisy({"ratio": 11.0, "low": 0.1, "high": 16.0})
    (False, True)
    """
    low, high = peer.get("low"), peer.get("high")
    return low is not None and high is not None and high > WIDEST_INTERVAL * low


def peer_ratio(peer: Mapping[str, Any]) -> str:
    """Return the ratio to a peer as text, "noisy" if the rounds disagree, or "-" if there is none.

    >>> peer_ratio({"ratio": 1.234, "low": 1.2, "high": 1.3}), peer_ratio({"ratio": 11.0, "low": 0.1, "high": 16.0})
    ('1.23x', 'noisy')
    """
    return NOISY if is_noisy(peer) else ratio(peer.get("ratio"))


def ratio(value: float | None) -> str:
    """Return a ratio as text, or "-" if there is none.

    >>> ratio(1.234), ratio(None)
    ('1.23x', '-')
    """
    return "-" if value is None else f"{value:.2f}x"


def size(count: float) -> str:
    """Return a number of bytes with a unit.

    >>> size(512), size(49152), size(3 << 20)
    ('512 B', '48 KiB', '3 MiB')
    """
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024
    return f"{count:.4g} GiB"
