"""The drawings of a report: rooflines, ratios to peers, selectors, winners over shapes, build times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median, quantiles

from markupsafe import Markup

from .results import Ceiling, Ratios, Run, Scores, Winner
from .svg import (
    COLOURS,
    Scale,
    box,
    dot,
    drawing,
    group,
    line,
    power_of_two,
    short,
    tag,
    text,
    time,
    whole_decades,
)

WIDTH = 760
ROW = 24
OPS = ("gemm", "conv", "fmha")  # the first colours; other ops follow
SELECTORS = ("first_fit", "rules", "analytical", "nearest", "learned")


def colour_of(name: str, names: Sequence[str]) -> str:
    """Return the class of a name's colour."""
    return f"c{names.index(name) % COLOURS}" if name in names else "c7"


def roofline(place: str, runs: Sequence[Run], ceilings: Sequence[Ceiling]) -> Markup:
    """Draw rates over operations per byte, below the ceilings of the device."""
    left, right, top, bottom, height = 62, WIDTH - 150, 26, 378, 422
    rates = [r.rate for r in runs] + [c.value for c in ceilings if c.kind == "compute"]
    intensities = [r.intensity for r in runs]
    x = Scale(min(intensities) / 1.5, max(intensities) * 1.5, left, right, log=True)
    y = Scale(min(rates) / 1.5, max(rates) * 1.5, bottom, top, log=True)
    parts = [line(x(v), top, x(v), bottom) for v in x.decades()]
    parts += [text(x(v), bottom + 16, short(v), "middle") for v in x.decades()]
    parts += [line(left, y(v), right, y(v)) for v in y.decades()]
    parts += [text(left - 8, y(v) + 4, short(v), "end") for v in y.decades()]
    parts.append(text((left + right) / 2, height - 8, "operations per byte", "middle", "axis"))
    parts.append(text(left, top - 10, "FLOP/s", "end", "axis"))
    parts += _ceilings(ceilings, x, y)
    ops = op_names(runs)
    for r in sorted(runs, key=lambda r: r.seconds):
        hint = f"{r.label}\n{short(r.rate, 'FLOP/s')}, {time(r.seconds)}\n{r.kernel}"
        parts.append(dot(x(r.intensity), y(r.rate), hint, f"point {colour_of(r.op, ops)}"))
    return drawing(WIDTH, height, *parts, title=f"Roofline of {place}")


def op_names(runs: Sequence[Run]) -> list[str]:
    """Return the ops of some runs, in the order of their colours."""
    return [*OPS, *sorted({r.op for r in runs} - set(OPS))]


def _ceilings(ceilings: Sequence[Ceiling], x: Scale, y: Scale) -> list[Markup]:
    """Draw the ceilings: slopes for memory, level lines for operations; labels stand to the right, apart."""
    peak = max((c.value for c in ceilings if c.kind == "compute"), default=y.high)
    parts, labels = [], []
    for c in ceilings:
        class_ = "ceiling" if c.how == "measured" else "ceiling nominal"
        if c.kind == "compute":
            parts.append(line(x.start, y(c.value), x.end, y(c.value), class_))
            labels.append((y(c.value), f"{c.name} {short(c.value)}"))
            continue
        first, last = max(x.low, y.low / c.value), min(x.high, peak / c.value)
        if first < last:
            parts.append(line(x(first), y(first * c.value), x(last), y(last * c.value), class_))
            middle = (first * last) ** 0.5
            words = f"{c.name} {short(c.value, 'B/s')}"
            parts.append(text(x(middle) - 10, y(middle * c.value) - 4, words, "end", "label strong"))
    at = -100.0
    for place, words in sorted(labels):
        at = max(place + 4, at + 14)
        parts.append(text(x.end + 8, at, words))
    return parts


def _room(names: Iterable[str]) -> int:
    """Return the width that labels to the left of a drawing need."""
    return min(340, 24 + round(6.3 * max(map(len, names))))


def ratio_rows(rows: Sequence[tuple[str, Ratios, Sequence[str]]], title: str) -> Markup:
    """Draw one row of dots per group: each problem's ratio to a peer, with the geometric mean as a bar."""
    left, right, top = _room(name for name, _, _ in rows), WIDTH - 170, 26
    values = [v for _, ratios, _ in rows for v in ratios.values]
    low, high = min(0.5, min(values)), max(2.0, max(values))
    x = Scale(low / 1.05, high * 1.05, left, right, log=True)
    bottom = top + ROW * len(rows)
    marks = [v for v in (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0) if x.low <= v <= x.high]
    parts = [line(x(v), top - 6, x(v), bottom, "one" if v == 1 else "grid") for v in marks]
    parts += [text(x(v), top - 11, f"{v:g}x", "middle") for v in marks]
    for number, (name, ratios, labels) in enumerate(rows):
        y = top + ROW * number + ROW / 2
        parts.append(text(left - 12, y + 4, name, "end"))
        for value, label in zip(ratios.values, labels, strict=True):
            parts.append(dot(x(value), y, f"{label}\n{value:.2f}x", "point " + ("c0" if value >= 1 else "c1"), 3))
        parts.append(line(x(ratios.mean), y - 8, x(ratios.mean), y + 8, "mean"))
        words = f"{ratios.mean:.2f}x · least {ratios.least:.2f} · n {len(ratios.values)}"
        parts.append(text(right + 12, y + 4, words, "start", "label strong"))
    return drawing(WIDTH, int(bottom + 8), *parts, title=title)


def selector_rows(scores: Scores) -> Markup:
    """Draw for each selector the efficiency of its choices: minimum, tenth percentile to median, and mean."""
    left, right, top = 110, WIDTH - 170, 24
    order = [s for s in SELECTORS if s in scores.selectors] + sorted(set(scores.selectors) - set(SELECTORS))
    x = Scale(0, 1, left, right)
    bottom = top + ROW * len(order)
    parts = [line(x(v / 4), top - 6, x(v / 4), bottom) for v in range(5)]
    parts += [text(x(v / 4), top - 11, f"{25 * v}%", "middle") for v in range(5)]
    for number, name in enumerate(order):
        s, y = scores.selectors[name], top + ROW * number + ROW / 2
        hint = ", ".join(f"{k} {100 * s[k]:.1f}%" for k in ("mean", "median", "p10", "min"))
        parts.append(text(left - 12, y + 4, name, "end"))
        parts.append(line(x(s["min"]), y, x(s["median"]), y, "whisker"))
        parts.append(box(x(s["p10"]), y - 5, max(1.0, x(s["median"]) - x(s["p10"])), 10, "bar", f"{name}: {hint}"))
        parts.append(dot(x(s["mean"]), y, f"{name}: {hint}", "point solid c0", 5))
        words = f"{100 * s['mean']:.1f}% · P10 {100 * s['p10']:.1f} · min {100 * s['min']:.0f}"
        parts.append(text(right + 12, y + 4, words, "start", "label strong" if name == "learned" else "label"))
    return drawing(WIDTH, int(bottom + 8), *parts, title=f"Selectors on {scores.name}")


def winner_map(title: str, winners: Sequence[Winner], families: Sequence[str]) -> Markup:
    """Draw which kind of kernel wins over rows and columns of the product; the share says how often."""
    cells: dict[tuple[int, int], list[Winner]] = {}
    for w in winners:
        cells.setdefault((power_of_two(w.columns), power_of_two(w.rows)), []).append(w)
    columns = range(min(c for c, _ in cells), max(c for c, _ in cells) + 1)
    rows = range(min(r for _, r in cells), max(r for _, r in cells) + 1)
    left, top = 62, 10
    side = min(44.0, (WIDTH - left - 20) / len(columns))
    tall = min(side, 26.0)
    bottom = top + tall * len(rows)
    parts = []
    for (c, r), found in cells.items():
        counts = Counter(w.family for w in found)
        name, most = counts.most_common(1)[0]
        best = max(found, key=lambda w: w.rate)
        told = ", ".join(f"{f} {n}" for f, n in counts.most_common(4))
        hint = (
            f"{2**r} to {2 ** (r + 1) - 1} rows, {2**c} to {2 ** (c + 1) - 1} columns: {len(found)} problems\n{told}\n"
        )
        hint += f"{short(best.rate, 'FLOP/s')} by {best.kernel}"
        x, y = left + side * columns.index(c), bottom - tall * (rows.index(r) + 1)
        share = "sure" if most >= 0.8 * len(found) else "mixed"
        parts.append(box(x, y, side - 2, tall - 2, f"cell {share} {colour_of(name, families)}", hint))
        parts.append(text(x + side / 2 - 1, y + tall / 2 + 3, str(len(found)), "middle", "count"))
    parts += [text(left + side * (i + 0.5), bottom + 14, _size(c), "middle") for i, c in enumerate(columns)]
    parts += [text(left - 8, bottom - tall * (i + 0.5) + 4, _size(r), "end") for i, r in enumerate(rows)]
    middle = left + side * len(columns) / 2
    parts.append(text(middle, bottom + 32, "columns of the product (N)", "middle", "axis"))
    parts.append(tag("text", "rows (M)", x=14.0, y=(top + bottom) / 2, text_anchor="middle", class_="axis",
                     transform=f"rotate(-90 14 {(top + bottom) / 2:.0f})"))  # fmt: skip
    return drawing(WIDTH, int(bottom + 40), *parts, title=title)


def _size(exponent: int) -> str:
    return (
        str(2**exponent)
        if exponent < 10
        else f"{2 ** (exponent - 10)}k"
        if exponent < 20
        else f"{2 ** (exponent - 20)}M"
    )


def build_rows(groups: Mapping[str, Sequence[float]]) -> Markup:
    """Draw how long kernels take to compile: whole range, middle half and median of each group."""
    left, right, top = _room(groups), WIDTH - 150, 26
    values = [v for times in groups.values() for v in times]
    x = Scale(*whole_decades(values), left, right, log=True)
    bottom = top + ROW * len(groups)
    parts = [line(x(v), top - 6, x(v), bottom) for v in x.decades()]
    parts += [text(x(v), top - 11, time(v), "middle") for v in x.decades()]
    for number, (name, times) in enumerate(groups.items()):
        y, middle = top + ROW * number + ROW / 2, median(times)
        quarters = quantiles(times, n=4) if len(times) > 1 else [middle] * 3
        hint = f"{name}: {len(times)} kernels, {time(min(times))} to {time(max(times))}, median {time(middle)}"
        parts.append(text(left - 12, y + 4, name, "end"))
        parts.append(line(x(min(times)), y, x(max(times)), y, "whisker"))
        parts.append(box(x(quarters[0]), y - 5, max(1.0, x(quarters[2]) - x(quarters[0])), 10, "bar", hint))
        parts.append(line(x(middle), y - 8, x(middle), y + 8, "mean"))
        parts.append(text(right + 12, y + 4, f"{time(middle)} · n {len(times)}", "start", "label strong"))
    return drawing(WIDTH, int(bottom + 8), group(*parts), title="Build times")
