"""Run all mutants of a backend at a place and keep a row for each: `mutants_run.py triton cuda:0 --jobs 8`.

Rows go to benchmarks/results/mutants.jsonl (`--out` names another file); docs/contract.md is made from them. A mutant
that has a row is not run again (`--again` runs it), so that a run that was stopped continues.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from contract_mutants import Mutant, noticed_by
from contract_run import rows_in
from mutants_ck import MUTANTS as CK_TILE
from mutants_cpu import MUTANTS as CPU
from mutants_triton import MUTANTS as TRITON

ROWS = Path(__file__).parents[2] / "benchmarks" / "results" / "mutants.jsonl"
EVERY = {"cpu": CPU, "triton": TRITON, "ck_tile": CK_TILE}
NOTICED = ("wrong", "crash", "error")


def row_of(mutant: Mutant, place: str) -> dict[str, Any]:
    """Return the row of a mutant: the state of the case that noticed it, or why none did."""
    start, found = time.monotonic(), dict[str, Any]()
    try:
        noticed = noticed_by(mutant, place)
        found = {"state": noticed["state"], "case": noticed["id"]} if noticed else {"state": "not noticed"}
    except (AssertionError, subprocess.TimeoutExpired) as error:
        found = {"state": "not run", "message": str(error)[:500]}
    return {"mutant": str(mutant), "place": place, **found, "seconds": round(time.monotonic() - start, 1)}


def main() -> int:
    """Run the mutants that have no row yet; return 1 if one of these is not noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("backend", choices=EVERY)
    parser.add_argument("place", help="cpu, cuda:0, emu:gfx942")
    parser.add_argument("--only", default="", help="names of mutants, with commas")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--out", type=Path, default=ROWS)
    options = parser.parse_args()
    asked = set(filter(None, options.only.split(",")))
    done = {r["mutant"] for r in rows_in(options.out) if r["place"] == options.place and r["state"] in NOTICED}
    mutants = [
        m for m in EVERY[options.backend]
        if (not asked or m.name in asked) and (options.again or str(m) not in done)
    ]  # fmt: skip
    lost = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for ended in as_completed([pool.submit(row_of, m, options.place) for m in mutants]):
            row = ended.result()
            keep(options.out, row)
            print(json.dumps(row), flush=True)
            lost += row["state"] not in NOTICED
    return 1 if lost else 0


def keep(path: Path, row: dict[str, Any]) -> None:
    """Put a row into the file in the place of an older one."""
    rows = {(r["place"], r["mutant"]): r for r in [*rows_in(path), row]}
    path.write_text("".join(json.dumps(rows[key]) + "\n" for key in sorted(rows)))


if __name__ == "__main__":
    sys.exit(main())
