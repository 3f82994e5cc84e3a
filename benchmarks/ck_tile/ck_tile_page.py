"""What an audit of the ck_tile rules found: the agreement of rules and compiler, as a report and as a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from ck_tile_cases import ARCHS, OPS, preselected
from ck_tile_executed_page import executed_part

from tilewright.backends import get_backend_op

Row = dict[str, Any]
SETTLED = ("ok", "error", "inspect", "generator", "crash")
PIPELINES = ("mem", "compv3", "compv4", "compv5", "preshufflev2")
HEAD = """\
# CK Tile: rules and compiler

Written by `python benchmarks/ck_tile/ck_tile_audit.py --page docs/ck-tile-audit.md` from the results in
`benchmarks/results/ck_tile_audit.jsonl`; see [toolchains](toolchains.md#are-the-rules-right) for the method. A
false accept is a kernel that the rules allow and whose part for long K does not compile into the matrix instructions of
its dtypes and warp tile. A false refusal is a kernel that exactly one rule refuses as impossible for the compiler or
the hardware, and all parts of which compile well. Rules that say more than a compiler can see are not counted;
neighbours of theirs are compiled too and listed below.
"""
# Kinds of rules that a compiler cannot decide, and what they say.
BEYOND = {
    "known-miscompile": "the kernel compiles, and computes the wrong thing",
    "listed": "the arch's tables do not list it: it may compile, but CK's own builds neither instantiate nor test it",
    "semantic": "it means nothing: the kernel has no such field, or no such parts",
    "problem": "a matter of sizes",
}
# Why rules stay that refuse some kernels which compile.
REASONS = {
    "ck_tile.fmha.hdim_pads": "gfx950's own pipeline could pad one head alone; that of other targets does not compile",
    "ck_tile.gemm.minimum": "compiles; CK's dispatcher generates no smaller tiles for pre-shuffled B",
}
# What CK 1.2.0 asks of a launch (`IsSupportedArgument`), or assumes without asking: op, condition, rules.
CONDITIONS = (
    ("gemm", "K % (KPerBlock * k_batch), M % MPerBlock, N % NPerBlock where they are contiguous and not padded",
     "ck_tile.gemm.whole_tiles_m ck_tile.gemm.whole_tiles_n ck_tile.gemm.whole_tiles_k"),
    ("gemm", "contiguous extents of A, B, D, E % vector size", "ck_tile.gemm.vectors"),
    ("gemm", "k_batch > 1: an even vector of fp16 or bf16", "ck_tile.gemm.split_k_vector"),
    ("gemm", "D has the layout of E", "ck_tile.gemm.d_layout"),
    ("gemm", "not asked: leading strides and addresses are whole vectors",
     "ck_tile.gemm.strides ck_tile.gemm.pointers"),
    ("gemm", "not asked: 32-bit offsets reach every element", "ck_tile.gemm.offsets"),
    ("gemm", "not asked: each split has work, and as many steps as the others",
     "ck_tile.gemm.split_k_depth ck_tile.gemm.split_k_steps"),
    ("gemm", "not asked: splits that apply the epilogue once each", "ck_tile.gemm.split_k_epilogue"),
    ("gemm", "not asked: pre-shuffled B in whole warp tiles, without splits",
     "ck_tile.gemm.preshuffle_problem ck_tile.gemm.split_k_preshuffle"),
    ("conv", "k_batch > 1 only where splits are supported, with an even vector of 16-bit sums", "ck_tile.conv.split_k"),
    ("conv", "filter, stride and padding of the specialization", "ck_tile.conv.filter"),
    ("conv", "C % VectorSizeA, VectorSizeB; K % VectorSizeC, as the direction maps them", "ck_tile.conv.channels"),
    ("conv", "backward data: gemm_count <= MaxGroupedGemmGroupsNum (128)", "ck_tile.conv.phases"),
    ("conv", "backward weight: ConvG % NumGroupsToMerge", "ck_tile.conv.whole_merges"),
    ("conv", "layouts", "ck_tile.conv.layout ck_tile.conv.dims"),
    ("conv", "not asked: 32-bit offsets; images are split along n, the rest is not", "ck_tile.conv.offsets"),
    ("conv", "not asked: addresses are whole vectors", "ck_tile.conv.pointers"),
    ("fmha", "seqlen_q, seqlen_k: whole tiles, or padded", "ck_tile.fmha.rows ck_tile.fmha.keys"),
    ("fmha", "not asked: 32-bit strides and offsets within a head", "ck_tile.fmha.offsets"),
    ("fmha", "not asked: rows of unpadded heads and keys are whole vectors", "ck_tile.fmha.alignment"),
    ("fmha", "splits that combine can add", "ck_tile.fmha.combine_splits ck_tile.fmha.even_splits"),
)  # fmt: skip


@cache
def kinds() -> dict[str, str]:
    """The kind of each rule."""
    return {rule.id: rule.kind for op in OPS for rule in get_backend_op("ck_tile", op).rules}


@dataclass(frozen=True)
class Verdict:
    """The settled results: accepted kernels, refused ones, and refused ones that a compiler cannot decide about."""

    accepted: list[Row]
    refused: list[Row]
    beyond: list[Row]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Verdict:
        """Sorted by where they belong."""
        settled = sorted((r for r in rows if r["outcome"] in SETTLED), key=_place)
        # What the generator refuses has no text to compile: it shows nothing of a rule, but breaks a promise inside.
        outside = [r for r in settled if r["side"] == "outside" and r["outcome"] != "generator"]
        beyond = [r for r in outside if kinds().get(r["rule"], "") in BEYOND]
        refused = [r for r in outside if kinds().get(r["rule"], "") not in BEYOND]
        return cls([r for r in settled if r["side"] == "inside"], refused, beyond)

    @property
    def false_accepts(self) -> list[Row]:
        """Accepted by the rules; not compiled, or not into what it should be."""
        return [r for r in self.accepted if not r["good"]]

    @property
    def false_refusals(self) -> list[Row]:
        """Refused by a rule, and good for all that a compiler can see."""
        return [r for r in self.refused if r["good"]]

    @property
    def summary(self) -> list[str]:
        """The two bars, in words."""
        share = len(self.false_refusals) / len(self.refused) if self.refused else 0.0
        return [
            f"{len(self.accepted)} accepted kernels compiled: {len(self.false_accepts)} false accepts",
            f"{len(self.refused)} refused neighbours compiled: {len(self.false_refusals)} false refusals ({share:.1%})",
        ]


def _place(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in ("op", "arch", "rule", "dtypes", "pipeline", "layout", "digest"))


def report(rows: Iterable[Row]) -> int:
    """Prints the agreement, and every disagreement; answers how many false accepts there are."""
    verdict = Verdict.of(rows)
    print("\n".join(verdict.summary))
    for title, group in (("false accept", verdict.false_accepts), ("false refusal", verdict.false_refusals)):
        for row in group:
            where = " ".join(row[name] for name in ("op", "arch", "dtypes", "pipeline", "layout"))
            print(f"{title}: {row['digest'][:8]} {where} {row['rule']} {row.get('reason', '')}")
    return len(verdict.false_accepts)


def page(rows: Iterable[Row], executed: Sequence[Row] = ()) -> str:
    """The results of compiling, and of executing, as a page of the documentation."""
    verdict = Verdict.of(rows)
    mended = [r for r in (*verdict.refused, *verdict.beyond) if r.get("was") == "inside" and not r["good"]]
    parts = [
        HEAD,
        *_counts(verdict),
        *_title("The preselected sets", "All of their kernels; one that several sets have counts once."),
        *_sets(verdict.accepted),
        *executed_part(executed, _table),
        *_title("GEMM by dtypes and pipeline", "Accepted kernels that were compiled."),
        *_strata([r for r in verdict.accepted if r["op"] == "gemm"]),
        *_title("False accepts"),
        *_listed(verdict.false_accepts),
        *_title("False refusals"),
        *_listed(verdict.false_refusals, REASONS),
        *_title("Refused neighbours by rule", "Kernels that one rule alone refuses."),
        *_rules((*verdict.refused, *verdict.beyond)),
        "",
        *(f"- {kind}: {reason}." for kind, reason in BEYOND.items()),
        *_title("What CK asks of a launch", "Each condition is a rule: a kernel that CK would refuse is no candidate."),
        *_table(("op", "condition", "rules"), _conditions(), 3),
        *_title("Accepted when compiled, refused since"),
        *_listed(mended),
    ]
    return "\n".join(parts) + "\n"


def _conditions() -> list[tuple[str, str, str]]:
    """The conditions of CK, with the ids of their rules as code."""
    return [(op, said, ", ".join(f"`{rule}`" for rule in rules.split())) for op, said, rules in CONDITIONS]


def _title(title: str, text: str = "") -> list[str]:
    return ["", f"## {title}", "", *([text, ""] if text else [])]


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]], names: int) -> list[str]:
    """A Markdown table; columns after the first `names` are numbers."""
    rule = ["---" if i < names else "---:" for i in range(len(columns))]
    return ["| " + " | ".join(map(str, row)) + " |" for row in (columns, rule, *rows)]


def _counts(verdict: Verdict) -> list[str]:
    groups = (verdict.accepted, verdict.false_accepts, verdict.refused, verdict.false_refusals, verdict.beyond)
    rows: list[Sequence[Any]] = []
    for op, arch in product(OPS, ARCHS):
        counts = [sum((r["op"], r["arch"]) == (op, arch) for r in group) for group in groups]
        rows += [(op, arch, *counts)] if any(counts) else []
    rows.append(("all", "", *map(len, groups)))
    columns = ("op", "arch", "accepted", "false accepts", "refused", "false refusals", "refused beyond the compiler")
    return [*(f"- {line}." for line in verdict.summary), "", *_table(columns, rows, 2)]


def _sets(accepted: list[Row]) -> list[str]:
    known = {r["digest"]: r for r in accepted}
    rows: list[Sequence[Any]] = []
    for arch in ARCHS:
        keys = [case.key for case in preselected(arch)]
        found = [known[key] for key in keys if key in known]
        rows.append((arch, len(keys), len(found), sum(r["good"] for r in found)))
    kernels, compiled, good = (sum(row[i] for row in rows) for i in (1, 2, 3))
    rows.append(("all", kernels, compiled, good))
    told = f"Compiled: {compiled} of {kernels} ({compiled / kernels:.0%}); as they should be: {good}."
    return [told, "", *_table(("arch", "kernels", "compiled", "as they should be"), rows, 1)]


def _strata(accepted: list[Row]) -> list[str]:
    cells = Counter((r["arch"], r["dtypes"], r["pipeline"]) for r in accepted)
    places = sorted({key[:2] for key in cells}, key=lambda k: (ARCHS.index(k[0]), k[1]))
    rows = [(*place, *(cells[(*place, pipeline)] for pipeline in PIPELINES)) for place in places]
    return _table(("arch", "dtypes", *PIPELINES), rows, 2)


def _rules(refused: Sequence[Row]) -> list[str]:
    all_, good = (Counter(r["rule"] for r in group) for group in (refused, [r for r in refused if r["good"]]))
    rows = [
        (f"`{rule}`", kinds().get(rule, ""), all_[rule], all_[rule] - good[rule], good[rule]) for rule in sorted(all_)
    ]
    return _table(("rule", "kind", "compiled", "not good", "good"), rows, 2)


def _listed(group: list[Row], reasons: dict[str, str] | None = None) -> list[str]:
    told = {} if reasons is None else reasons
    lines = [
        f"- `{r['digest'][:8]}` {' '.join(_place(r)[:-1])}: {r.get('reason') or told.get(r['rule'], 'compiles')}"
        for r in group
    ]
    return lines or ["None."]
