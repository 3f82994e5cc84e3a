"""Tables: fitted to the terminal if there is one, plain text with unbroken lines otherwise."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

UNBROKEN = 10_000  # columns of a stream that is not a terminal: lines are never cut
GAP = "  "  # between two columns; one space if the terminal is narrow
BELOW = " " * 4  # before the cell that a row ends with, if it has lines of its own
LAST = 20  # columns of such a cell in other rows, at least
KERNEL_NAME = re.compile(r"\b\w[\w.-]*_([0-9a-f]{8})\b")  # a name ends in eight digits of the kernel's digest
TILE = re.compile(r"(?<![0-9a-z])\d+x\d+(?:x\d+)*(?![0-9a-z])")


_ESCAPES = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))} | dict.fromkeys(map(ord, "\t\n\r"), " ")


@dataclass
class Table:
    """Rows under named columns; `right` names the columns with numbers.

    On a terminal the table is at most as wide as the terminal: kernel names are shortened to tile and digest, then text
    is wrapped between words. If that is not enough, columns move closer, the last one goes below its row, numbers go
    into several tables, or each row is written as a list of its cells. No column is dropped.

    >>> t = Table(["kernel", "ms"], right=["ms"])
    >>> t.add("gemm", 1.25)
    >>> print(t.text())
    kernel    ms
    gemm    1.25
    """

    columns: Sequence[str]
    title: str = ""
    right: Sequence[str] = ()
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, *cells: Any) -> None:
        """Append a row; None is shown as "-"."""
        self.rows.append(tuple("-" if c is None else printable(str(c)) for c in cells))

    def text(self, width: int = UNBROKEN) -> str:
        """Return the table as plain text with aligned columns and lines of at most `width` characters.

        >>> t = Table(["kernel", "why"])
        >>> t.add("gemm_cpu_x86_64_v4_fp32_rrr_tiled_fma_6x64_nc4096_pb_9f5fb85b", "the smallest predicted time")
        >>> print(t.text(width=30))
        kernel         why
        6x64_9f5fb85b  the smallest
                       predicted time
        """
        rows, widths = self.rows, self._natural_widths(self.rows)
        if _total(widths) > width:
            rows = [tuple(shortened(cell) for cell in row) for row in rows]
            widths = self._natural_widths(rows)
        gap = GAP
        if _total(widths) > width:
            least = [max(_longest_word(row[i]) for row in [self.columns, *rows]) for i in self._range]
            if _total(least) > width >= _total(least, " "):
                gap = " "
            elif _total(least) > width:  # long words at the end of a row, such as paths, get lines of their own
                fits_below = least[-1] <= width - len(BELOW) and self.columns[-1] not in self.right
                least[-1] = LAST if fits_below else least[-1]
            if _total(least, gap) > width:
                return self._in_parts(rows, width) or self._as_lists(rows, width)
            widths = _shared_out(least, widths, width, gap)
        lines = [line for row in [tuple(self.columns), *rows] for line in self._lines(row, widths, gap)]
        return "\n".join([self.title, *lines] if self.title else lines)

    def show(self, stream: TextIO | None = None) -> None:
        """Print the table to `stream` (by default stdout), fitted to it if it is a terminal."""
        stream = stream if stream is not None else sys.stdout
        width = shutil.get_terminal_size().columns if stream.isatty() else UNBROKEN
        print(self.text(width), file=stream)

    @property
    def _range(self) -> range:
        return range(len(self.columns))

    def _natural_widths(self, rows: Sequence[Sequence[str]]) -> list[int]:
        return [max(len(row[i]) for row in [self.columns, *rows]) for i in self._range]

    def _lines(self, row: Sequence[str], widths: Sequence[int], gap: str) -> list[str]:
        """Return the lines of one row: cells that are too long go on below.

        A last cell with a word that is too long for its column begins there.
        """
        if _longest_word(row[-1]) > widths[-1]:
            below = textwrap.wrap(row[-1], _total(widths) - len(BELOW), break_on_hyphens=False)
            return [*self._lines([*row[:-1], ""], widths, gap), *(BELOW + line for line in below)]
        cells = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
        shown = []
        for number in range(max(map(len, cells))):
            parts = [cell[number] if number < len(cell) else "" for cell in cells]
            aligned = [
                part.rjust(width) if name in self.right else part.ljust(width)
                for part, width, name in zip(parts, widths, self.columns, strict=True)
            ]
            shown.append(gap.join(aligned).rstrip())
        return shown

    def _in_parts(self, rows: Sequence[Sequence[str]], width: int) -> str:
        """Return tables below each other: the columns of text, and as many of the numbers after them as fit.

        Empty if numbers come before text, or one of them is too wide.
        """
        texts = [i for i in self._range if self.columns[i] not in self.right]
        widths, parts = self._natural_widths(rows), [list[int]()]
        for i in self._range[len(texts) :]:
            if _total([widths[j] for j in [*texts, *parts[-1], i]]) > width:
                parts.append([])
            parts[-1].append(i)
        if texts != [*range(len(texts))] or any(_total([widths[j] for j in [*texts, *p]]) > width for p in parts):
            return ""
        tables = []
        for chosen in ([*texts, *part] for part in parts if part):
            cells = [tuple(row[i] for i in chosen) for row in rows]
            tables.append(Table([self.columns[i] for i in chosen], right=self.right, rows=cells).text(width))
        text = "\n\n".join(tables)
        return f"{self.title}\n{text}" if self.title else text

    def _as_lists(self, rows: Sequence[Sequence[str]], width: int) -> str:
        """Return each row as lines of "column: cell", for a terminal that is too narrow for the columns."""
        head = max(len(c) for c in self.columns) + 2
        lines = [self.title] if self.title else []
        for number, row in enumerate(rows):
            lines += [""] if number else []
            for name, cell in zip(self.columns, row, strict=True):
                first, *more = _wrapped(cell, max(width - head, 20))
                lines.append(f"{name + ':':<{head}}{first}".rstrip())
                lines += [" " * head + line for line in more]
        return "\n".join(lines)


def _longest_word(cell: str) -> int:
    return max(map(len, cell.split(" ")))


def _wrapped(cell: str, width: int) -> list[str]:
    return textwrap.wrap(cell, width, break_on_hyphens=False) if len(cell) > width else [cell]


def _total(widths: Sequence[int], gap: str = GAP) -> int:
    return sum(widths) + len(gap) * (len(widths) - 1)


def _shared_out(least: Sequence[int], wanted: Sequence[int], width: int, gap: str) -> list[int]:
    """Return column widths from `least` to `wanted` that fill `width`; columns that want little get it first."""
    widths, left = list(least), width - _total(least, gap)
    order = sorted(range(len(least)), key=lambda i: wanted[i] - least[i])
    for number, i in enumerate(order):
        more = min(wanted[i] - least[i], left // (len(order) - number))
        widths[i] += more
        left -= more
    return widths


def printable(text: str) -> str:
    r"""Return `text` with control characters as escapes: text from a file may not control the terminal.

    >>> printable("two\nlines, \x1b[31mred")
    'two lines, \\x1b[31mred'
    """
    return text.translate(_ESCAPES)


def shortened(text: str) -> str:
    """Return `text` with each kernel name shortened to its tile and the eight digits of its digest.

    >>> shortened("gemm_cpu_x86_64_v4_fp32_rrr_tiled_fma_6x64_nc4096_pb_9f5fb85b: measured")
    '6x64_9f5fb85b: measured'
    """
    return KERNEL_NAME.sub(lambda name: "_".join([*TILE.findall(name[0])[:1], name[1]]), text)


def fitted(text: str, indent: int = 0, stream: TextIO | None = None) -> str:
    """Return `text` wrapped between words for the terminal of `stream`; later lines are indented. A pipe gets one line.

    Kernel names are shortened if one is too long for a line.

    >>> import io
    >>> fitted("verdict   the first", 10, io.StringIO())
    'verdict   the first'
    """
    stream = stream if stream is not None else sys.stdout
    if not stream.isatty():
        return text
    width = shutil.get_terminal_size().columns
    text = shortened(text) if _longest_word(text) > width - indent else text
    return textwrap.fill(text, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


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


def noise_of(row: Mapping[str, Any]) -> float | None:
    """Return the noise that a row of results recorded, as a share of its time; None if it says nothing of it.

    Rows of older versions have the spread of our own times instead.

    >>> noise_of({"policy": {"noise": 0.02, "spread": 0.1}}), noise_of({"spread": 0.001}), noise_of({"policy": "graph"})
    (0.02, 0.001, None)
    """
    policy = row.get("policy")
    for facts in (policy if isinstance(policy, Mapping) else {}, row):
        names = ("noise",) if facts.get("noise") is not None else ("noise_floor", "spread")
        found = [facts.get(name) for name in names]
        numbers = [float(v) for v in found if isinstance(v, int | float) and not isinstance(v, bool)]
        if numbers:
            return max(numbers)
    return None


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
