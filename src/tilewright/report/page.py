"""One HTML page that needs nothing else: no network, no server, no fonts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..tune.measure.timer import QUIET_NOISE
from .results import Ratios, Results
from .sections import sections_of
from .svg import short, time

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent / "templates"


def render(
    results: Results, explanations: Mapping[tuple[str, str, int], str] | None = None, title: str = "", made: str = ""
) -> str:
    """Return the page as text. `explanations` has the text of a choice by `Run.key`.

    >>> page = render(Results(), title="<b>mine</b>")
    >>> "&lt;b&gt;mine" in page and "tilewright bench problems.jsonl" in page and "://" not in page
    True
    """
    style, script = ((HERE / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            title=title or "tilewright report",
            made=made or datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            style=style,
            script=script,
            style_hash=_hash(style),
            script_hash=_hash(script),
            tiles=_tiles(results),
            sections=sections_of(results),
            rows=_table(results, explanations or {}),
            sources=results.sources,
        )
    )


@lru_cache(maxsize=1)
def _environment() -> Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(HERE)),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _hash(text: str) -> str:
    """Return the hash by which the page's policy admits this text alone: nothing that is injected can run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _tiles(results: Results) -> list[tuple[str, str]]:
    """Return the figures at the top: (value, what it is)."""
    runs = results.runs
    tiles = [(f"{len(runs):,}", "timed runs"), (f"{len({r.place for r in runs})}", "devices and thread counts")]
    checked = [r for r in runs if r.ok is not None]
    if checked:
        tiles.append((f"{sum(bool(r.ok) for r in checked):,} of {len(checked):,}", "verified runs are right"))
    compared = sum(len(r.peers) for r in runs)
    quiet = [v for r in runs if r.quiet for v in r.peers.values()]
    if quiet:
        found = Ratios(tuple(quiet))
        share = f"{100 * (len(quiet) - found.under(1.0)) // len(quiet)}%"  # 100% is all of them
        tiles.append((share, "of comparisons in quiet runs at least as fast as the peer"))
    if compared:
        unknown = sum(len(r.peers) for r in runs if r.quiet is None)
        missing = f"; the noise of {unknown:,} was not recorded" if unknown else ""
        what = f"comparisons in quiet runs (at most {QUIET_NOISE:.0%} noise){missing}"
        tiles.append((f"{len(quiet):,} of {compared:,}", what))
    if results.winners:
        tiles.append((f"{len(results.winners):,}", "problems with measured candidates"))
    if results.checks:
        tiles.append((f"{len(results.checks):,}", "AMD kernels compiled or executed"))
    return tiles


def _table(results: Results, explanations: Mapping[tuple[str, str, int], str]) -> Sequence[Mapping[str, Any]]:
    """Return the rows of the table of choices."""
    rows = []
    for r in results.runs:
        peer, ratio = min(r.peers.items(), key=lambda item: item[1], default=("", None))
        rows.append({
            "problem": r.label, "op": r.op, "dtype": r.dtype, "kind": r.kind, "place": r.place, "kernel": r.kernel,
            "selector": r.selector, "seconds": r.seconds, "time": time(r.seconds), "rate": r.rate,
            "rate_text": short(r.rate, "FLOP/s"), "peer": peer, "ratio": ratio, "ok": r.ok, "note": r.note,
            "source": r.source, "why": explanations.get(r.key, ""),
            "noise": r.noise, "quiet": r.quiet,
        })  # fmt: skip
    return rows
