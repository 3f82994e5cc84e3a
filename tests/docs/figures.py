"""Figures of a page: each is followed by an HTML comment with its name, and `figures.json` says how results give it.

    GEMM runs at 1.69x<!--gemm-fp32-numpy--> NumPy.

A figure must be what the results files say, rounded to as many digits as it shows.
"""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from tilewright.report.collect import collect
from tilewright.report.results import Ratios, Run

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
import models_table

RESULTS = ROOT / "benchmarks" / "results"
MARKED = re.compile(r"(\d+(?:\.\d+)?)(?:x|%| us)?<!--([a-z0-9-]+)-->")
# What counts as a figure: ratios, shares and times; not sizes such as 64x48, versions of Python, nor text in code.
FIGURE = re.compile(
    r"(?<![\w.])\d+(?:\.\d+)?(?:x(?!\d)|%| us\b)(?!<!--)"
    r"|(?<![\w.])(?!3\.1\d)\d+\.\d\d(?!\d|x|%| us|<!--)"
)
CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)


def mistakes(text: str, names: dict[str, Any] | None = None) -> list[str]:
    """Return a sentence for each figure that is not marked, not known, or not what the results say."""
    known = names if names is not None else figures()
    found = []
    for shown, name in MARKED.findall(text):
        if name not in known:
            found.append(f"{shown}<!--{name}-->: figures.json has no {name}")
            continue
        value = value_of(json.dumps(known[name]))
        digits = len(shown.partition(".")[2])
        if f"{value:.{digits}f}" != shown:
            found.append(f"{shown}<!--{name}-->: {known[name]['file']} gives {value:.4g}")
    return found + [f"{m[0]}: no comment says where it is from" for m in FIGURE.finditer(CODE.sub("", text))]


def figures() -> dict[str, Any]:
    """Return how each figure is made from results, by name."""
    found: dict[str, Any] = json.loads((RESULTS / "figures.json").read_text())
    return found


@cache
def value_of(recipe: str) -> float:
    """Return the value that results files give for a recipe (JSON text)."""
    how: dict[str, Any] = json.loads(recipe)
    if "key" in how:
        data = json.loads((RESULTS / how["file"]).read_text())
        for key in how["key"]:
            data = data[key]
        return float(data)
    if "dataset" in how:
        (entry,) = [e for e in json.loads((RESULTS / how["file"]).read_text()) if e["name"] == how["dataset"]]
        return float(entry["scores"][how["selector"]][how["score"]]) * how.get("scale", 1)
    if "side" in how:
        found = _compiled_nets(how)
    else:
        found = _nets(how) if "mode" in how else [_ratio(r, how["peer"]) for r in _chosen(how)]
    ratios = Ratios(tuple(found))
    return {"geomean": ratios.mean, "least": ratios.least, "most": ratios.most}[how["how"]]


@cache
def _runs(name: str) -> tuple[Run, ...]:
    return tuple(collect([RESULTS / name]).runs)


def _chosen(how: dict[str, Any]) -> list[Run]:
    runs = list(_runs(how["file"]))
    if "order" in how:  # rows of a file in the order of one of their fields
        lines = [json.loads(line) for line in (RESULTS / how["file"]).read_text().splitlines()]
        runs = [run for _, run in sorted(zip((x[how["order"]] for x in lines), runs, strict=True), key=lambda p: p[0])]
    if "rows" in how:
        runs = runs[slice(*how["rows"])]
    runs = [r for r in runs if how["peer"] == "fastest" or how["peer"] in r.peers]
    runs = [r for r in runs if all(_field(r, k) == v for k, v in how.get("where", {}).items())]
    runs = [r for r in runs if not any(_field(r, k) == v for k, v in how.get("not", {}).items())]
    if "part" in how:  # several runs of the same problems, one after the other
        part, parts = how["part"]
        runs = runs[len(runs) * part // parts : len(runs) * (part + 1) // parts]
    return runs


def _nets(how: dict[str, Any]) -> list[float]:
    """Return the ratios of the convolution nets in one mode, as `benchmarks/models.py --table` prints them."""
    rows = [json.loads(line) for line in (RESULTS / how["file"]).read_text().splitlines()]
    chosen = [r for r in rows if r["mode"] == how["mode"] and r["task"] == how["task"]]
    chosen = [r for r in chosen if r.get("ok") and r["convolutional"]]
    return [models_table.ratio(r, how["peer"]) for r in chosen]


def _compiled_nets(how: dict[str, Any]) -> list[float]:
    """Return the ratios of a side of `benchmarks/compile_nets.py` to the side that it is compared with, where right."""
    rows = [json.loads(line) for line in (RESULTS / how["file"]).read_text().splitlines()]
    chosen = [r for r in rows if r["sides"][0] == how["peer"] and r["task"] == how["task"]]
    return [r["ratios"][how["side"]] for r in chosen if r["ok"].get(how["side"])]


def _field(run: Run, name: str) -> Any:
    return run.problem.get(name.removeprefix("problem.")) if name.startswith("problem.") else getattr(run, name)


def _ratio(run: Run, peer: str) -> float:
    return min(run.peers.values()) if peer == "fastest" else run.peers[peer]
