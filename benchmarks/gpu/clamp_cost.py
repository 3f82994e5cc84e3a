"""What it costs that attention kernels keep indices in GPU memory inside of their tensors (`place.clamp`).

    python benchmarks/gpu/clamp_cost.py --out clamp.jsonl          # on a machine with an NVIDIA GPU, some minutes

The same kernels are compiled a second time from sources with `clamp: bool = False`, and both are timed in turn on the
same tensors: graph replays over rotating buffer sets. A row has the seconds of both and `ratio`, clamped by unclamped.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parents[1]
SOURCES = FOLDER.parent / "src"
sys.path[:0] = [str(FOLDER), str(FOLDER / "gpu"), str(SOURCES)]

from gpu_space import ARCH, build, dispatcher_of, ranked  # noqa: E402
from json_rows import show_row  # noqa: E402

from tilewright.backends.gpu.timing import CapturedCalls, sets_to_rotate, time_in_turn  # noqa: E402
from tilewright.backends.triton.fmha import OP  # noqa: E402
from tilewright.backends.triton.fmha.algorithm import TritonFmha  # noqa: E402
from tilewright.jit import Cache  # noqa: E402
from tilewright.jit.arrays import view_of  # noqa: E402
from tilewright.model.kernel import Candidate, KernelSpec, Launch  # noqa: E402
from tilewright.ops import problem_from_dict  # noqa: E402
from tilewright.plan import make_plan  # noqa: E402

KEYS = "build_keys.json"
CONFIG = "tilewright/backends/triton/fmha/kernels/config.py"
HEADS = {"op": "fmha", "heads_q": 32, "heads_kv": 8, "hdim_q": 128, "dtype": "bf16"}
PAGED = {"family": "fwd_splitkv", "seqlen_q": 1, "lookup": "vllm"}
VARLEN = {"mode": "group", "mask": "causal_bottom_right"}


def _ragged(batch: int, longest: int, **more: object) -> dict[str, object]:
    """Sequences of which the first is the longest and the others have three quarters of it."""
    total = longest + (batch - 1) * (longest * 3 // 4)
    sizes = {"batch": batch, "seqlen_q": longest, "seqlen_k": longest, "total_q": total, "total_k": total}
    return {**HEADS, **VARLEN, **sizes, **more}


PROBLEMS: dict[str, dict[str, object]] = {
    "decode, 16 x 8192, pages of 16": {**HEADS, **PAGED, "batch": 16, "seqlen_k": 8192, "page_size": 16},
    "decode, 64 x 2048, pages of 64": {**HEADS, **PAGED, "batch": 64, "seqlen_k": 2048, "page_size": 64},
    "decode, 1 x 32768, pages of 16": {**HEADS, **PAGED, "batch": 1, "seqlen_k": 32768, "page_size": 16},
    "decode, 32 x 4096, lengths": {
        **HEADS, "family": "fwd_splitkv", "seqlen_q": 1, "batch": 32, "seqlen_k": 4096, "kv_lengths": True,
    },
    "prefill, 8 x 2048": _ragged(8, 2048),
    "prefill, 32 x 512": _ragged(32, 512),
    "backward, 8 x 2048": _ragged(8, 2048, family="bwd", lse=True),
    "backward, 32 x 512": _ragged(32, 512, family="bwd", lse=True),
}  # fmt: skip


def candidates_of(problem):
    """The candidate that would be chosen, and for a backward pass one of the other pipeline as well."""
    best = ranked(problem)[:1]
    if problem.family == "bwd":
        has = best[0].spec.algorithm.pipeline == "hopper"
        other = TritonFmha(32, 64, 4, 2) if has else TritonFmha(64, 128, 8, 2, pipeline="hopper")
        best = [*best, Candidate(KernelSpec("fmha", "triton", ARCH, problem.signature, other), Launch())]
    return best


def tensors_for(p):
    """Random tensors on the GPU, and legal indices."""
    import torch

    dtypes = {"bf16": torch.bfloat16, "fp32": torch.float32, "int32": torch.int32}
    made = {r: torch.randn(p.shape(r), device="cuda").to(dtypes[p.dtype_of(r)]) for r in p.roles}
    for role, total, longest in (("cu_seqlens_q", p.total_q, p.seqlen_q), ("cu_seqlens_k", p.total_k, p.seqlen_k)):
        if role in made:
            ends = [0, *(min(longest + i * (longest * 3 // 4), total) for i in range(p.batch))]
            made[role] = torch.tensor(ends, dtype=torch.int32, device="cuda")
    if "seqlens_k" in made:
        made["seqlens_k"] = torch.full((p.batch,), p.seqlen_k, dtype=torch.int32, device="cuda")
    if "page_table" in made:
        pages = torch.randperm(p.num_pages, device="cuda").to(torch.int32)
        made["page_table"] = pages[: p.batch * p.shape("page_table")[1]].view(p.shape("page_table")).contiguous()
    return made


def build_unclamped(folder: Path, workers: int) -> None:
    """Build the same kernels from sources without the clamps, in a process of its own."""
    copy = folder / "src"
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("__pycache__"))
    config = copy / CONFIG
    text = config.read_text()
    assert text.count("clamp: bool = True") == 2, "the switch is not where it was"
    config.write_text(text.replace("clamp: bool = True", "clamp: bool = False"))
    here = folder / "benchmarks"
    shutil.copytree(FOLDER / "gpu", here / "gpu", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("json_rows.py", "turns.py"):
        shutil.copy(FOLDER / name, here)
    script = here / "gpu" / Path(__file__).name
    command = [sys.executable, str(script), "--prepare", str(folder / "cache"), "--workers", str(workers)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(copy)})


def prepare(cache: Path, workers: int) -> None:
    """Build all kernels into a cache, and write down their build keys."""
    specs = [c.spec for f in PROBLEMS.values() for c in candidates_of(problem_from_dict({**f, "device": "cuda:0"}))]
    cache.mkdir(parents=True, exist_ok=True)
    settings = dispatcher_of(cache).settings
    keys = {s.digest: OP.request(s, settings).build_key for s in build(specs, cache, workers)}
    (cache / KEYS).write_text(json.dumps(keys))


def measure(name: str, fields: dict[str, object], caches: dict[str, Path], out: Path | None) -> None:
    """Time the kernels of one problem from each cache, in turn."""
    p = problem_from_dict({**fields, "device": "cuda:0"})
    sets = [tensors_for(p) for _ in range(sets_to_rotate(p.bytes, 60 << 20, most=8))]
    for candidate in candidates_of(p):
        graphs = {}
        for way, cache in caches.items():
            key = json.loads((cache / KEYS).read_text())[candidate.spec.digest]
            settings = dispatcher_of(cache).settings
            kernel = OP.load(candidate.spec, Cache.from_settings(settings).find(key))
            plan = make_plan(p, candidate, kernel, settings)
            graphs[way] = CapturedCalls([plan.bind({r: view_of(x, r) for r, x in t.items()}) for t in sets])
        found = {way: sample.seconds for way, sample in time_in_turn(graphs, rounds=25).items()}
        about = {"problem": name, "kernel": candidate.spec.name, "splits": candidate.launch.num_splits}
        show_row({**about, **found, "ratio": round(found["clamped"] / found["unclamped"], 4)}, out)


def main() -> None:
    """Build both, time both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--prepare", type=Path, help="only build the kernels, into this folder; needs no GPU")
    args = parser.parse_args()
    if args.prepare is not None:
        prepare(args.prepare, args.workers)
        return
    with tempfile.TemporaryDirectory() as folder:
        caches = {"clamped": Path(folder) / "clamped", "unclamped": Path(folder) / "cache"}
        prepare(caches["clamped"], args.workers)
        build_unclamped(Path(folder), args.workers)
        for name, fields in PROBLEMS.items():
            measure(name, fields, caches, args.out)


if __name__ == "__main__":
    main()
