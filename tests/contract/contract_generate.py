"""Write the list: `python tests/contract/contract_generate.py gemm` after a field or a value was added to an op.

`contract_generate.py gemm ck_tile-gfx942` adds what one target takes, after its rules have changed, and
`contract_generate.py gemm new` asks only for pairs with values that the list does not know yet.

`lists/<op>.jsonl` has one row per problem, `lists/<op>_refused.jsonl` the pairs that a target does not take, with the
rule. The first line of a list holds the declared values that it was made from; a test compares them with the op's.
Rows that are still sound are kept, because results of earlier runs belong to them; remove a list to start anew.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

from contract_cover import Cover, Pair, Takes, all_pairs
from contract_space import Choice, Space
from contract_targets import SPACES, TARGETS, Target

LISTS = Path(__file__).parent / "lists"


def declared(space: Space) -> dict[str, list[Any]]:
    """Return the values of every factor of an op."""
    return {f.name: list(f.values) for f in space.factors}


def short(space: Space, choice: Choice) -> Choice:
    """Return a choice without the plain values."""
    plain = space.plain()
    return {name: value for name, value in choice.items() if value != plain[name]}


def grouped(target: Target, refused: dict[Pair, str]) -> list[dict[str, Any]]:
    """Return the refused pairs by the two factors and the reason."""
    found: dict[tuple[str, str, str], list[Any]] = defaultdict(list)
    for pair, why in refused.items():
        (f, v), (g, w) = sorted(pair, key=lambda item: item[0])
        found[f, g, why].append([v, w])
    return [
        {"target": target.name, "factors": [f, g], "rule": why, "pairs": sorted(pairs, key=str)}
        for (f, g, why), pairs in sorted(found.items())
    ]


def sound_rows(space: Space) -> list[Choice]:
    """Return the rows of the list so far whose problems are still sound."""
    path = LISTS / f"{space.op}.jsonl"
    lines = path.read_text().splitlines()[1:] if path.exists() else []
    known = {f.name: f.values for f in space.factors}
    rows = [{**space.plain(), **json.loads(line)} for line in lines]
    rows = [row for row in rows if all(name in known and value in known[name] for name, value in row.items())]
    return [row for row in rows if space.mistake(row) is None]


def refusals_so_far(space: Space) -> list[dict[str, Any]]:
    """Return the rows of refused pairs that are there."""
    path = LISTS / f"{space.op}_refused.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def write(path: Path, rows: list[Any]) -> None:
    """Write JSON lines."""
    LISTS.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def new_pairs(space: Space) -> list[Pair]:
    """Return the pairs with a value that the list was not made from."""
    known = json.loads((LISTS / f"{space.op}.jsonl").read_text().splitlines()[0])["declared"]
    return [pair for pair in all_pairs(space) if any(value not in known.get(name, ()) for name, value in pair)]


def generate(space: Space, only: str = "") -> None:
    """Make the list of one op: first what the CPU takes, then what the other targets take beyond it."""
    pairs = new_pairs(space) if only == "new" else None
    names = [t.name for t in TARGETS if only in ("", "new", t.name)]
    refused = [row for row in refusals_so_far(space) if only == "new" or row["target"] not in names]
    cover, asked = Cover(space), list[Any]()
    cover.rows = sound_rows(space)
    known = len(cover.rows)
    for target in TARGETS:
        if target.name not in names:
            continue
        start, before = time.monotonic(), len(cover.rows)
        asked.append(cache_choices(partial(target.takes, space)))
        left = cover.extend(asked[-1], partial(target.rule, space), pairs)
        refused += grouped(target, left)
        spent, added = time.monotonic() - start, len(cover.rows) - before
        print(f"{space.op} {target.name}: {added} rows more, {len(left)} pairs refused, {spent:.0f} s", flush=True)
    cover.pruned(asked, known)
    print(f"{space.op}: {len(cover.rows)} rows", flush=True)
    write(LISTS / f"{space.op}.jsonl", [{"declared": declared(space)}, *(short(space, row) for row in cover.rows)])
    write(LISTS / f"{space.op}_refused.jsonl", refused)


def cache_choices(takes: Takes) -> Takes:
    """Return a memo of `takes`."""
    known: dict[Any, str | None] = {}

    def ask(choice: Choice) -> str | None:
        key = tuple(choice.items())
        if key not in known:
            known[key] = takes(choice)
        return known[key]

    return ask


if __name__ == "__main__":
    ops = [name for name in sys.argv[1:] if name in SPACES]
    for name in ops or SPACES:
        generate(SPACES[name], *(a for a in sys.argv[1:] if a not in SPACES))
