"""Seconds of a net's first call: torch with cudnn.benchmark, and tilewright that compiles in the background.

Each side runs in a process of its own with empty kernel caches. CUDA is initialised and the weights are there before
the clock starts. `built_s` is how long it takes after the first calls until every kernel is built and the stand-ins are
replaced; `builds` says what was built and how long each compiler ran, and `switched_s` when, after the first call
began. A net whose row is in `--out` already is skipped, so a run that was stopped continues.

    python benchmarks/gpu/first_call.py                              # resnet50 and mobilenet_v2 on the GPU
    python benchmarks/gpu/first_call.py --nets bert --out rows.jsonl
    python benchmarks/gpu/first_call.py --nets vision/regnet_y_8gf vision/swin_t --fuse   # patch(model, fuse=True)
    python benchmarks/gpu/first_call.py --nets transformers/gpt2 --train                  # both passes
    python benchmarks/gpu/first_call.py --nets resnet50 --profile    # where the first call's host time goes, to stderr
    python benchmarks/gpu/first_call.py --nets resnet50 --device cpu --size quick
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1]
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "src")]

from json_rows import show_row  # noqa: E402

CACHES = ("TILEWRIGHT_CACHE_DIR", "TRITON_CACHE_DIR")
SLOWEST = 40  # lines of a profile


def net_of(name: str, size: str, device: str, dtype: Any) -> tuple[Any, Any]:
    """Return a net and its input: of benchmarks/nets, or vision/NAME, transformers/NAME."""
    if "/" in name:
        from compile_draw import made

        return made(name, device, dtype)
    from nets import NETS

    return NETS[name].model(size, device, dtype), NETS[name].example(size, device, dtype)


def first_call(side: str, name: str, args: argparse.Namespace) -> dict[str, Any]:
    """Return the seconds of the first and of the second call, and of all builds."""
    import torch
    from compile_draw import first_tensor

    torch.backends.cudnn.benchmark = True
    model, example = net_of(name, args.size, args.device, torch.float16 if args.device == "cuda" else torch.float32)
    model.train(args.train)
    switched: list[float] = []
    if side == "background":
        import tilewright.torch

        tilewright.torch.patch(model, fuse=args.fuse)
        note_switches(switched)
    wait = torch.cuda.synchronize if args.device == "cuda" else (lambda: None)

    def call() -> Any:
        with torch.set_grad_enabled(args.train):
            found = first_tensor(model(example))
            if args.train:
                found.backward(torch.ones_like(found))
        wait()
        return found.detach()

    wait()
    begin = time.perf_counter()
    first_s, first = timed(profiled(call) if args.profile else call)
    second_s, _ = timed(call)
    found: dict[str, Any] = {"first_s": first_s, "second_s": second_s}
    if side == "background":
        found.update(after_builds(call, first))
        found["switched_s"] = [round(moment - begin, 2) for moment in switched]
    return found


def note_switches(moments: list[float]) -> None:
    """Collect the moments at which kernels are built."""
    from tilewright.frontends.default import default_dispatcher

    dispatcher = default_dispatcher()
    record = dispatcher.record

    def noted(kind: str, *rest: Any) -> None:
        if kind == "switched":
            moments.append(time.perf_counter())
        record(kind, *rest)

    dispatcher.record = noted  # type: ignore[method-assign]


def after_builds(call: Callable[[], Any], first: Any) -> dict[str, Any]:
    """Return how long the builds took, what they were, and the time and the result of a call that uses them."""
    from tilewright.frontends.default import default_dispatcher

    dispatcher, begin = default_dispatcher(), time.perf_counter()
    done = dispatcher.wait_for_builds(300)
    built_s = round(time.perf_counter() - begin, 2)
    events = {kind: sum(e.kind == kind for e in dispatcher.events) for kind in ("stand-in", "switched", "build-failed")}
    again = [timed(call) for _ in range(3)]
    difference = float((again[-1][1].float() - first.float()).abs().max() / first.float().abs().max())
    return {
        "built_s": built_s, "all_built": done, "events": events, "fast_s": min(s for s, _ in again),
        "difference": difference, "builds": builds_of(dispatcher.cache),
    }  # fmt: skip


def builds_of(cache: Any) -> dict[str, Any]:
    """Return what is in a cache that was empty: how many builds, their seconds together, and the longest ones."""
    metas = [json.loads(path.read_text()) for path in cache.root.rglob("meta.json")]
    seconds = {meta["name"]: round(meta["seconds"], 2) for meta in metas}
    longest = sorted(seconds.items(), key=lambda item: -item[1])[:5]
    return {"count": len(metas), "seconds": round(sum(seconds.values()), 1), "longest": dict(longest)}


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of a call, and its result."""
    begin = time.perf_counter()
    found = call()
    return round(time.perf_counter() - begin, 4), found


def profiled(call: Callable[[], Any]) -> Callable[[], Any]:
    """Return the call with a profile of this thread printed to stderr."""
    import cProfile
    import pstats

    def run() -> Any:
        profile = cProfile.Profile()
        found = profile.runcall(call)
        pstats.Stats(profile, stream=sys.stderr).sort_stats("cumulative").print_stats(SLOWEST)
        return found

    return run


def side_of(side: str, name: str, args: argparse.Namespace) -> dict[str, Any]:
    """Run one side in a process of its own, with empty caches."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        caches = {variable: f"{folder}/{variable}" for variable in CACHES}
        command = [sys.executable, __file__, "--side", side, "--nets", name, "--size", args.size]
        command += ["--device", args.device]
        command += [f"--{option}" for option in ("profile", "fuse", "train") if getattr(args, option)]
        process = subprocess.Popen(
            command, env={**os.environ, **caches, "TILEWRIGHT_BUILD": "background"}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        try:
            out, error = process.communicate(timeout=args.limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # its compilers too
            process.communicate()
            return {"failure": f"took more than {args.limit:.0f} s"}
    if args.profile:
        print(error, file=sys.stderr)
    if process.returncode:
        return {"failure": error[-2000:]}
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def row_of(name: str, args: argparse.Namespace) -> dict[str, Any]:
    """Return both sides of a net, and how many times longer our first call takes.

    torch runs before and after us, and its faster run counts: the first one may read cuDNN's libraries from a disk.
    """
    runs = [side_of(side, name, args) for side in ("torch", "background", "torch")]
    firsts = [run.get("first_s") for run in runs]
    ratio = round(firsts[1] / min(firsts[::2]), 2) if all(firsts) else None
    sides = {"torch": runs[2], "torch_before": runs[0], "background": runs[1]}
    options = {option: True for option in ("fuse", "train") if getattr(args, option)}
    return {"net": name, "device": args.device, "size": args.size, **options, "ratio": ratio, **sides}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nets", nargs="+", default=["resnet50", "mobilenet_v2"])
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--size", default="gpu", help="gpu, cpu or quick, which is tiny")
    parser.add_argument("--out", type=Path, help="append rows to this file, and skip the nets that have one")
    parser.add_argument("--limit", type=float, default=150.0, metavar="SECONDS", help="of one side")
    parser.add_argument("--profile", action="store_true", help="print where the first call's host time goes")
    parser.add_argument("--fuse", action="store_true", help="patch with fuse=True")
    parser.add_argument("--train", action="store_true", help="a step of training: both passes")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.side:
        print(json.dumps(first_call(args.side, args.nets[0], args)))
        return
    lines = args.out.read_text().splitlines() if args.out and args.out.exists() else []
    rows = [row for row in map(json.loads, lines) if row["ratio"] is not None]
    done = {(row["net"], row.get("fuse", False), row.get("train", False)) for row in rows}
    for name in args.nets:
        if (name, args.fuse, args.train) in done:
            continue
        show_row(row_of(name, args), args.out)


if __name__ == "__main__":
    main()
