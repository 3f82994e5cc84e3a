"""What the emulator found when kernels were executed, as a part of the page of the audit."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

EXECUTED = Path(__file__).parents[1] / "results" / "ck_tile_executed.jsonl"
ARCHS = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1200", "gfx1201")
BACKENDS = {"ck_tile": "CK Tile", "triton": "Triton"}
STATES = ("right", "wrong", "refused")
FAMILIES = {
    "gemm": (
        *("standard", "multi_d", "multi_abd", "preshuffle", "batched", "grouped", "stream_k_atomic", "stream_k_linear"),
        "quant",
    ),
    "conv": ("forward", "backward_data", "backward_weight"),
    "fmha": ("fwd", "fwd_splitkv", "fwd_pagedkv", "fwd_appendkv", "batch_prefill", "bwd"),
}
ABOUT = """\
Kernels were executed in the [emulator](amd-emulator.md) under its sanitizer, each on a small problem per path: the main
loop, several blocks, tails in every dimension that may have them, padding, grouped heads, strides and dilation. Right
means that every result is within its tolerance of the float64 reference and that the sanitizer found nothing, faulty
that it found something although results are right. Refused means that the emulator could not execute it. `all` counts
kernels whose every device kernel was executed (all endings of the main loop, splits of K); of the others only the one
for long K was compiled, or [the list of the contract](contract.md) executed those that its problems need. Rows are in
`benchmarks/results/ck_tile_executed.jsonl`."""

Row = dict[str, Any]
Table = Callable[[Sequence[str], Iterable[Sequence[Any]], int], list[str]]


def known(path: Path = EXECUTED) -> list[Row]:
    """The rows so far, the newest of each kernel."""
    lines = path.read_text().splitlines() if path.is_file() else []
    return list({row["digest"]: row for row in map(json.loads, lines)}.values())


def executed_part(rows: Sequence[Row], table: Table) -> list[str]:
    """The part of the page: how many kernels of each arch and family are in each state, and all that are not right."""
    if not rows:
        return []
    ran = [r for r in rows if r.get("executed") in ("right", "wrong")]
    parts = ["", "## Executed", "", ABOUT, "", *_summary(ran)]
    for backend, name in BACKENDS.items():
        own = [r for r in rows if r["backend"] == backend]
        parts += ["", f"### {name}", "", *_matrix(own, table), ""]
    return [*parts, "### Not right", "", *_not_right(rows)]


def _summary(ran: Sequence[Row]) -> list[str]:
    lines = []
    for backend, name in BACKENDS.items():
        own = [r for r in ran if r["backend"] == backend]
        right, runs = sum(r["executed"] == "right" for r in own), sum(len(r["runs"]) for r in own)
        named = f", {sum(r['named'] for r in own)} of them of the preselected sets" if backend == "ck_tile" else ""
        lines.append(f"- {name}: {len(own)} kernels executed{named}, {right} right; {runs} executions.")
    return lines


def _matrix(rows: Sequence[Row], table: Table) -> list[str]:
    cells: dict[tuple[str, str, str], Counter[str]] = {}
    for row in rows:
        found = cells.setdefault((row["op"], row["family"], row["arch"]), Counter())
        found["compiled"] += row["compiled"] == "ok"
        found["failed"] += row["compiled"] != "ok"
        found[row.get("executed", "")] += 1
        found["runs"] += len(row.get("runs", ()))
        found["all"] += row.get("instances", "all") == "all" and row.get("executed") == "right"
    order = [(op, family, arch) for op in FAMILIES for family in FAMILIES[op] for arch in ARCHS]
    names = ("compiled", "failed", *STATES, "all", "runs")
    return table(
        ("op", "family", "arch", "compiled", "not compiled", *STATES, "all", "runs"),
        [(*key, *(cells[key][name] for name in names)) for key in order if key in cells],
        3,
    )


def _not_right(rows: Sequence[Row]) -> list[str]:
    bad = sorted((r for r in rows if r.get("executed") != "right"), key=lambda r: (r["backend"], r["arch"], r["name"]))
    told = [(r, " ".join(r.get("why", "").split()).replace("|", "/")[:300]) for r in bad]
    return [f"- `{r['name']}`: {r.get('executed') or 'not compiled'}: {why}" for r, why in told] or ["None."]
