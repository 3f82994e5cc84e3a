"""Holds the rules of ck_tile against the compiler: kernels just inside and just outside each rule are compiled.

    python benchmarks/ck_tile_audit.py --budget 2h          # goes on where the last run stopped
    python benchmarks/ck_tile_audit.py --report             # only the table of what is known so far

Inside: every kernel of the preselected sets, and a small legal one per arch, dtypes, pipeline, layout and warp tile.
Outside: a legal kernel with one field changed so that exactly one rule refuses it. A kernel is good if it compiles and
its matrix instructions are those of its dtypes and warp tile. Needs `tilewright toolchain install amdgpu` (or ROCm).
Results: one JSON line per kernel.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from tilewright.arch import default_catalog, get_arch
from tilewright.backends import get_backend_op
from tilewright.backends.ck_tile.compile import request_of
from tilewright.backends.ck_tile.gemm import preselected_kernels, preselected_names
from tilewright.backends.ck_tile.gemm.algorithm import EMITTED, CkTileGemm
from tilewright.backends.ck_tile.gemm.geometry import preshuffle_format
from tilewright.backends.ck_tile.toolchain import find_toolchain
from tilewright.errors import ArchError, TilewrightError
from tilewright.jit import Cache, build_many
from tilewright.model.kernel import KernelSpec
from tilewright.ops.gemm.signature import GemmSignature
from tilewright.settings import Settings

ARCHS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
LAYOUTS = ("rcr", "rrr", "crr", "ccr", "rcc", "crc")
BASES = 40  # legal kernels of an arch whose neighbours are looked at
RESULTS = Path(__file__).parent / "results" / "ck_tile_audit.jsonl"
# Rules that say more than a compiler can: results that are wrong, kernels that nobody generates, argument checks.
UNDECIDABLE = {"known-miscompile": "compiles, and computes the wrong thing", "problem": "asks about sizes"}
TRAITS = {
    "mem": {"scheduler": "interwave"},
    "compv4": {"double_smem_buffer": True},
    "compv5": {"num_wave_groups": 2},
    "preshufflev2": {"double_smem_buffer": True},
}


@dataclass(frozen=True)
class Case:
    """One kernel to compile: `side` is inside or outside, `rule` the one that refuses it."""

    spec: KernelSpec
    side: str
    rule: str = ""

    @property
    def key(self) -> str:
        """What a result is found by."""
        return self.spec.digest

    def stratum(self) -> dict[str, str]:
        """What the case stands for."""
        s, a = self.spec.signature, self.spec.algorithm
        return {"arch": self.spec.arch, "dtypes": s.dtype_key, "pipeline": a.pipeline, "layout": s.layout}


def order(text: str) -> str:
    """A fixed shuffle, so that every first part of the work is spread over everything."""
    return hashlib.sha256(text.encode()).hexdigest()


def signatures(arch: Any, layouts: Iterable[str], preshuffle: bool) -> Iterator[tuple[GemmSignature, Any]]:
    """Each signature of the arch with each of its warp tiles."""
    table = arch.preshuffle_warp_tiles if preshuffle else arch.warp_tiles
    for combination in default_catalog().dtype_combinations.values():
        out = "int32" if combination.acc == "int32" else combination.a if combination.a in ("bf16", "fp32") else "fp16"
        for tile in table.get(combination.key, ()):
            for layout in ("rcr",) if preshuffle else layouts:
                sig = GemmSignature(combination.a, combination.b, combination.acc, out, layout)
                yield sig, tile


def legal_gemms(arch_name: str) -> Iterator[KernelSpec]:
    """A small legal kernel for every dtype, pipeline, layout and warp tile of an arch."""
    arch: Any = get_arch(arch_name)
    op = get_backend_op("ck_tile", "gemm")
    for pipeline in EMITTED:
        for signature, tile in signatures(arch, LAYOUTS, pipeline == "preshufflev2"):
            legal = (s for s in small_gemms(arch, signature, tile, pipeline) if not op.check(s, arch))
            yield from islice(legal, 1)


def small_gemms(arch: Any, signature: GemmSignature, warp_tile: Any, pipeline: str) -> Iterator[KernelSpec]:
    """Kernels with few repeats of the warp tile, cheapest first."""
    wm, wn, wk = warp_tile
    for grow, deep in ((1, 1), (1, 2), (1, 4), (2, 2), (2, 4), (4, 2)):
        for m, n, k in ((1, 1, 2),) if pipeline == "compv5" else arch.wave_maps:
            shape = (m * wm * grow, n * wn * grow, k * wk * deep, m, n, k, wm, wn, wk)
            epilogue = "default" if signature.layout[2] == "c" else "cshuffle"
            a = CkTileGemm(*shape, pipeline=pipeline, epilogue=epilogue, **TRAITS.get(pipeline, {}))
            if pipeline == "preshufflev2":
                signature = replace(signature, b_format=preshuffle_format(a, signature.dtype_b, arch.wave_size))
            yield KernelSpec("gemm", "ck_tile", arch.name, signature, a)


def cost(spec: KernelSpec) -> tuple[int, str]:
    """How long a compile may take: code grows with what one wave computes."""
    a = spec.algorithm
    return (a.tile_m * a.tile_n * a.tile_k // (a.waves_m * a.waves_n), spec.digest)


def outside(specs: list[KernelSpec], per_rule: int) -> list[Case]:
    """Legal kernels with one field changed so that one rule alone refuses them; some per arch, rule and field."""
    op = get_backend_op("ck_tile", "gemm")
    found: dict[tuple[str, str, str], list[Case]] = {}
    for spec in sorted(specs, key=lambda s: order(s.digest))[:BASES]:
        for neighbour, field in neighbours(spec, op):
            rejections = op.check(neighbour, get_arch(spec.arch))
            if len(rejections) == 1:
                rule = rejections[0].rule
                found.setdefault((spec.arch, rule, field), []).append(Case(neighbour, "outside", rule))
    chosen: list[Case] = []
    for _, cases in sorted(found.items()):
        chosen += sorted(cases, key=lambda c: cost(c.spec))[:per_rule]
    return chosen


def neighbours(spec: KernelSpec, op: Any) -> Iterator[tuple[KernelSpec, str]]:
    """The spec with one tunable, the layout or the output changed."""
    for tunable in op.tunables():
        for value in tunable.choices:
            if value != getattr(spec.algorithm, tunable.name):
                yield spec.with_algorithm(**{tunable.name: value}), tunable.name
    for name, values in (("layout", LAYOUTS), ("dtype_out", ("fp16", "bf16", "fp32", "fp8", "int32"))):
        for value in values:
            if value != getattr(spec.signature, name):
                yield replace(spec, signature=replace(spec.signature, **{name: value})), name


def preselected(arch: str) -> list[Case]:
    """Every kernel of the preselected sets on an arch, the cheapest first."""
    found: dict[str, KernelSpec] = {}
    for name in preselected_names():
        with contextlib.suppress(ArchError):  # a set that does not claim this arch
            found.update((s.digest, s) for s in preselected_kernels(name, arch))
    return [Case(spec, "inside") for spec in sorted(found.values(), key=cost)]


def spread(specs: list[KernelSpec]) -> list[Case]:
    """The small kernels: first one of each dtypes and pipeline, then one of each layout too, then the others."""
    seen: set[tuple[str, ...]] = set()
    rounds: tuple[list[Case], ...] = ([], [], [])
    for spec in sorted(specs, key=lambda s: order(s.digest)):
        coarse = (spec.arch, spec.signature.dtype_key, spec.algorithm.pipeline)
        fine = (*coarse, spec.signature.layout)
        rounds[0 if coarse not in seen else 1 if fine not in seen else 2].append(Case(spec, "inside"))
        seen |= {coarse, fine}
    return [case for part in rounds for case in part]


def cases(archs: Iterable[str], per_rule: int) -> list[Case]:
    """All of the work, taken in turn from each arch and kind of case; equal kernels once."""
    queues: list[list[Case]] = []
    for arch in archs:
        legal = list(legal_gemms(arch))
        refused = sorted(outside(legal, per_rule), key=lambda c: order(c.key))
        queues += [refused, spread(legal), preselected(arch)]
    turns = (case for turn in zip_longest(*queues) for case in turn if case is not None)
    return list({case.key: case for case in turns}.values())


def known(path: Path, tools: str) -> dict[str, dict[str, Any]]:
    """Results so far that this toolchain gave, by digest."""
    if not path.is_file():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return {row["digest"]: row for row in rows if row["toolchain"] == tools}


def compile_case(case: Case, cache: Cache, settings: Settings, tools: Any) -> dict[str, Any]:
    """What the compiler makes of one kernel."""
    row = {"digest": case.key, "toolchain": tools.identity, **case.stratum(), "side": case.side, "rule": case.rule}
    row["algorithm"] = case.spec.to_dict()["algorithm"]
    row["signature"] = case.spec.to_dict()["signature"]
    try:
        request = request_of(case.spec, settings, main_only=True, assembly_only=True, toolchain=tools)
    except TilewrightError as refusal:
        return {**row, "good": False, "outcome": "generator", "reason": str(refusal)[:300], "seconds": 0.0}
    [result] = build_many([request], cache, max_workers=1)
    seconds = round(result.seconds, 1)
    if hasattr(result, "kind"):
        return {**row, "good": False, "outcome": result.kind, "reason": result.reason[:300], "seconds": seconds}
    return {**row, "good": True, "outcome": "ok", "matrix": result.metadata["code"]["matrix"], "seconds": seconds}


def kind_of(rule: str) -> str:
    """The kind of the rule with this id."""
    return next((r.kind for r in get_backend_op("ck_tile", "gemm").rules if r.id == rule), "")


def report(rows: list[dict[str, Any]]) -> int:
    """Prints the agreement, and every disagreement; answers how many false accepts there are."""
    settled = [r for r in rows if r["outcome"] in ("ok", "error", "inspect", "generator", "crash")]
    accepts = [r for r in settled if r["side"] == "inside"]
    refusals = [r for r in settled if r["side"] == "outside" and kind_of(r["rule"]) not in UNDECIDABLE]
    false_accepts = [r for r in accepts if not r["good"]]
    false_refusals = [r for r in refusals if r["good"]]
    print(f"{len(accepts)} accepted kernels compiled: {len(false_accepts)} false accepts")
    print(f"{len(refusals)} refused neighbours compiled: {len(false_refusals)} good ones (false refusals)")
    for title, group in (("false accept", false_accepts), ("false refusal", false_refusals)):
        for row in sorted(group, key=lambda r: (r["rule"], r["arch"], r["digest"])):
            where = " ".join(row[name] for name in ("arch", "dtypes", "pipeline", "layout"))
            print(f"{title}: {row['digest'][:8]} {where} {row['rule']} {row.get('reason', '')}")
    return len(false_accepts)


def seconds_of(text: str) -> float:
    """90, 90s, 15m or 2h in seconds."""
    unit = {"s": 1, "m": 60, "h": 3600}.get(text[-1:], 0)
    return float(text[:-1]) * unit if unit else float(text)


def main() -> int:
    """Entry point; the exit status is 1 where a rule accepts what the compiler does not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", action="append", default=[], choices=ARCHS, help="only this arch; may be repeated")
    parser.add_argument("--budget", type=seconds_of, default=0.0, metavar="TIME", help="stop after 90s, 15m or 2h")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="compile at most N kernels")
    parser.add_argument("--per-rule", type=int, default=1, metavar="N", help="refused kernels per arch, rule and field")
    parser.add_argument("--list", action="store_true", help="only say what would be compiled")
    parser.add_argument("--report", action="store_true", help="only judge the results so far")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    settings = Settings.from_env()
    tools = find_toolchain(settings)
    done = known(options.results, tools.identity)
    if options.report:
        return 1 if report(list(done.values())) else 0
    wanted = [c for c in cases(options.arch or ARCHS, options.per_rule) if c.key not in done]
    sides = {side: sum(c.side == side for c in wanted) for side in ("inside", "outside")}
    print(f"{len(done)} known, {len(wanted)} to compile {sides}", file=sys.stderr)
    if options.list:
        return 0
    cache, start = Cache.from_settings(settings), time.monotonic()
    options.results.parent.mkdir(exist_ok=True)
    for number, case in enumerate(wanted[: options.limit or None], 1):
        if options.budget and time.monotonic() - start > options.budget:
            break
        row = compile_case(case, cache, settings, tools)
        if row["outcome"] in ("timeout", "killed", "toolchain", "cancelled"):
            print(f"[{number}/{len(wanted)}] {row['outcome']}: tried again next time", file=sys.stderr)
            continue
        done[case.key] = row
        with open(options.results, "a") as stream:  # one line at a time: a run can be stopped at any moment
            stream.write(json.dumps(row, sort_keys=True) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        mark = "agree" if row["good"] == (case.side == "inside") else "DIFFER"
        print(
            f"[{number}/{len(wanted)}] {mark} {case.side} {case.rule} {case.spec.name} {row['seconds']} s", flush=True
        )
    return 1 if report(list(done.values())) else 0


if __name__ == "__main__":
    raise SystemExit(main())
