"""Libraries among the candidates: what is chosen, how it compares with cuBLAS, cuDNN and SDPA, and nets under `patch`.

    PYTHONPATH=src python3 benchmarks/gpu/vendor_gpu.py --out rows.jsonl           # everything, about ten minutes
    PYTHONPATH=src python3 benchmarks/gpu/vendor_gpu.py --parts select --every 4
    PYTHONPATH=src python3 benchmarks/gpu/vendor_gpu.py --device cpu --parts calls nets --size quick

`select`: problems that no price and no model was fitted to. The choice, our best kernel and every library's kernel are
verified, then timed in turn with torch. `calls`: some of them as calls of the public functions, until the contest of
each is over. `nets`: torch against the patched net in inference, after the contests of its layers.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import geometric_mean
from typing import Any

FOLDER = Path(__file__).parents[1]
sys.path[:0] = [str(FOLDER), str(FOLDER / "gpu"), str(FOLDER.parent / "src")]
os.environ["TILEWRIGHT_VENDOR"] = "1"
os.environ.setdefault("TILEWRIGHT_BUILD", "wait")
os.environ.setdefault("TILEWRIGHT_DATA_DIR", tempfile.mkdtemp())

import torch  # noqa: E402
from contest import contest  # noqa: E402

import tilewright as tw  # noqa: E402
from tilewright.dispatcher.contest import is_library  # noqa: E402
from tilewright.ops import get_op, problem_from_dict  # noqa: E402
from tilewright.tune.bench.peers import get_peer  # noqa: E402
from tilewright.tune.measure.timer import Policy  # noqa: E402

CAUSAL = "causal_top_left"
ATTENTION = {"op": "fmha", "batch": 4, "heads_q": 24, "dtype": "bf16"}
CALLS = 1500  # of one problem, at most
NETS_CALLS = 400  # before a net is timed: the contests of its layers
Row = dict[str, Any]


def problems(device: str, every: int) -> list[Any]:
    """Return problems that are in no list of prices or models: products, convolutions by a seed, attention."""
    lines = (FOLDER / "problems" / "gemm_gpu_holdout.jsonl").read_text().splitlines()
    known = {signature(json.loads(x)) for x in (FOLDER / "problems" / "conv_gpu.jsonl").read_text().splitlines()}
    corpus = [json.loads(x) for x in (FOLDER / "problems" / "conv_corpus.jsonl").read_text().splitlines()]
    layers = [p for p in corpus if signature(p) not in known and 1e8 < problem_from_dict(p).flops < 6e10]
    found = [json.loads(line) for line in lines] + random.Random(37).sample(layers, 60)
    found += [
        {**ATTENTION, "heads_kv": kv, "seqlen_q": n, "hdim_q": d, "mask": m}
        for n in (384, 1536, 3000) for d in (64, 128, 256) for kv, m in ((24, "none"), (24, CAUSAL), (8, CAUSAL))
    ]  # fmt: skip
    return [problem_from_dict({**f, "device": device}) for f in found[::every]]


def signature(problem: Row) -> str:
    """Return what makes two layers the same one, whatever their batch."""
    return json.dumps({k: v for k, v in problem.items() if k not in ("n", "device")}, sort_keys=True)


def select(device: str, every: int) -> Iterator[Row]:
    """Yield what is chosen for each problem, and the times of all sides."""
    dispatcher, wanted = tw.Dispatcher(), problems(device, every)
    own = tw.Dispatcher(tw.default_registry(), settings=dispatcher.settings)
    own.warm_up(wanted)
    policy = Policy.for_threads(dispatcher.settings.resolved_threads(), rounds=7)
    for problem in wanted:
        ranked = dispatcher.explain(problem).ranked
        mine = next(r.candidate for r in ranked if not is_library(r.candidate))
        theirs = [r.candidate for r in ranked if is_library(r.candidate)]
        sides = [mine, *theirs]
        found = contest(dispatcher, problem, sides, [get_peer("torch")], policy, finalists=len(sides))
        chosen = ranked[0].candidate
        entrants = {name_of(e.candidate): e for e in found.entrants}
        times = {name: e.seconds and e.seconds * 1e6 for name, e in entrants.items()}
        right = {name: e.failure or f"error {e.error}" for name, e in entrants.items() if not e.right}
        peer = found.peers.get("torch")
        taken = entrants[name_of(chosen)].seconds
        best = min((t for t in times.values() if t), default=None)
        yield {
            "part": "select", "problem": problem.to_dict(), "label": problem.label(), "chosen": name_of(chosen),
            "reason": ranked[0].reason, "us": times, "torch_us": peer and peer * 1e6, "wrong": right,
            "ratio": peer / taken if peer and taken else None,
            "of_best": best / (taken * 1e6) if best and taken else None,
        }  # fmt: skip


def name_of(candidate: Any) -> str:
    """Return a short name: ours, or the library's."""
    return candidate.spec.algorithm.library if is_library(candidate) else "ours"


def calls(device: str, every: int) -> Iterator[Row]:
    """Yield how the contest of each problem ends, and what a call costs before and after it."""
    for problem in problems(device, every):
        dispatcher = tw.Dispatcher()
        tensors = get_op(problem.op).random_tensors(problem, 0)
        tensors = {r: t if isinstance(t, torch.Tensor) else torch.from_numpy(t) for r, t in tensors.items()}
        run = front_end(problem, tensors, dispatcher)
        if run is None:
            continue
        run()
        done = 0
        while done < CALLS and not any(e.kind == "contest" for e in dispatcher.events):
            run()
            done += 1
            if done % 20 == 0:
                wait(device)
        begin = time.perf_counter()
        for _ in range(50):
            run()
        wait(device)
        told = [e.message for e in dispatcher.events if e.kind == "contest"]
        after = (time.perf_counter() - begin) / 50 * 1e6
        yield {"part": "calls", "label": problem.label(), "calls": done, "said": told, "call_us": after}


def front_end(problem: Any, t: dict[str, Any], dispatcher: Any) -> Any:
    """Return a call of the public function that computes a problem; None if it needs more than tensors."""
    if problem.op == "gemm" and not problem.d and problem.scale_a == "none":
        return lambda: tw.gemm(t["a"], t["b"], out=t["out"], dispatcher=dispatcher)
    if problem.op == "conv" and problem.direction == "forward" and not problem.d:
        pads = [[left, right] for left, right in problem.pad]
        options = {"stride": problem.stride, "dilation": problem.dilation, "pad": pads, "groups": problem.g}
        return lambda: tw.conv(t["input"], t["weight"], out=t["output"], **options, dispatcher=dispatcher)
    if problem.op == "fmha" and problem.mask == "none" and problem.bias == "none" and not problem.lse:
        return lambda: tw.attention(t["q"], t["k"], t["v"], out=t["out"], dispatcher=dispatcher)
    return None


def wait(device: str) -> None:
    """Wait for the GPU."""
    if device != "cpu":
        torch.cuda.synchronize()


def nets(device: str, size: str) -> Iterator[Row]:
    """Yield the time of each net by torch and patched, and the layers that were left to torch."""
    from nets import NETS

    import tilewright.torch as tt

    kind = torch.device(device).type
    dtype = torch.float16 if kind == "cuda" else torch.float32
    torch.backends.cudnn.benchmark = True
    for name, net in NETS.items():
        model, example = net.model(size, kind, dtype), net.example(size, kind, dtype)
        with torch.no_grad():
            plain = timed(model, example, device)
            begin = time.perf_counter()
            with tt.patch(model) as patched:
                model(example)
                wait(device)
                first = time.perf_counter() - begin
                for _ in range(NETS_CALLS if size != "quick" else 150):
                    model(example)
                wait(device)
                steady = time.perf_counter() - begin
                ours = timed(model, example, device)
                left = [f"{e.path}: {e.reason}" for e in patched.report.left]
            again = timed(model, example, device)
        yield {
            "part": "nets", "net": name, "ratio": min(plain, again) / ours, "torch_ms": min(plain, again) * 1e3,
            "ours_ms": ours * 1e3, "first_s": first, "steady_s": steady, "left": left,
        }  # fmt: skip


def timed(model: Any, example: Any, device: str) -> float:
    """Return seconds per call, the best of seven runs of ten."""
    for _ in range(5):
        model(example)
    found = []
    for _ in range(7):
        wait(device)
        begin = time.perf_counter()
        for _ in range(10):
            model(example)
        wait(device)
        found.append((time.perf_counter() - begin) / 10)
    return min(found)


def main() -> None:
    """Run the parts, print each row, and a summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=("select", "calls", "nets"), default=["select", "calls", "nets"])
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--every", type=int, default=1, help="take every n-th problem")
    parser.add_argument("--size", default="gpu", help="of the nets: gpu, cpu, quick")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    parts = {
        "select": lambda: select(args.device, args.every),
        "calls": lambda: calls(args.device, 4 * args.every),
        "nets": lambda: nets(args.device, args.size),
    }
    rows: list[Row] = []
    for part in args.parts:
        for row in parts[part]():
            rows.append(row)
            print(json.dumps(row), flush=True)
            if args.out:
                args.out.write_text("".join(json.dumps(r) + "\n" for r in rows))
    for part in args.parts:
        ratios = [r["ratio"] for r in rows if r["part"] == part and r.get("ratio")]
        if ratios:
            low = sum(r < 0.97 for r in ratios)
            print(
                f"{part}: {len(ratios)} rows, mean {geometric_mean(ratios):.3f}, least {min(ratios):.3f}, {low} < 0.97"
            )
        wrong = [r for r in rows if r["part"] == part and r.get("wrong")]
        print(f"{part}: {len(wrong)} rows with a kernel that failed or was wrong")


if __name__ == "__main__":
    main()
