"""Executions of the contract's list as rows of executed kernels.

    python tests/contract/contract_run.py --backend ck_tile --device emu:gfx942 --out rows.jsonl
    python benchmarks/ck_tile/ck_tile_audit.py --contract rows.jsonl

The list runs under the sanitizer, and each of its rows names the kernel and the problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ck_tile_executed import row_of
from ck_tile_executed_page import Row

from tilewright.backends.plain import spec_from_dict
from tilewright.tune.verify.record import emulator_digest

SOME = "some"  # of the device kernels of a kernel: those that the problems of the list need


def with_contract(executed: Sequence[Row], contract: Iterable[dict[str, Any]]) -> list[Row]:
    """Return the rows of executed kernels with what the list executed; a newer run of a case replaces an older one."""
    found = {row["digest"]: row for row in executed}
    for case in contract:
        if "spec" not in case:
            continue  # refused, empty, or not emulated
        spec = spec_from_dict(case["spec"])
        told = {"compiled": "ok" if case["state"] != "build failed" else "error", "instances": SOME}
        known = found.get(spec.digest) or row_of(spec, False, told, None)
        row: Row = {"ran": 0, **known, "emulator": emulator_digest()}
        path = f"contract {case['id']}"
        more = {name: case[name] for name in ("message", "findings") if name in case}
        run = {"path": path, "problem": case["problem"], "launch": "-", "state": case["state"], **more}
        row["runs"] = [*(r for r in row.get("runs", ()) if r["path"] != path), run]
        row["ran"] = round(row["ran"] + case.get("seconds", 0), 1)
        bad = [r for r in row["runs"] if r["state"] != "right"]
        faults = [r for r in row["runs"] if "findings" in r]
        row.pop("why", None)  # of a run that this one replaces
        row["executed"] = "wrong" if bad else "faulty" if faults else "right"
        if bad or faults:
            first = (bad or faults)[0]
            row["why"] = f"{first['path']}: {first.get('message') or first.get('findings', [first['state']])[0]}"
        found[spec.digest] = row
    return list(found.values())
