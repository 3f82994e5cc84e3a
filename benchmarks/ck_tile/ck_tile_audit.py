"""Holds the rules of ck_tile against the compiler: kernels just inside and just outside each rule are compiled.

    python benchmarks/ck_tile/ck_tile_audit.py --budget 2h          # goes on where the last run stopped
    python benchmarks/ck_tile/ck_tile_audit.py --report             # only the table of what is known so far
    python benchmarks/ck_tile/ck_tile_audit.py --execute --budget 2h  # executes compiled kernels in the emulator

Inside: every kernel of the preselected sets, a small legal GEMM per arch, dtypes, pipeline, layout and warp tile, the
convolutions of the shipped sets, attention kernels of every family, and legal kernels at the edge of a rule. Outside: a
legal kernel with one field changed so that exactly one rule refuses it. A kernel is good if it compiles and its matrix
instructions are those of its dtypes and warp tile. Needs `tilewright toolchain install amdgpu` (or ROCm). Results: one
JSON line per kernel.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from ck_tile_batch import compile_batch
from ck_tile_cases import ARCHS, OPS, SIDES, Case, cases
from ck_tile_contract import with_contract
from ck_tile_executed import run as execute
from ck_tile_executed_page import ARCHS as EMULATED
from ck_tile_executed_page import EXECUTED
from ck_tile_executed_page import known as known_executed
from ck_tile_page import BEYOND, SETTLED, kinds, page, report
from json_rows import append_row

from tilewright.arch import get_arch
from tilewright.backends import get_backend_op
from tilewright.backends.ck_tile.toolchain import Toolchain, find_toolchain
from tilewright.backends.plain import spec_from_dict
from tilewright.settings import Settings

WHOLE = 4  # how many times longer all parts of a kernel may take than its main one
RESULTS = Path(__file__).parents[1] / "results" / "ck_tile_audit.jsonl"


def known(path: Path, tools: str) -> dict[str, dict[str, Any]]:
    """Results so far that this toolchain gave, by digest."""
    if not path.is_file():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return {row["digest"]: row for row in rows if row["toolchain"] == tools}


def judged_now(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with the side that today's rules put them on; those that several rules refuse show nothing of one."""
    found = []
    for row in rows:
        kernel = {name: row[name] for name in ("op", "arch", "signature", "algorithm")}
        spec = spec_from_dict({"schema": 1, "backend": "ck_tile", **kernel})
        broken = sorted({r.rule for r in get_backend_op("ck_tile", spec.op).check(spec, get_arch(spec.arch))})
        if len(broken) < 2:
            side = "outside" if broken else "inside"
            found.append({**row, "side": side, "rule": "".join(broken), "was": row["side"]})
    return found


def row_of(case: Case, tools: Toolchain, outcome: dict[str, Any]) -> dict[str, Any]:
    """One line of the results: what the kernel is, and what the compiler made of it."""
    spec = case.spec.to_dict()
    where = {**case.stratum(), "side": case.side, "rule": case.rule}
    kernel = {"algorithm": spec["algorithm"], "signature": spec["signature"]}
    outcome = {name: value for name, value in outcome.items() if name != "symbols"}
    return {"digest": case.key, "toolchain": tools.identity, **where, **kernel, **outcome}


def batches(work: Iterable[Case], size: int) -> list[list[Case]]:
    """The work in units of one arch, op and side; every first part is spread over all of these."""
    queues: dict[tuple[str, ...], list[Case]] = {}
    for case in work:
        queues.setdefault((case.spec.arch, case.spec.op, case.side), []).append(case)
    turns = [
        (start, OPS.index(op), side, queue[start : start + size])
        for (_, op, side), queue in queues.items()
        for start in range(0, len(queue), size)
    ]
    return [batch for *_, batch in sorted(turns, key=lambda t: t[:3])]


def compile_all(work: list[list[Case]], options: argparse.Namespace, settings: Settings, tools: Toolchain) -> None:
    """Compiles batches side by side; every result is written as soon as it is known."""
    end = time.monotonic() + options.budget if options.budget else float("inf")
    total, lock, count = sum(map(len, work)), Lock(), iter(range(1, sys.maxsize))

    def one(batch: list[Case]) -> None:
        if time.monotonic() > end:
            return
        by_key = {case.key: case for case in batch}
        for spec, outcome in compile_batch([c.spec for c in batch], settings, tools, options.cpu_limit):
            case = by_key[spec.digest]
            if outcome["good"] and case.side == "outside" and kinds()[case.rule] not in BEYOND:
                # A refusal is false only where all of the kernel compiles.
                [(_, outcome)] = compile_batch([spec], settings, tools, WHOLE * options.cpu_limit, main_only=False)
            with lock:
                append_row(row_of(case, tools, outcome), options.results, sort_keys=True)
                mark = "agree" if outcome["good"] == (case.side == "inside") else "DIFFER"
                mark = mark if outcome["outcome"] in SETTLED else outcome["outcome"]
                said = f"{mark} {case.side} {case.rule} {spec.name} {outcome['seconds']} s"
                print(f"[{next(count)}/{total}] {said}", flush=True)

    with ThreadPoolExecutor(options.workers) as pool:
        list(pool.map(one, work))


def seconds_of(text: str) -> float:
    """90, 90s, 15m or 2h in seconds."""
    unit = {"s": 1, "m": 60, "h": 3600}.get(text[-1:], 0)
    return float(text[:-1]) * unit if unit else float(text)


def main() -> int:
    """Entry point; the exit status is 1 where a rule accepts what the compiler does not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", action="append", default=[], choices=EMULATED, help="only this arch; may be repeated")
    parser.add_argument("--op", action="append", default=[], choices=OPS, help="only this op; may be repeated")
    parser.add_argument("--side", choices=SIDES, help="only accepted (inside) or refused (outside) kernels")
    parser.add_argument("--counted", action="store_true", help="no neighbours of rules that no compiler can decide")
    parser.add_argument("--budget", type=seconds_of, default=0.0, metavar="TIME", help="stop after 90s, 15m or 2h")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="compile at most N kernels")
    parser.add_argument("--per-rule", type=int, default=1, metavar="N", help="refused kernels per arch, rule and field")
    parser.add_argument("--nice", type=int, default=19, metavar="N", help="how far the compilers step back for others")
    parser.add_argument("--batch", type=int, default=8, metavar="N", help="kernels that are compiled together")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="compilers side by side")
    parser.add_argument("--cpu-limit", type=float, default=120.0, metavar="SECONDS", help="CPU time of a kernel")
    parser.add_argument("--list", action="store_true", help="only say what would be compiled")
    parser.add_argument("--report", action="store_true", help="only judge the results so far")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, metavar="FILE", help="only write the results so far as a page")
    parser.add_argument("--execute", action="store_true", help="execute compiled kernels instead")
    parser.add_argument("--backend", action="append", default=[], choices=("ck_tile", "triton"), help="execute its")
    parser.add_argument("--main-only", action="store_true", help="execute only the kernels for long K")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="execute: processes side by side")
    parser.add_argument("--into", type=Path, metavar="FILE", help="execute: where new rows go; FILE of --executed")
    parser.add_argument("--only", action="append", default=[], metavar="DIGEST", help="execute: only kernels like this")
    parser.add_argument("--name", action="append", default=[], metavar="TEXT", help="execute: only kernels so called")
    parser.add_argument("--counts", type=Path, metavar="FILE", help="execute: also write counts of kernels into FILE")
    parser.add_argument("--executed", type=Path, default=EXECUTED, metavar="FILE", help="results of --execute")
    parser.add_argument(
        "--contract",
        nargs="+",
        type=Path,
        default=[],
        metavar="ROWS",
        help="only add what the list of the contract executed",
    )
    options = parser.parse_args()
    if options.contract:
        rows = [json.loads(line) for path in options.contract for line in path.read_text().splitlines()]
        executed = with_contract(known_executed(options.executed), rows)
        options.executed.write_text("".join(json.dumps(row, sort_keys=True) + "\n" for row in executed))
        return 0
    settings = Settings.from_env()
    tools = find_toolchain(settings)
    if options.execute:
        os.nice(options.nice)
        execute(options)
        return 0
    done = known(options.results, tools.identity)
    if options.page:
        options.page.write_text(page(judged_now(done.values()), known_executed(options.executed)))
        return 0
    if options.report:
        return 1 if report(judged_now(done.values())) else 0
    settled = {key for key, row in done.items() if row["outcome"] in SETTLED}
    everything = cases(options.arch or ARCHS, options.op or OPS, options.per_rule)
    wanted = [c for c in everything if c.key not in settled and options.side in (None, c.side)]
    if options.counted:
        wanted = [c for c in wanted if c.side == "inside" or kinds()[c.rule] not in BEYOND]
    sides = {side: sum(c.side == side for c in wanted) for side in SIDES}
    print(f"{len(settled)} known, {len(wanted)} to compile {sides}", file=sys.stderr)
    if options.list:
        return 0
    os.nice(options.nice)  # after the planning: compilers inherit it
    options.results.parent.mkdir(exist_ok=True)
    compile_all(batches(wanted[: options.limit or None], options.batch), options, settings, tools)
    return 1 if report(judged_now(known(options.results, tools.identity).values())) else 0


if __name__ == "__main__":
    raise SystemExit(main())
