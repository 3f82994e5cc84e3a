"""Collect measurements on a GPU machine that has only Python, torch, Triton and NumPy: many short ones, built before.

    python benchmarks/gpu/tune_gpu.py plan --count 1400 --out out/tune                 # no GPU: problems and candidates
    python benchmarks/gpu/tune_gpu.py plan --op conv --direction forward --out out/tune    # of convolutions
    python benchmarks/gpu/tune_gpu.py build --out out/tune --workers 2                 # no GPU: cross-compile, pack
    python benchmarks/gpu/tune_gpu.py measure --out out/tune --seconds 280 --to $OUT   # on the GPU; again: goes on
    tilewright data merge rows.jsonl.xz                                            # at home

`measure` takes the packed kernels if there are some and builds what is missing with all cores. A run that ended goes
on where it stopped if its rows are given with `--rows`. Needs no package except those named; `src` is found by itself.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import sys
import time
from collections import Counter
from importlib import import_module
from itertools import zip_longest
from pathlib import Path

from places import HERE  # first, for the path to the package

from tilewright.arch import get_nominal_devices
from tilewright.backends.plain import spec_from_dict
from tilewright.model.canonical import canonical
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry
from tilewright.select.features import group_key
from tilewright.select.learned import Learned
from tilewright.select.model_directory import ModelDirectory
from tilewright.settings import Settings
from tilewright.store import Store, launch_from_dict, read_rows, write_rows
from tilewright.tune.bench.own import own_kernels_only
from tilewright.tune.learn.dataset import is_held_out
from tilewright.tune.measure.candidates import kernel_order, wanted_of
from tilewright.tune.measure.show import SweepLines
from tilewright.tune.measure.station import Built, LocalStation, build_here
from tilewright.tune.measure.sweep import Sweep
from tilewright.tune.measure.task import SweepPolicy

FAR = 30.0  # a GPU is done with a hopeless candidate in one launch
MAX_BYTES = 3e8  # of a convolution's tensors
FEW_CHANNELS, OF_A_KIND = 8, 40  # per group, and layers with the same channels, filter and stride, of `--grouped`


def nominal(name: str):
    return next(d for d in get_nominal_devices("sm_90") if d.name.startswith(name))


CORPUS = HERE / "problems" / "conv_corpus.jsonl"


def drawn(args):
    """Problems from files, layers of known networks for convolutions, or a spread over what programs ask for."""
    if args.op == "conv" and not args.problems:
        return layers(args)
    if args.problems:
        lines = [line for path in args.problems for line in Path(path).read_text().splitlines() if line.strip()]
        return [problem_from_dict({**json.loads(line), "device": "cuda:0"}) for line in lines]
    samples = import_module(f"tilewright.ops.{args.op}.samples")
    more = {"layouts": tuple(args.layouts.split(","))} if args.layouts else {}
    return samples.sample_problems(args.count, args.seed, args.dtypes.split(","), "cuda:0", args.most_flops, **more)


def layers(args):
    """Convolutions of the corpus in one direction, distinct, small enough, drawn by a hash so that any run draws alike.

    Of layers that differ in their batch alone two are taken at most. With `--grouped`, only layers with groups of few
    channels, one batch of each and so many of a kind: their kernels are made for few layers.
    """
    found, groups, kinds = {}, Counter(), Counter()
    batches = 1 if args.grouped else 2
    lines = sorted(CORPUS.read_text().splitlines(), key=lambda x: hashlib.sha256(f"{args.seed} {x}".encode()).digest())
    for line in lines:
        data = json.loads(line)
        if data["direction"] != args.direction or len(found) >= args.count:
            continue
        problem = problem_from_dict({**data, "device": "cuda:0"})
        kind = problem.c_group, problem.filter, problem.stride
        if args.grouped and (problem.g == 1 or problem.c_group > FEW_CHANNELS or kinds[kind] >= OF_A_KIND):
            continue
        group = group_key(problem)
        if problem.flops <= args.most_flops and problem.bytes <= MAX_BYTES and groups[group] < batches:
            groups[group] += problem.tuning_key not in found
            kinds[kind] += 1
            found.setdefault(problem.tuning_key, problem)
    return list(found.values())


def plan(args):
    """Which candidates are measured on which problems, as JSON lines beside the specs that they need."""
    registry, device = default_registry(), nominal(args.device)
    wanted, without = wanted_of(drawn(args), registry, device, far=FAR)
    if args.models:
        both_orders(wanted, device, Learned(ModelDirectory([args.models])))
    order = kernel_order(wanted, args.top, args.need)[: args.kernels or None]
    usable = {s.digest for s in order}
    everything = len(wanted)
    wanted = [w for w in wanted if sum(c.spec.digest in usable for c in w.ranked) >= args.least]
    args.out.mkdir(parents=True, exist_ok=True)
    used, rows = set(), 0
    with gzip.open(args.out / "plan.jsonl.gz", "wt") as file:
        for w in wanted:
            more = args.held_out_more if is_held_out(w.problem) else 1
            chosen = w.order(round(more * args.top), round(more * args.explore), usable)
            used.update(c.spec.digest for c in chosen)
            rows += len(chosen)
            listed = [(c.spec.digest, canonical(c.launch)) for c in chosen]
            file.write(json.dumps({"problem": w.problem.to_dict(), "candidates": listed}) + "\n")
    specs = {s.digest: s.to_dict() for s in order if s.digest in used}
    (args.out / "specs.json").write_text(json.dumps(specs))
    held = sum(is_held_out(w.problem) for w in wanted)
    print(f"{len(wanted)} problems ({held} held out), {rows} measurements, {len(specs)} kernels, ", end="")
    print(f"{len(without)} problems without candidates, {everything - len(wanted)} with fewer than {args.least}")


def both_orders(wanted, device, learned):
    """Rank by an earlier model and by the cost model in turn: what either likes is measured."""
    for w in wanted:
        known, _ = learned.predicted(w.problem, w.ranked, device)
        pairs = zip_longest([r.candidate for r in known], list(w.ranked))
        w.ranked = list(dict.fromkeys(c for pair in pairs for c in pair if c is not None))


def build(args):
    """Compile the plan's kernels into a cache of its own and pack it."""
    begin, specs = time.time(), json.loads((args.out / "specs.json").read_text())
    settings = settings_of(args)
    built = LocalStation(settings).build(list(specs.values()), args.build_seconds)
    late = sum(b.cancelled for b in built)
    failed = [b for b in built if b.failure and not b.cancelled]
    from tilewright.jit import Cache

    packed = args.out / "kernels.tar.gz"
    Cache.from_settings(settings).export(packed, [b.build_key for b in built if not b.failure])
    (args.out / "built.json").write_text(json.dumps([vars(b) for b in built]))
    count = len(built) - len(failed) - late
    print(
        f"{count} kernels in {time.time() - begin:.0f} s, {packed.stat().st_size >> 20} MiB packed; {late} not reached"
    )
    for b in failed[:10]:
        print("not built:", specs[b.digest]["algorithm"], b.failure[:200])


def settings_of(args):
    folder = str(args.cache or args.out / "cache")
    os.environ["TILEWRIGHT_CACHE_DIR"] = folder
    return Settings.from_env(cache_dir=folder, build_workers=args.workers)


def kernels(args, settings):
    """Return builds by digest: unpacked if they were packed, else compiled here."""
    from tilewright.jit import Cache

    packed, listed = args.out / "kernels.tar.gz", args.out / "built.json"
    known = {}
    if packed.exists() and listed.exists():
        Cache.from_settings(settings).import_(packed)
        known = {b["digest"]: Built(**b) for b in json.loads(listed.read_text())}
    specs = json.loads((args.out / "specs.json").read_text())
    missing = [s for d, s in specs.items() if d not in known]
    if missing:
        known |= {b.digest: b for b in build_here(missing, settings)}
    return {d: b for d, b in known.items() if not b.failure}, {d: spec_from_dict(s) for d, s in specs.items()}


def measure(args):
    """Measure the plan until the time is up; rows go to a file in the folder `--to`."""
    from tilewright.backends.gpu.detect import gpu_devices
    from tilewright.model.kernel import Candidate

    end, begin = time.monotonic() + args.seconds, time.time()
    settings = settings_of(args)
    built, specs = kernels(args, settings)
    print(f"{len(built)} kernels ready after {time.time() - begin:.1f} s", flush=True)
    work = []
    with gzip.open(args.out / "plan.jsonl.gz", "rt") as file:
        for line in file:
            item = json.loads(line)
            chosen = [Candidate(specs[d], launch_from_dict(x)) for d, x in item["candidates"] if d in built]
            work.append((problem_from_dict(item["problem"]), chosen))
    args.to.mkdir(parents=True, exist_ok=True)
    store = Store(args.to / "rows.sqlite")
    if args.rows:
        print("known already:", store.merge(read_rows(args.rows)))
    policy = SweepPolicy(mode="queue", cache="rotate", statistic="median", rounds=args.rounds, sample_ms=args.sample_ms)
    station = LocalStation(settings, gpu=0, patience=args.patience)
    sweep = Sweep(store, [station], gpu_devices()[0], built, policy)
    report = sweep.run(work, end - 5.0, SweepLines(sys.stdout))
    station.close()
    count = write_rows(store.rows(), args.to / args.name)
    store.close()
    (args.to / "rows.sqlite").unlink(missing_ok=True)
    print(f"{count} rows; statuses {dict(report.statuses)}; {report.rate:.0f}/s; failures {report.failures[:5]}")


def main():
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("plan", "build", "measure"))
    parser.add_argument("--out", type=Path, default=Path("out/tune"))
    parser.add_argument("--cache", type=Path, help="where kernels are built; by default OUT/cache")
    parser.add_argument("--op", default="gemm")
    parser.add_argument("--direction", default="forward", help="of convolutions")
    parser.add_argument("--grouped", action="store_true", help="only convolutions with groups of few channels")
    parser.add_argument("--count", type=int, default=1400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dtypes", default="fp16,bf16")
    parser.add_argument("--layouts", default="rcr,rrr")
    parser.add_argument("--most-flops", type=float, default=4e11, help="of a problem; larger ones only take longer")
    parser.add_argument("--problems", nargs="*")
    parser.add_argument("--device", default="H200")
    parser.add_argument("--models", type=Path, help="folder of earlier models, which help to choose candidates")
    parser.add_argument("--top", type=int, default=16)
    parser.add_argument("--explore", type=int, default=16)
    parser.add_argument("--held-out-more", type=float, default=2.0, help="times the candidates of a held-out problem")
    parser.add_argument("--kernels", type=int, default=0, help="at most so many")
    parser.add_argument("--need", type=int, default=0, help="choose kernels so that problems get so many candidates")
    parser.add_argument("--least", type=int, default=1, help="leave problems with fewer candidates out")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--build-seconds", type=float, default=3600.0, help="after which nothing more is built")
    parser.add_argument("--seconds", type=float, default=280.0)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--sample-ms", type=float, default=0.25)
    parser.add_argument("--patience", type=float, default=20.0)
    parser.add_argument("--to", type=Path, default=Path("out/tune/rows"))
    parser.add_argument("--name", default="rows.jsonl.xz", help="of the file; one that ends in .gz is written faster")
    parser.add_argument("--rows", type=Path, help="rows of an earlier run, which are not measured again")
    args = parser.parse_args()
    {"plan": plan, "build": build, "measure": measure}[args.what](args)


if __name__ == "__main__":
    main()
