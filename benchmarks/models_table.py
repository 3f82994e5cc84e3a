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
    """Return a Markdown table per place and mode, with the geometric mean of the ratios of right results."""
    parts = []
    timed = [row for row in rows if "sides" in row]
    for place in dict.fromkeys(map(_place, timed)):
        good = [row for row in timed if _place(row) == place]
        parts += [_mode(mode, some) for mode in ("eager", "graphs", "autotune", "compile") if (some := _of(good, mode))]
        right = [row for row in good if row["ok"]]
        parts += _better_of_both(_of(right, "graphs"), _of(right, "autotune"))
    failed = [f"failed: {_name(row)} {row['task']} {row['mode']}: {row['failure']}" for row in rows if "failure" in row]
    return "\n\n".join([*parts, *(["\n".join(failed)] if failed else [])])


def _place(row: Row) -> str:
    """Return what rows must share to be in one mean: machine and threads, sizes of the nets, clock."""
    size, clock = "tiny nets" if row["size"] == "quick" else "", "CPU time" if row.get("clock") == "cpu" else ""
    return ", ".join(filter(None, (row["on"], size, clock)))


def _of(rows: Iterable[Row], mode: str) -> list[Row]:
    return [row for row in rows if row["mode"] == mode]


def _mode(mode: str, rows: Sequence[Row]) -> str:
    sides = list(dict.fromkeys(side for row in rows for side in row["sides"]))
    columns = [f"{mode}, {_place(rows[0])}", *(f"{s} ms" for s in sides), *(f"vs {s}" for s in sides if s not in OURS)]
    columns += ["first call s", "until fast s", "error (torch's)"]
    lines = [_line(columns), _line(["---"] * len(columns))]
    for row in rows:
        own = row["sides"][best(row)]
        times = [_number(row["sides"].get(s, {}).get("ms")) for s in sides]
        first = next(iter(row["sides"].values()))
        seconds = f"{first['first_s']:.1f} -> {own['first_s']:.1f}"
        fast = ", ".join(f"{s} {_until_fast(row, s):.0f}" for s in sides if s in row["sides"] and s != "torch")
        error = f"{own['error']:.1e} ({first['error']:.1e})"
        lines.append(_line([
            f"{_name(row)}, {row['task']}", *times, *(_ratio(row, s) for s in sides if s not in OURS), seconds, fast,
            error if row["ok"] else f"WRONG {error}",
        ]))  # fmt: skip
    return "\n".join([*lines, *_means([row for row in rows if row["ok"]], [s for s in sides if s not in OURS])])


def _means(rows: Sequence[Row], peers: Sequence[str]) -> list[str]:
    found = []
    for peer in peers:
        for title, some in (("convolution nets", True), ("transformers", False)):
            ratios = [ratio(row, peer) for row in rows if row["convolutional"] is some and peer in row["sides"]]
            if ratios:
                found.append(f"{title}, vs {peer}: geometric mean {_mean(ratios):.2f}x, least {min(ratios):.2f}x")
    return found


def _until_fast(row: Row, side: str) -> float:
    """Return the seconds until the first fast call, with builds: those of an earlier process, or of this one."""
    own, before = row["sides"][side], row.get("prepare_s", {})
    return float(before[side] if side in before else own.get("warm_up_s", 0.0) + own["first_s"])


def _better_of_both(graphs: Sequence[Row], autotuned: Sequence[Row]) -> list[str]:
    """Return the ratios to the better mode of torch.compile, for the nets that were measured with both."""
    pairs = [(a, b) for a in graphs for b in autotuned if (a["net"], a["task"]) == (b["net"], b["task"])]
    ratios = [min(ratio(row, "torch_compile") for row in pair) for pair in pairs if pair[0]["convolutional"]]
    if not ratios:
        return []
    text = f"geometric mean {_mean(ratios):.2f}x, least {min(ratios):.2f}x"
    return [f"{len(ratios)} convolution nets, vs the better of reduce-overhead and max-autotune: {text}"]


def _mean(ratios: Sequence[float]) -> float:
    return exp(sum(map(log, ratios)) / len(ratios))


def _name(row: Row) -> str:
    return f"{row['net']} {'x'.join(map(str, row.get('shape', [])))}".strip()


def _ratio(row: Row, peer: str) -> str:
    return f"{ratio(row, peer):.2f}x" if peer in row["sides"] else "-"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
