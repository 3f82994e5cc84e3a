"""Write docs/contract.md from the rows of the runs: `python tests/contract/contract_page.py [ROWS...]`.

Rows that are given are kept as benchmarks/results/contract_<target>.jsonl, so that the page can be written again.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from contract_cover import Pair, all_pairs, pairs_of
from contract_generate import LISTS
from contract_run import all_cases, rows_in
from contract_targets import SPACES
from mutants_run import EVERY, NOTICED
from mutants_run import ROWS as MUTANT_ROWS

ROOT = Path(__file__).parents[2]
PAGE, RESULTS = ROOT / "docs" / "contract.md", ROOT / "benchmarks" / "results"
KEPT = ("id", "op", "target", "state", "rule", "kind", "digest", "message", "findings")
# The target of the list whose refusals explain the pairs that a run did not show.
EXPLAINED_BY = {"cpu x86_64": "cpu", "cpu aarch64": "cpu", "triton cuda:0": "triton-sm_90",
                "triton emu:gfx942": "triton-gfx942", "ck_tile emu:gfx942": "ck_tile-gfx942"}  # fmt: skip
HEAD = """# What was executed

Every pair of values that the ops declare (dtypes, layouts, masks, epilogues, strides, sizes, kinds of data, ...)
belongs to the contract: some row of a generated list shows it, and every backend that takes the row computes it and is
compared with the float64 reference. `make contract` runs the list and writes this page. How a result is compared is
described in [verification](verification.md). A row with an empty result, zeros, infinities or NaN counts only for the
pairs with that value. Rows of the CPU carry the kind of machine that ran them, because each kind has its own kernels; a
kind whose run is not complete has pairs that are not yet executed. The rows of aarch64, and a sixth of those of x86-64,
were compiled without optimization, as the tests are.
"""


SINCE_HEAD = """\
Cases of the list for which a backend had a kernel at revision 1408629c and has none today, packed weights aside.
Sampled cases of Triton were built and run at that revision, for NVIDIA compiled: none was right. CK was not run.
"""
SINCE = (  # rule, what it refuses, what became of it at 1408629c
    ("triton.gemm.dtype", "fp16 times bf16, fp32 times int32", "Triton compiled no kernel"),
    ("triton.gemm.dtype", "int8 outputs", "wrong: sums were cut off and wrapped, not rounded and saturated"),
    ("triton.gemm.alpha", "int32 outputs with alpha other than 1", "wrong: alpha was left out"),
    ("triton.gemm.arch_dtype", "fnuz tensors on NVIDIA", "Triton compiled no kernel"),
    ("triton.gemm.arch_dtype", "fp8 times bf8 on AMD", "wrong: Triton before 3.7 swaps the types"),
    ("torch.negative_strides", "negative strides on a GPU", "no tensor of torch, which holds the memory, has them"),
    ("ck_tile.fmha.alignment", "rows or addresses of less than 16 bytes", "CK reads whole vectors there"),
    ("ck_tile.fmha.offsets", "negative strides", "CK's offsets of rows are not negative"),
    ("ck_tile.fmha.qscale", "scales per tensor in fwd_splitkv", "the parts were combined without the result's scale"),
    ("ck_tile.fmha.rotary", "rotary_dim 40", "CK rotates 16 bytes of columns alike, or none of them"),
)


FINDINGS_HEAD = """\
Emulated cases run under the [sanitizer](amd-emulator.md): races, accesses outside of allocations, missing waits.
A result may be right although there is a finding.
"""
MUTANTS_HEAD = """\
Each mutant is one changed text of a kernel, an epilogue or a launch. It is noticed if a case of the list that reaches
the text is wrong, crashes or raises. `make test` runs six of the CPU, `make contract` all that the machine can run.
"""


def keep(paths: Iterable[str]) -> None:
    """Store the rows of runs by target; a newer row of a case replaces an older one."""
    for path in paths:
        by_target = defaultdict(dict)
        for row in rows_in(Path(path)):
            by_target[row["target"]][row["id"]] = {k: row[k] for k in KEPT if k in row}
        for target, rows in by_target.items():
            stored = RESULTS / f"contract_{re.sub('[^a-z0-9]+', '_', target.lower())}.jsonl"
            known = {r["id"]: r for r in rows_in(stored)} | rows
            current = {c.id for c in all_cases()}
            kept = [known[i] for i in sorted(known) if i in current or i.split("-")[0] not in SPACES]
            stored.write_text("".join(json.dumps(row) + "\n" for row in kept))


def refusals(op: str, target: str) -> dict[Pair, str]:
    """Return the pairs that a target of the list refuses, with the reason."""
    found = {}
    for row in rows_in(LISTS / f"{op}_refused.jsonl"):
        if row["target"] == target:
            (f, g), why = row["factors"], row["rule"]
            found.update({frozenset({(f, v), (g, w)}): why for v, w in row["pairs"]})
    return found


def refused_in_rows(op: str, rows: dict[str, Any]) -> dict[Pair, str]:
    """Return the pairs that a run refused in every row that shows them, with the rule of the last of these rows."""
    found, open_pairs = dict[Pair, str](), set[Pair]()
    for case in all_cases():
        if case.op == op:
            row, pairs = rows.get(case.id), list(pairs_of(SPACES[op], case.choice))
            if row is not None and row["state"] == "refused":
                found.update(dict.fromkeys(pairs, row["rule"]))
            else:
                open_pairs.update(pairs)
    return {pair: why for pair, why in found.items() if pair not in open_pairs}


def summary(op: str, target: str, rows: dict[str, Any]) -> tuple[Counter[str], Counter[str], set[Pair]]:
    """Return how many pairs ended in which state, how many each rule refused, and the pairs that were right."""
    space, right, bad = SPACES[op], set[Pair](), set[Pair]()
    for case in all_cases():
        row = rows.get(case.id)
        if case.op == op and row is not None and row["state"] != "refused":
            (right if row["state"] == "right" else bad).update(pairs_of(space, case.choice))
    pairs, refused = set(all_pairs(space)), refused_in_rows(op, rows) | refusals(op, EXPLAINED_BY[target])
    counts, rules = Counter[str](), Counter[str]()
    for pair in pairs:
        if pair in right:
            counts["right"] += 1
        elif pair in bad:
            counts["wrong"] += 1
        elif pair in refused:
            why = refused[pair]
            counts["none" if why.startswith(("problem", "contract")) else "refused"] += 1
            rules[why] += 1
        else:
            counts["open"] += 1
    return counts, rules, right


def page() -> str:
    """Return the page."""
    stored = sorted(RESULTS.glob("contract_*.jsonl"))
    by_target: dict[str, dict[str, Any]] = {}
    for path in stored:
        for row in rows_in(path):
            by_target.setdefault(row["target"], {})[row["id"]] = row
    lines = [HEAD, "## Pairs\n"]
    columns = ("backend and place", "op", "cases right", "wrong or failed", "pairs right", "refused by a rule",
               "no such problem", "not yet executed")  # fmt: skip
    lines += _head(columns)
    refused_by: dict[str, Counter[str]] = defaultdict(Counter)
    anywhere: dict[str, set[Pair]] = defaultdict(set)
    for target in sorted(t for t in by_target if t in EXPLAINED_BY):
        for op in SPACES:
            counts, rules, right = summary(op, target, by_target[target])
            anywhere[op] |= right
            states = Counter(r["state"] for r in by_target[target].values() if r["op"] == op)
            failed = sum(n for s, n in states.items() if s not in ("right", "refused"))
            lines.append(
                f"| {target} | {op} | {states['right']:,} | {failed} | {counts['right']:,} | {counts['refused']:,} "
                f"| {counts['none']:,} | {counts['open'] + counts['wrong']:,} |"
            )
            for why, count in rules.items():
                refused_by[why][target] += count
    for target in set(by_target) - set(EXPLAINED_BY):  # an arch that ran some cases that no other takes
        for case in all_cases():
            if by_target[target].get(case.id, {}).get("state") == "right" and "emu:" in target:
                anywhere[case.op].update(pairs_of(SPACES[case.op], case.choice))
    lines += [
        "",
        *_anywhere(anywhere, by_target),
        *_rules(refused_by),
        *_since(),
        *_others(by_target),
        *_findings(by_target),
        *_mutants(),
        *_excluded(),
    ]
    return "\n".join(lines) + "\n"


def _anywhere(right: dict[str, set[Pair]], rows: dict[str, dict[str, Any]]) -> list[str]:
    columns = ("op", "pairs declared", "right on a backend", "no backend takes it", "no such problem", "open")
    lines = ["On at least one backend other than `reference`:", "", *_head(columns)]
    for op, space in SPACES.items():
        pairs = set(all_pairs(space))
        refused = [
            refused_in_rows(op, rows.get(target, {})) | found
            for target, explained in EXPLAINED_BY.items()
            if (found := refusals(op, explained))
        ]
        left = pairs - right[op]
        none = {p for p in left if any(r.get(p, "").startswith(("problem", "contract")) for r in refused)}
        rules = {p for p in left - none if all(p in r for r in refused)}
        lines.append(f"| {op} | {len(pairs):,} | {len(right[op]):,} | {len(rules):,} | {len(none):,} "
                     f"| {len(left - none - rules):,} |")  # fmt: skip
    return [*lines, ""]


def _rules(refused_by: dict[str, Counter[str]]) -> list[str]:
    lines = ["## Refused by a rule\n"]
    lines += ["Pairs that a backend takes in no row. The rules are in [rules](reference/rules.md).", ""]
    lines += _head(("rule", "pairs"))
    for why, counts in sorted(refused_by.items()):
        if not why.startswith(("problem", "contract")):
            shown = ", ".join(f"{target}: {count:,}" for target, count in sorted(counts.items()))
            lines.append(f"| `{why}` | {shown} |")
    lines += ["", "## No such problem\n", "Pairs that contradict each other (`problem`),"]
    lines += ["or they say nothing new, or they have no defined answer (`contract`).", ""]
    lines += _head(("reason", "pairs, over all backends"))
    for why, counts in sorted(refused_by.items()):
        if why.startswith(("problem", "contract")):
            lines.append(f"| {why} | {sum(counts.values()):,} |")
    return [*lines, ""]


def _since() -> list[str]:
    lines = ["## Refused since 1408629c\n", SINCE_HEAD, *_head(("rule", "what it refuses", "at 1408629c"))]
    return [*lines, *(f"| `{rule}` | {what} | {then} |" for rule, what, then in SINCE), ""]


def _head(columns: Iterable[str]) -> list[str]:
    names = list(columns)
    return [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]


def _others(by_target: dict[str, dict[str, Any]]) -> list[str]:
    others = {t: rows for t, rows in by_target.items() if t not in EXPLAINED_BY}
    if not others:
        return []
    lines = ["## Through other doors\n", "| what | right | refused | wrong or failed |", "|---|---|---|---|"]
    for target, rows in sorted(others.items()):
        states = Counter(r["state"] for r in rows.values())
        failed = sum(n for s, n in states.items() if s not in ("right", "refused"))
        lines.append(f"| {target} | {states['right']} | {states['refused']} | {failed} |")
    return [*lines, ""]


def _findings(by_target: dict[str, dict[str, Any]]) -> list[str]:
    """Return the faults that the emulator's sanitizer found in cases with right results too."""
    lines = [
        "## What the sanitizer found\n",
        FINDINGS_HEAD,
        *_head(("backend and place", "case", "result", "first finding")),
    ]
    for target, rows in sorted(by_target.items()):
        for row in rows.values():
            if "findings" in row:
                text = " ".join(row["findings"][0].split("\n  ")[0].split()).replace("|", "/")
                lines.append(f"| {target} | {row['id']} | {row['state']} | {text} |")
    return [*lines, ""] if any("findings" in row for rows in by_target.values() for row in rows.values()) else []


def _mutants() -> list[str]:
    lines = ["## Kernels broken on purpose\n", MUTANTS_HEAD]
    lines += _head(("backend and place", "mutants", "noticed", "not noticed", "not run"))
    places: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in rows_in(MUTANT_ROWS):
        backend = next(b for b, mutants in EVERY.items() if row["mutant"].startswith(f"{b}-"))
        places[backend, row["place"]][row["mutant"]] = row["state"]
    for (backend, place), states in sorted(places.items()):
        names = [str(mutant) for mutant in EVERY[backend]]
        noticed = [n for n in names if states.get(n) in NOTICED]
        missed = [n for n in names if states.get(n) == "not noticed"]
        left = [n for n in names if n not in noticed and n not in missed]
        lines.append(f"| {backend} {place} | {len(names)} | {len(noticed)} | {_listed(missed)} | {_listed(left)} |")
    return [*lines, ""]


def _listed(names: list[str]) -> str:
    return ", ".join([str(len(names)), *names])


def _excluded() -> list[str]:
    lines = ["## Excluded by hand\n", "| op | field | why |", "|---|---|---|"]
    lines += [f"| {op} | {name} | {why} |" for op, s in SPACES.items() for name, why in s.not_chosen.items()]
    return lines


if __name__ == "__main__":
    keep(sys.argv[1:])
    PAGE.write_text(page())
