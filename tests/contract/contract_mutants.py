"""Kernels broken on purpose, by an edit of their sources, and whether the list notices each of them.

A mutant names the cases that reach its code. Those that a kernel of the target takes run in a child process on a copy
of the package in which one text is replaced; a text that is no longer there is an error. A mutant is noticed if a case
is wrong, crashes or is an error, and right without it; one that does not compile is no mutant.

`python tests/contract/mutants_run.py ck_tile emu:gfx942` runs all of a backend and keeps a row for each.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from contract_run import Case, Runner, all_cases, rows_in
from contract_targets import SPACES, Target

import tilewright

PACKAGE = Path(tilewright.__file__).parent
RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
MAX_CASES = 24  # that may run before a mutant counts as unnoticed
PATIENCE = 1100.0


@dataclass(frozen=True)
class Mutant:
    """One replaced text. `where` has the values of some factors: cases with others do not reach it."""

    name: str
    backend: str
    file: str
    old: str
    new: str
    op: str
    where: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.backend}-{self.name}"

    def cases(self) -> list[Case]:
        """Return the cases that reach the text; a start of them is spread over the list."""
        found = [
            c for c in all_cases()
            if c.op == self.op and all(c.choice[name] in values for name, values in self.where.items())
        ]  # fmt: skip
        step = max(1, len(found) // MAX_CASES)
        return [c for start in range(step) for c in found[start::step]]

    def taken(self, device: str) -> list[Case]:
        """Return some cases that a kernel computes at a place: one that is refused or empty notices nothing."""
        target = Runner(Target(f"{self.backend} {device}", self.backend, "", device)).target
        computed = (c for c in self.cases() if target.computes(SPACES[self.op], c.choice))
        return list(islice(computed, MAX_CASES))


def mutated(mutant: Mutant, place: Path) -> Path:
    """Copy the package by links, replace the text in its own copy of the file, and return the folder to import from."""
    package = place / "tilewright"
    for folder, names, files in os.walk(PACKAGE):
        names[:] = [n for n in names if n != "__pycache__"]
        target = package / Path(folder).relative_to(PACKAGE)
        target.mkdir(parents=True)
        for name in files:
            link_or_copy(Path(folder) / name, target / name)
    path = package / mutant.file
    text = path.read_text()
    assert text.count(mutant.old) == 1, f"{mutant}: {mutant.file} has {mutant.old!r} {text.count(mutant.old)} times"
    path.unlink()  # the link, not what it leads to
    path.write_text(text.replace(mutant.old, mutant.new))
    return place


def link_or_copy(source: Path, target: Path) -> None:
    """Make `target` the same file; copied where the file system has no links."""
    try:
        os.link(source, target)
    except OSError:
        target.write_bytes(source.read_bytes())


def noticed_by(mutant: Mutant, device: str) -> dict[str, Any] | None:
    """Return the row that notices a mutant, or None. The unchanged kernel has to be right in that case."""
    ids = [c.id for c in mutant.taken(device)]
    assert ids, f"{mutant}: {device} computes no case of the list with {mutant.where}"
    with tempfile.TemporaryDirectory() as place:
        rows = run(mutant, device, ids, mutated(mutant, Path(place) / "src"))
    failed = [r for r in rows if r["state"] in ("build failed", "exception")]
    assert not failed, f"{mutant} does not compile, or is no mutant: {failed[0]['message']}"
    assert any(r["state"] != "refused" for r in rows), f"{mutant}: no case ran: {json.dumps(rows)[:500]}"
    found = next((r for r in rows if r["state"] in ("wrong", "crash", "error")), None)
    if found is not None and found["id"] not in known_right(found["target"]):
        unchanged = run(mutant, device, [found["id"]], PACKAGE.parent)
        assert unchanged[0]["state"] == "right", f"{found['id']} is not right without {mutant} either: {unchanged[0]}"
    return found


def run(mutant: Mutant, device: str, ids: list[str], source: Path) -> list[dict[str, Any]]:
    """Return the rows of some cases with the package of a folder, up to the first that is not right."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "rows.jsonl"
        command = [sys.executable, str(Path(__file__).with_name("contract_run.py")), "--backend", mutant.backend,
                   "--device", device, "--only", ",".join(ids), "--out", str(out), "--batch=2", "--stop"]  # fmt: skip
        path = os.pathsep.join(filter(None, (str(source), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run(command, check=False, env=environment, capture_output=True, timeout=PATIENCE)
        return rows_in(out)


@cache
def known_right(target: str) -> frozenset[str]:
    """Return the cases that the kept rows of a target show to be right."""
    path = RESULTS / f"contract_{re.sub('[^a-z0-9]+', '_', target.lower())}.jsonl"
    return frozenset(r["id"] for r in rows_in(path) if r["state"] == "right")
