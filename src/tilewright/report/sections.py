"""The sections of a report: what each shows, or which command makes what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from markupsafe import Markup

from ..arch import get_arch, get_nominal_devices
from ..errors import TilewrightError, plural
from ..tune.measure.timer import QUIET_NOISE
from .charts import Compared, build_rows, colour_of, op_names, ratio_rows, roofline, selector_rows, winner_map
from .results import Ceiling, Check, Results, Run, Winner

MAX_FAMILIES = 7  # kinds of kernels with a colour of their own; the others share the last one
BEST = "best"  # stands in for a measured ceiling
NOT_EXECUTED = "refused"  # by the emulator, or because no trial problem suits the kernel
FEW = 3  # problems; smaller groups of winners make no map


@dataclass(frozen=True)
class Figure:
    """One drawing with its title, a note below it, and the meaning of its colours."""

    title: str
    drawing: Markup
    note: str = ""
    legend: Sequence[tuple[str, str]] = ()  # (class, meaning)


@dataclass(frozen=True)
class Section:
    """One section: figures, or the command that makes what is missing."""

    id: str
    title: str
    lead: str
    figures: Sequence[Figure] = ()
    command: str = ""
    matrix: Any = field(default=None)

    @property
    def missing(self) -> bool:
        """Whether there is nothing to show."""
        return not self.figures and self.matrix is None


def sections_of(results: Results) -> list[Section]:
    """Return all sections in order.

    >>> [s.id for s in sections_of(Results()) if s.missing]
    ['peers', 'roofline', 'selectors', 'winners', 'builds', 'amd']
    """
    return [
        Section("peers", "Speed against peers",
                "Time of the peer divided by ours, in one interleaved run per problem. Each dot is one problem; right "
                "of 1x tilewright is faster. The thin line through a dot is where the ratio lies in most rounds. The "
                f"bar is the geometric mean of quiet runs, those with at most {QUIET_NOISE:.0%} of noise.",
                _peers(results.runs), "tilewright bench problems.jsonl --compare torch,numpy --out results.jsonl"),
        Section("roofline", "Roofline",
                "Rate of each problem over the operations per byte that it needs. Solid lines are measured ceilings, "
                "dashed ones nominal: computed from clock, units and instructions. Dotted ones stand in for them: the "
                "best rate of any run. Data that stays in caches may exceed the line of memory.",
                _rooflines(results), "tilewright bench problems.jsonl --out results.jsonl"),
        Section("selectors", "Selectors against the oracle",
                "Best measured time divided by the time of the selector's choice, on held-out problems. The bar spans "
                "the tenth percentile to the median, the thin line begins at the minimum, the dot is the mean.",
                [Figure(s.name, selector_rows(s), " · ".join(filter(None, (s.gain, s.note, s.source))))
                 for s in results.scores if s.selectors],
                "tilewright tune --budget 10m && tilewright evaluate --json > selection.json"),
        Section("winners", "Winners over shapes",
                "The kind of kernel that wins most problems of a size; the number counts them. Pale cells have no "
                "clear winner (below 80%). Products are shown by their sides, convolutions by kind of layer and "
                "operations, attention by its kind and the number of keys.",
                _winners(results.winners), "tilewright tune --budget 10m"),
        Section("builds", "Build times",
                "Seconds per kernel: the thin line is the whole range, the bar the middle half, the mark the median.",
                _builds(results), "tilewright build problems.jsonl"),
        Section("amd", "AMD verification matrix",
                "What is proven of kernels for AMD GPUs, and how: compiled into the expected matrix instructions, and "
                "executed in the emulator with results equal to the reference. Nothing here ran on AMD hardware.",
                (), "python benchmarks/ck_tile/ck_tile_audit.py", _matrix(results.checks)),
    ]  # fmt: skip


def _peers(runs: Sequence[Run]) -> list[Figure]:
    figures = []
    for place in dict.fromkeys(r.place for r in runs):
        for op in dict.fromkeys(r.op for r in runs if r.place == place):
            groups: dict[str, list[Compared]] = {}
            for r in runs:
                if (r.place, r.op) == (place, op):
                    for peer, ratio in r.peers.items():
                        name = " ".join(filter(None, (r.dtype, r.kind)))
                        one = Compared(r.label, ratio, r.spans.get(peer), r.quiet)
                        groups.setdefault(f"{name} / {peer}", []).append(one)
            rows = sorted(groups.items())
            if rows:
                drawn = ratio_rows(rows, f"{op} on {place} against peers")
                legend = (("c0", "faster than the peer"), ("c1", "slower"))
                figures.append(Figure(f"{op}, {place}", drawn, _noise_note([c for _, g in rows for c in g]), legend))
    return figures


def _noise_note(found: Sequence[Compared]) -> str:
    """Return the line below a drawing of ratios: how many there are, and how steady their runs were."""
    noisy, unknown = (sum(c.quiet is state for c in found) for state in (False, None))
    note = f"{len(found)} comparisons; tilewright is slower in {sum(c.ratio < 1 for c in found)}."
    if noisy:
        note += f" {noisy} are of noisy runs (pale), which no mean counts."
    if unknown:
        note += f" The noise of {unknown} was not recorded (pale): no mean counts them until they are measured again."
    return note


def _rooflines(results: Results) -> list[Figure]:
    figures = []
    for place in dict.fromkeys(r.place for r in results.runs):
        here = [r for r in results.runs if r.place == place]
        runs = [r for r in here if r.flops and r.ok is not False]
        if not runs:
            continue
        ops = [o for o in op_names(runs) if any(r.op == o for r in runs)]
        legend = [(colour_of(o, op_names(runs)), o) for o in ops]
        ceilings = ceilings_of(place, runs, results.ceilings)
        note = f"{plural(len(runs), 'run')}."
        if len(runs) < len(here):
            note += f" {len(here) - len(runs)} more had nothing to compute or gave a wrong result."
        if any(c.how == BEST for c in ceilings):
            note += f" {BEST}: no ceiling was measured; this is the best of these runs, ours or a peer's."
            note += " The option --ceilings measures those of this CPU." if runs[0].threads else ""
        figures.append(Figure(place, roofline(place, runs, ceilings), note, legend))
    return figures


def ceilings_of(place: str, runs: Sequence[Run], recorded: Sequence[Ceiling]) -> list[Ceiling]:
    """Return the ceilings of a place: recorded and nominal ones, and the best rates of its runs if there are none."""
    found = list({(c.kind, c.name): c for c in sorted(recorded, key=lambda c: c.value) if c.place == place}.values())
    if not any(c.kind == "compute" for c in found):
        for dtype in sorted({r.dtype for r in runs}):
            # a peer's rate is ours divided by the ratio
            rates = [r.rate / min(1.0, *r.peers.values(), 1.0) for r in runs if r.dtype == dtype]
            found.append(Ceiling(place, "compute", f"{BEST} {dtype}", max(rates), BEST))
    found += _nominal(place, runs, {c.kind for c in found if c.kind == "memory"})
    if not any(c.kind == "memory" for c in found):
        moved = max(r.bytes / r.seconds / min(1.0, *r.peers.values(), 1.0) for r in runs)
        found.append(Ceiling(place, "memory", f"{BEST} bytes", moved, BEST))
    return found


def _nominal(place: str, runs: Sequence[Run], have: set[str]) -> list[Ceiling]:
    """Return the ceilings that the arch facts give, if a nominal device has the name of this one."""
    arch = next((r.arch for r in runs if r.arch), "")
    try:
        facts, devices = get_arch(arch), get_nominal_devices(arch)
    except TilewrightError:
        return []
    device = next((d for d in devices if d.name.split("-")[0] in place.split()), None)  # H200-SXM, NVIDIA H200
    if device is None:
        return []
    rate = device.units * device.clock_mhz * 1e6
    rates: dict[float, list[str]] = {}
    for dtype in sorted({r.dtype for r in runs} & set(facts.ops_per_cycle)):
        rates.setdefault(facts.ops_per_cycle[dtype] * rate, []).append(dtype)
    found = [Ceiling(place, "compute", f"nominal {' '.join(n)}", v, "nominal") for v, n in rates.items()]
    if "memory" not in have and device.bandwidth_gbps:
        found.append(Ceiling(place, "memory", "nominal", device.bandwidth_gbps * 1e9, "nominal"))
    return found


def _winners(winners: Sequence[Winner]) -> list[Figure]:
    groups: dict[tuple[str, str, str, str], list[Winner]] = {}
    for w in winners:
        groups.setdefault((w.device, w.op, w.kind, w.dtype), []).append(w)
    figures = []
    for (device, op, kind, dtype), found in sorted(groups.items()):
        if len(found) < FEW:
            continue
        counts = Counter(w.family for w in found)
        families = [f for f, _ in counts.most_common(MAX_FAMILIES)]
        legend = [(colour_of(f, families), f"{f} {counts[f]}") for f in families]
        if len(counts) > len(families):
            legend.append(("c7", f"others {sum(n for f, n in counts.items() if f not in families)}"))
        title = f"{' '.join(filter(None, (op, kind, dtype)))}, {device}"
        candidates, margins = median(w.candidates for w in found), [w.margin for w in found if w.margin]
        note = f"{len(found)} problems, {candidates:.0f} measured candidates in the median."
        if margins:
            note += f" The best kernel of another kind takes {median(margins):.2f}x as long in the median."
        figures.append(Figure(title, winner_map(title, found, families), note, legend))
    return figures


def _builds(results: Results) -> list[Figure]:
    groups: dict[str, list[float]] = {}
    for b in results.builds:
        groups.setdefault(b.group, []).append(b.seconds)
    return [Figure("Seconds per kernel", build_rows(dict(sorted(groups.items()))))] if groups else []


@dataclass(frozen=True)
class Cell:
    """What is known of the kernels of one kind for one arch."""

    state: str = "none"
    text: str = ""
    hint: str = "no kernel of this kind was tried for this arch"


def _matrix(checks: Sequence[Check]) -> Mapping[str, Any] | None:
    if not checks:
        return None
    checks = _merged(checks)
    archs = sorted({c.arch for c in checks}, key=lambda a: (len(a), a))
    names = sorted({(c.backend, c.op, c.dtypes) for c in checks})
    rows = []
    for name in names:
        cells = [_cell([c for c in checks if (c.backend, c.op, c.dtypes, c.arch) == (*name, a)]) for a in archs]
        rows.append((*name, cells))
    accepted = [c for c in checks if c.accepted and c.good is not None]
    refused = [c for c in checks if not c.accepted and not c.beyond]
    executed, unable = [c for c in checks if _ran(c)], sum(c.executed == NOT_EXECUTED for c in checks)
    totals = [
        (f"{len(accepted)}", f"accepted kernels compiled, {sum(not c.good for c in accepted)} not as they should be"),
        (
            f"{len(refused)}",
            f"kernels refused as impossible, {sum(bool(c.good) for c in refused)} compile anyway",
        ),
        (
            f"{len(executed)}",
            f"executed in the emulator, {sum(c.executed != 'right' for c in executed)} not right"
            + (f"; {unable} more could not be executed" if unable else ""),
        ),
    ]
    return {"archs": archs, "rows": rows, "totals": totals}


def _merged(checks: Sequence[Check]) -> list[Check]:
    """Return one check per kernel: what one file says of its compilation and another of its execution, together."""
    found: dict[str, Check] = {}
    for number, c in enumerate(checks):
        key = c.digest or f"number {number}"
        known = found.get(key)
        if known is None:
            found[key] = c
            continue
        good = known.good if c.good is None else c.good and known.good is not False
        executed = max((known.executed, c.executed), key=_weight)
        found[key] = replace(known, good=good, executed=executed, reason=known.reason or c.reason)
    return list(found.values())


def _ran(check: Check) -> bool:
    return check.executed not in ("", NOT_EXECUTED)


def _weight(executed: str) -> tuple[int, str]:
    """Return which of two runs counts: a wrong one before a right one, and any before none."""
    return {"": 0, NOT_EXECUTED: 1, "right": 2}.get(executed, 3), executed


def _cell(checks: Sequence[Check]) -> Cell:
    accepted = [c for c in checks if c.accepted]
    if not accepted:
        refused = len(checks)
        return Cell("refused", f"{refused} refused", f"{refused} refused by rules") if refused else Cell()
    compiled, good = [c for c in accepted if c.good is not None], sum(bool(c.good) for c in accepted)
    ran, right = [c for c in accepted if _ran(c)], sum(c.executed == "right" for c in accepted)
    bad = [c for c in accepted if c.good is False or (_ran(c) and c.executed != "right")]
    unable = [c for c in accepted if c.executed == NOT_EXECUTED]
    text = f"{good}/{len(compiled)} compile" if compiled else ""
    if ran:
        text += f"{', ' if text else ''}{right}/{len(ran)} right"
    if unable:
        text += f"{', ' if text else ''}{len(unable)} not executed"
    pipelines = ", ".join(f"{p} {n}" for p, n in sorted(Counter(c.pipeline or "default" for c in accepted).items()))
    faults = [*((c.executed or "not as it should be", c) for c in bad), *(("could not be executed", c) for c in unable)]
    hint = f"pipelines: {pipelines}" + "".join(f"\n{what}: {c.reason}" for what, c in faults[:3])
    return Cell("bad" if bad else "ran" if ran else "compiles", text, hint)
