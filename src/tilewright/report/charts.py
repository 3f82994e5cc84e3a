"""The drawings of a report: rooflines, ratios to peers, selectors, winners over shapes, build times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import atan2, degrees, hypot
from statistics import median, quantiles

from markupsafe import Markup

from .results import Ceiling, Ratios, Run, Scores, Winner
from .shapes import AXES
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
MAX_LETTERS = 46  # of a label beside a drawing
LETTER = 6.6  # width of a letter, on average and on the safe side
OPS = ("gemm", "conv", "fmha")  # the first colours; other ops follow
SELECTORS = ("first_fit", "rules", "analytical", "nearest", "learned")


def colour_of(name: str, names: Sequence[str]) -> str:
    """Return the class of a name's colour."""
    return f"c{names.index(name) % COLOURS}" if name in names else "c7"


def roofline(place: str, runs: Sequence[Run], ceilings: Sequence[Ceiling]) -> Markup:
    """Draw rates over operations per byte, below the ceilings of the device."""
    levels = [c for c in ceilings if c.kind == "compute"]
    left, top, bottom, height = 62, 26, 378, 422
    right = WIDTH - max(60, 16 + round(LETTER * max((len(_name(c)) for c in levels), default=0)))
    rates = [r.rate for r in runs] + [c.value for c in levels]
    # The corners of the roof are shown as well, within reason: they are what a roofline is for.
    corners = [peak.value / c.value for c in ceilings if c.kind == "memory" for peak in levels]
    intensities = [r.intensity for r in runs]
    most = 30 * max(intensities)
    intensities += [min(corner, most) for corner in corners]
    x = Scale(min(intensities) / 1.5, max(intensities) * 1.5, left, right, log=True)
    y = Scale(min(rates) / 1.5, max(rates) * 1.5, bottom, top, log=True)
    parts = [line(x(v), top, x(v), bottom) for v in x.marks()]
    parts += [text(x(v), bottom + 16, short(v), "middle") for v in x.marks()]
    parts += [line(left, y(v), right, y(v)) for v in y.marks()]
    parts += [text(left - 8, y(v) + 4, short(v), "end") for v in y.marks()]
    parts.append(text((left + right) / 2, height - 8, "operations per byte", "middle", "axis"))
    parts.append(text(left - 8, top - 10, "FLOP/s", "end", "axis"))
    parts += _ceilings(ceilings, x, y)
    ops = op_names(runs)
    for r in sorted(runs, key=lambda r: r.seconds):
        hint = f"{r.label}\n{short(r.rate, 'FLOP/s')}, {time(r.seconds)}\n{r.kernel}"
        parts.append(dot(x(r.intensity), y(r.rate), hint, f"point {colour_of(r.op, ops)}"))
    return drawing(WIDTH, height, *parts, title=f"Roofline of {place}")


def op_names(runs: Sequence[Run]) -> list[str]:
    """Return the ops of some runs, in the order of their colours."""
    return [*OPS, *sorted({r.op for r in runs} - set(OPS))]


def _name(ceiling: Ceiling) -> str:
    return f"{_cut(ceiling.name)[:24]} {short(ceiling.value, 'FLOP/s' if ceiling.kind == 'compute' else 'B/s')}"


def _ceilings(ceilings: Sequence[Ceiling], x: Scale, y: Scale) -> list[Markup]:
    """Draw the roof: slopes for memory up to the highest level, levels for operations from the steepest slope on."""
    levels = [c for c in ceilings if c.kind == "compute"]
    slopes = [c for c in ceilings if c.kind == "memory"]
    peak, steepest = (max((c.value for c in some), default=0.0) for some in (levels, slopes))
    parts = []
    for c in slopes:
        first, last = max(x.low, y.low / c.value), min(x.high, (peak or y.high) / c.value)
        if first < last:
            parts.append(line(x(first), y(first * c.value), x(last), y(last * c.value), f"ceiling {c.how}"))
            parts += _along(x, y, c, first, last)
    labels = []
    for c in levels:
        corner = x(c.value / steepest) if steepest else x.start
        parts.append(line(corner, y(c.value), x.end, y(c.value), f"ceiling {c.how}"))
        labels.append((y(c.value), _name(c)))
    at = -100.0
    for place, words in sorted(labels):
        at = max(place + 4, at + 14)
        parts.append(text(x.end + 8, at, words))
    return parts


def _along(x: Scale, y: Scale, c: Ceiling, first: float, last: float) -> list[Markup]:
    """Write the name of a slope along its upper side; above its upper end if the slope is too short for it."""
    middle = (first * last) ** 0.5
    at, height = x(middle), y(middle * c.value)
    rise, run = y(first * c.value) - y(last * c.value), x(last) - x(first)
    if hypot(rise, run) < LETTER * len(_name(c)) + 8:
        return [text(x(last) + 4, y(last * c.value) - 7, _name(c), "start", "label strong")]
    turn = f"rotate({-degrees(atan2(rise, run)):.1f} {at:.1f} {height:.1f})"
    return [tag("text", _name(c), x=at, y=height - 5, text_anchor="middle", class_="label strong", transform=turn)]


def _cut(name: str) -> str:
    """Return a label that leaves room for the drawing."""
    return name if len(name) <= MAX_LETTERS else f"{name[: MAX_LETTERS - 1]}…"


def _room(names: Iterable[str]) -> int:
    """Return the width that labels beside a drawing need."""
    return 24 + round(LETTER * max(map(len, names)))


@dataclass(frozen=True)
class Compared:
    """One comparison with a peer: the ratio, where it lies in most rounds, and whether its run was quiet."""

    label: str
    ratio: float
    span: tuple[float, float] | None = None
    quiet: bool | None = None

    @property
    def hint(self) -> str:
        """What a tooltip says."""
        span = f", {self.span[0]:.2f} to {self.span[1]:.2f} in most rounds" if self.span else ""
        state = {True: "", False: "\nnoisy run, not in the mean", None: "\nnoise not recorded, not in the mean"}[
            self.quiet
        ]
        return f"{self.label}\n{self.ratio:.2f}x{span}{state}"


def counted(found: Sequence[Compared]) -> tuple[Ratios | None, str]:
    """Return the ratios that a mean is made of, and what to say of the others.

    These are the quiet ones. Files of older versions do not record the noise: nobody knows how far these are right.

    >>> counted([Compared("a", 2.0, quiet=True), Compared("b", 9.0, quiet=False)])
    (Ratios(values=(2.0,)), '1 noisy')
    >>> counted([Compared("b", 9.0, quiet=False), Compared("c", 2.0)])
    (None, '1 noisy · 1 without noise')
    """
    quiet = tuple(c.ratio for c in found if c.quiet)
    states = {"noisy": False, "without noise": None}
    counts = {name: sum(c.quiet is state for c in found) for name, state in states.items()}
    return (Ratios(quiet) if quiet else None), " · ".join(f"{n} {name}" for name, n in counts.items() if n)


def ratio_rows(rows: Sequence[tuple[str, Sequence[Compared]]], title: str) -> Markup:
    """Draw one row of dots per group: each problem's ratio to a peer and its span, the geometric mean as a bar."""
    words = [_summary(*counted(found)) for _, found in rows]
    rows = [(_cut(name), found) for name, found in rows]
    left, right, top = _room(name for name, _ in rows), WIDTH - _room(words) + 8, 42
    values = [v for _, found in rows for c in found for v in (c.ratio, *(c.span or ()))]
    low, high = min(0.5, min(values)), max(2.0, max(values))
    x = Scale(low / 1.05, high * 1.05, left, right, log=True)
    bottom = top + ROW * len(rows)
    marks = [v for v in (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0) if x.low <= v <= x.high]
    parts = [text(x(1.0), 12, "time of the peer / ours", "middle", "axis")]
    parts += [line(x(v), top - 6, x(v), bottom, "one" if v == 1 else "grid") for v in marks]
    parts += [text(x(v), top - 11, f"{v:g}x", "middle") for v in marks]
    for number, ((name, found), said) in enumerate(zip(rows, words, strict=True)):
        y = top + ROW * number + ROW / 2
        parts.append(text(left - 12, y + 4, name, "end"))
        for c in found:
            if c.span:
                parts.append(line(x(c.span[0]), y, x(c.span[1]), y, "span"))
            class_ = "point " + ("c0" if c.ratio >= 1 else "c1") + ("" if c.quiet else " noisy")
            parts.append(dot(x(c.ratio), y, c.hint, class_, 3))
        ratios, _ = counted(found)
        if ratios:
            parts.append(line(x(ratios.mean), y - 8, x(ratios.mean), y + 8, "mean"))
        parts.append(text(right + 12, y + 4, said, "start", "label strong"))
    return drawing(WIDTH, int(bottom + 8), *parts, title=title)


def _summary(ratios: Ratios | None, others: str) -> str:
    mean = f"{ratios.mean:.2f}x · least {ratios.least:.2f} · n {len(ratios.values)}" if ratios else "no quiet run"
    return f"{mean} · {others}" if others else mean


def selector_rows(scores: Scores) -> Markup:
    """Draw for each selector the efficiency of its choices: minimum, tenth percentile to median, and mean."""
    left, right, top = 110, WIDTH - 200, 42
    order = [s for s in SELECTORS if s in scores.selectors] + sorted(set(scores.selectors) - set(SELECTORS))
    x = Scale(0, 1, left, right)
    bottom = top + ROW * len(order)
    parts = [text(x(0.5), 12, "best time / time of the choice", "middle", "axis")]
    parts += [line(x(v / 4), top - 6, x(v / 4), bottom) for v in range(5)]
    parts += [text(x(v / 4), top - 11, f"{25 * v}%", "middle") for v in range(5)]
    for number, name in enumerate(order):
        s, y = scores.selectors[name], top + ROW * number + ROW / 2
        hint = ", ".join(f"{k} {100 * s[k]:.1f}%" for k in ("mean", "median", "p10", "min"))
        parts.append(text(left - 12, y + 4, name[:14], "end"))
        parts.append(line(x(s["min"]), y, x(s["median"]), y, "whisker"))
        parts.append(box(x(s["p10"]), y - 5, max(1.0, x(s["median"]) - x(s["p10"])), 10, "bar", f"{name}: {hint}"))
        parts.append(dot(x(s["mean"]), y, f"{name}: {hint}", "point solid c0", 5))
        words = f"{100 * s['mean']:.1f}% · P10 {100 * s['p10']:.1f} · min {100 * s['min']:.0f}"
        parts.append(text(right + 12, y + 4, words, "start", "label strong" if name == "learned" else "label"))
    return drawing(WIDTH, int(bottom + 8), *parts, title=f"Selectors on {scores.name}")


def winner_map(title: str, winners: Sequence[Winner], families: Sequence[str]) -> Markup:
    """Draw which kind of kernel wins over the axes of the op's map; the number counts problems."""
    cells: dict[tuple[int, str | int], list[Winner]] = {}
    for w in winners:
        cells.setdefault((power_of_two(w.column), w.row), []).append(w)
    columns = range(min(c for c, _ in cells), max(c for c, _ in cells) + 1)
    rows = _map_rows([r for _, r in cells])
    names = [_size(r) if isinstance(r, int) else r for r in rows]
    upward, across = AXES.get(winners[0].op, ("rows", "columns"))
    left, top = 10 + _room(names), 10
    side = min(44.0, (WIDTH - left - 20) / len(columns))
    tall = 22.0 if isinstance(rows[0], str) else min(side, 26.0)
    bottom = top + tall * len(rows)
    parts = []
    for (c, r), found in cells.items():
        x, y = left + side * columns.index(c), bottom - tall * (rows.index(r) + 1)
        parts += _cell(x, y, side, tall, found, families, f"{names[rows.index(r)]} {upward}, {_size(c)} {across}")
    every = max(1, -(-38 // round(side)))  # labels that would run into each other are left out
    parts += [
        text(left + side * (i + 0.5), bottom + 14, _size(c), "middle") for i, c in enumerate(columns) if i % every == 0
    ]
    parts += [text(left - 8, bottom - tall * (i + 0.5) + 4, name, "end") for i, name in enumerate(names)]
    middle, height = left + side * len(columns) / 2, max(bottom, top + LETTER * len(upward) + 8)
    parts.append(text(max(middle, LETTER * len(across) / 2 + 4), height + 32, across, "middle", "axis"))
    parts.append(tag("text", upward, x=14.0, y=(top + bottom) / 2, text_anchor="middle", class_="axis",
                     transform=f"rotate(-90 14 {(top + bottom) / 2:.0f})"))  # fmt: skip
    return drawing(WIDTH, int(height + 40), *parts, title=title)


def _map_rows(found: Sequence[str | int]) -> Sequence[str | int]:
    """Return the rows of a map from below: sizes without a gap, or kinds by name."""
    sizes = [r for r in found if isinstance(r, int)]
    return range(min(sizes), max(sizes) + 1) if sizes else sorted(set(found), key=str, reverse=True)


def _cell(
    x: float, y: float, side: float, tall: float, found: Sequence[Winner], families: Sequence[str], where: str
) -> list[Markup]:
    """Draw one cell: the kind that wins most of its problems, pale if it wins less than 80%."""
    counts = Counter(w.family for w in found)
    name, most = counts.most_common(1)[0]
    best, margins = max(found, key=lambda w: w.rate), [w.margin for w in found if w.margin]
    hint = f"{where}: {len(found)} problems\n{', '.join(f'{f} {n}' for f, n in counts.most_common(4))}\n"
    hint += f"the next kind takes {median(margins):.2f}x as long\n" if margins else ""
    hint += f"{short(best.rate, 'FLOP/s')} by {best.kernel}"
    share = "sure" if most >= 0.8 * len(found) else "mixed"
    return [
        box(x, y, side - 2, tall - 2, f"cell {share} {colour_of(name, families)}", hint),
        text(x + side / 2 - 1, y + tall / 2 + 3, str(len(found)), "middle", "count"),
    ]


def _size(exponent: int) -> str:
    """Return a power of two in short.

    >>> _size(9), _size(12), _size(31)
    ('512', '4k', '2G')
    """
    step = min(exponent // 10, 5)
    return f"{2 ** (exponent - 10 * step)}{' kMGTP'[step].strip()}"


def build_rows(groups: Mapping[str, Sequence[float]]) -> Markup:
    """Draw how long kernels take to compile: whole range, middle half and median of each group."""
    groups = {_cut(name): times for name, times in groups.items()}
    left, right, top = _room(groups), WIDTH - 150, 42
    values = [v for times in groups.values() for v in times]
    x = Scale(*whole_decades(values), left, right, log=True)
    bottom = top + ROW * len(groups)
    parts = [text((left + right) / 2, 12, "time to build one kernel", "middle", "axis")]
    parts += [line(x(v), top - 6, x(v), bottom) for v in x.decades()]
    parts += [text(x(v), top - 11, time(v), "middle") for v in x.decades()]
    for number, (name, times) in enumerate(groups.items()):
        y, middle = top + ROW * number + ROW / 2, median(times)
        quarters = quantiles(times, n=4, method="inclusive") if len(times) > 1 else [middle] * 3
        hint = f"{name}: {len(times)} kernels, {time(min(times))} to {time(max(times))}, median {time(middle)}"
        parts.append(text(left - 12, y + 4, name, "end"))
        parts.append(line(x(min(times)), y, x(max(times)), y, "whisker"))
        parts.append(box(x(quarters[0]), y - 5, max(1.0, x(quarters[2]) - x(quarters[0])), 10, "bar", hint))
        parts.append(line(x(middle), y - 8, x(middle), y + 8, "mean"))
        parts.append(text(right + 12, y + 4, f"{time(middle)} · n {len(times)}", "start", "label strong"))
    return drawing(WIDTH, int(bottom + 8), group(*parts), title="Build times")
