"""Seconds of a net's first call: torch with cudnn.benchmark, and tilewright that compiles in the background.

Each side runs in a process of its own with empty kernel caches. CUDA is initialised and the weights are there before
the clock starts. `built` is how long it takes until every kernel is built and the stand-ins are replaced.

    python benchmarks/gpu/first_call.py                              # resnet50 and mobilenet_v2 on the GPU
    python benchmarks/gpu/first_call.py --nets resnet50 --device cpu --size quick
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1]
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "src")]
CACHES = ("TILEWRIGHT_CACHE_DIR", "TRITON_CACHE_DIR")


def first_call(side: str, name: str, size: str, device: str) -> dict[str, Any]:
    """Return the seconds of the first and of the second call, and of all builds."""
    import torch
    from nets import NETS

    dtype = torch.float16 if device == "cuda" else torch.float32
    torch.backends.cudnn.benchmark = True
    net = NETS[name]
    model, example = net.model(size, device, dtype), net.example(size, device, dtype)
    if side == "background":
        import tilewright.torch

        tilewright.torch.patch(model)

    def timed() -> float:
        wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
        wait()
        begin = time.perf_counter()
        with torch.no_grad():
            model(example)
        wait()
        return round(time.perf_counter() - begin, 4)

    found: dict[str, Any] = {"first_s": timed(), "second_s": timed()}
    if side == "background":
        from tilewright.frontends.default import default_dispatcher

        dispatcher, begin = default_dispatcher(), time.perf_counter()
        dispatcher.wait_for_builds()
        found["built_s"] = round(time.perf_counter() - begin, 2)
        found["events"] = {kind: sum(e.kind == kind for e in dispatcher.events) for kind in ("stand-in", "switched")}
        found["fast_s"] = min(timed() for _ in range(3))
    return found


def side_of(side: str, name: str, args: argparse.Namespace) -> dict[str, Any]:
    """Run one side in a process of its own, with empty caches."""
    with tempfile.TemporaryDirectory() as folder:
        caches = {variable: f"{folder}/{variable}" for variable in CACHES}
        command = [sys.executable, __file__, "--side", side, "--nets", name, "--size", args.size]
        done = subprocess.run(
            [*command, "--device", args.device], env={**os.environ, **caches, "TILEWRIGHT_BUILD": "background"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nets", nargs="+", default=["resnet50", "mobilenet_v2"])
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--size", default="gpu")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.side:
        print(json.dumps(first_call(args.side, args.nets[0], args.size, args.device)))
        return
    for name in args.nets:
        torchs, ours = side_of("torch", name, args), side_of("background", name, args)
        ratio = round(ours["first_s"] / torchs["first_s"], 2)
        print(json.dumps({"net": name, "ratio": ratio, "torch": torchs, "background": ours}), flush=True)


if __name__ == "__main__":
    main()
