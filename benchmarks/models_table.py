"""The tables of the model benchmarks, from their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, log
from statistics import median
from typing import Any

Row = dict[str, Any]
OURS = ("fused", "tilewright")


def best(row: Row) -> str:
    """Return the faster of tilewright's sides."""
    return min((s for s in OURS if s in row["sides"]), key=lambda side: row["sides"][side]["ms"])


def ratio(row: Row, peer: str) -> float:
    """Return how much faster tilewright is than a peer: the median over the rounds of one run."""
    pairs = zip(row["sides"][peer]["samples"], row["sides"][best(row)]["samples"], strict=True)
    return median([theirs / ours for theirs, ours in pairs])


def table(rows: Sequence[Row]) -> str:
    """Return a Markdown table per mode, with the geometric mean of the ratios."""
    good = [row for row in rows if "sides" in row]
    parts = [_mode(mode, some) for mode in ("eager", "graphs", "compile") if (some := _of(good, mode))]
    failed = [f"failed: {_name(row)} {row['task']} {row['mode']}: {row['failure']}" for row in rows if "failure" in row]
    return "\n\n".join([*parts, *(["\n".join(failed)] if failed else [])])


def _of(rows: Iterable[Row], mode: str) -> list[Row]:
    return [row for row in rows if row["mode"] == mode]


def _mode(mode: str, rows: Sequence[Row]) -> str:
    sides = list(dict.fromkeys(side for row in rows for side in row["sides"]))
    first = sides[0]
    columns = [f"{mode}, {rows[0]['on']}", *(f"{s} ms" for s in sides), *(f"vs {s}" for s in sides if s not in OURS)]
    columns += ["first call s", "built before s", "error (torch's)"]
    lines = [_line(columns), _line(["---"] * len(columns))]
    for row in rows:
        own = row["sides"][best(row)]
        times = [_number(row["sides"].get(s, {}).get("ms")) for s in sides]
        seconds = f"{row['sides'][first]['first_s']:.1f} -> {own['first_s']:.1f}" if first in row["sides"] else "-"
        built = ", ".join(f"{name} {s:.0f}" for name, s in row.get("prepare_s", {}).items()) or "-"
        error = f"{own['error']:.1e} ({next(iter(row['sides'].values()))['error']:.1e})"
        lines.append(_line([
            f"{_name(row)}, {row['task']}", *times, *(_ratio(row, s) for s in sides if s not in OURS), seconds, built,
            error if row["ok"] else f"WRONG {error}",
        ]))  # fmt: skip
    return "\n".join([*lines, *_means(rows, [s for s in sides if s not in OURS])])


def _means(rows: Sequence[Row], peers: Sequence[str]) -> list[str]:
    found = []
    for peer in peers:
        for title, some in (("convolution nets", True), ("transformers", False)):
            ratios = [ratio(row, peer) for row in rows if row["convolutional"] is some and peer in row["sides"]]
            if ratios:
                mean = exp(sum(map(log, ratios)) / len(ratios))
                found.append(f"{title}, vs {peer}: geometric mean {mean:.2f}x, least {min(ratios):.2f}x")
    return found


def _name(row: Row) -> str:
    return f"{row['net']} {'x'.join(map(str, row.get('shape', [])))}".strip()


def _ratio(row: Row, peer: str) -> str:
    return f"{ratio(row, peer):.2f}x" if peer in row["sides"] else "-"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
