"""Renews the digests of the replay on purpose: `make replay`, or `python tests/replay/renew.py [BACKEND...]`.

It prints what changed. Renew only when kernels or launches were meant to change, and say in the commit which and why.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from replay_gather import BACKENDS, Digests, gather

RECORD = Path(__file__).with_name("digests.json")
WHAT = ("source", "launch values")


def recorded() -> dict[str, Any]:
    """The record: digests by backend, and the version of Triton that they were gathered with."""
    return json.loads(RECORD.read_text()) if RECORD.exists() else {}


def triton_version() -> str | None:
    """The installed version; None where there is none."""
    try:
        return version("triton")
    except PackageNotFoundError:
        return None


def changes(old: Digests, new: Digests, names: dict[str, str]) -> list[str]:
    """Every difference in words, one line for each kernel, header, file or list of flags."""
    found = [f"{group}: no longer there" for group in old if group not in new]
    for group, items in new.items():
        if group not in old:
            found.append(f"{group}: new, {len(items)} digests")
            continue
        for item in dict.fromkeys((*old[group], *items)):
            was, now = old[group].get(item), items.get(item)
            if was != now:
                found.append(f"{group}: {names.get(item, item)}: {_said(item, was, now)}")
    return found


def _said(item: str, was: str | None, now: str | None) -> str:
    if was is None or now is None:
        return "new in the sample" if was is None else "no longer in the sample"
    before, after = was.split(" "), now.split(" ")
    if item == "candidates":
        return f"other kernels or launches to choose from ({before[0]} before, {after[0]} now)"
    if len(before) == len(after) == len(WHAT):
        return " and ".join(w for w, b, a in zip(WHAT, before, after, strict=True) if b != a) + " changed"
    return f"was {was}, is {now}"


def main(backends: list[str]) -> int:
    """Gather, print what changed, write."""
    record = recorded()
    for backend in backends or BACKENDS:
        if backend == "triton" and triton_version() is None:
            print("triton: not installed, its digests stay as they are")
            continue
        new, names = gather(backend)
        for line in changes(record.get(backend, {}), new, names):
            print(f"{backend}: {line}")
        record[backend] = new
        if backend == "triton":
            record["triton_version"] = triton_version()
    RECORD.write_text(json.dumps(record, indent=0, sort_keys=True) + "\n")
    print(f"{RECORD.name}: {sum(len(g) for b in BACKENDS for g in record.get(b, {}).values())} digests")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
