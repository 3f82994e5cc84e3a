"""The kernels and problems of the GPU bench: what is offered, what is legal, and building it."""

from __future__ import annotations

import json
import math
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from tilewright.backends.triton.gemm.algorithm import TritonGemm
from tilewright.model.kernel import Candidate, KernelSpec
from tilewright.ops.gemm.epilogue import DTensor
from tilewright.ops.gemm.problem import GemmProblem
from tilewright.ops.gemm.signature import GemmSignature

HERE = Path(__file__).resolve().parent


SPECIAL = (
    {"dtype_a": "fp8", "dtype_b": "fp8", "dtype_out": "bf16", "scale_a": "tensor", "scale_b": "tensor"},
    {"dtype_a": "fp8", "dtype_b": "fp8", "dtype_out": "bf16", "scale_a": "row", "scale_b": "row"},
    {"dtype": "int8"},
    {"dtype": "bf16", "d": [{"dtype": "bf16", "broadcast": "row"}], "epilogue": {"activation": "gelu_tanh"}},
    {"dtype": "bf16", "d": [{"dtype": "bf16", "broadcast": "row"}], "epilogue": {"activation": "gelu_erf"}},
)


def offered(signature, arch="sm_90", named=False):
    """Every kernel that the backend's sets offer for a signature."""
    from tilewright.arch import get_arch
    from tilewright.backends.triton.gemm import OP
    from tilewright.model.kernel_set import expand

    sets = OP.kernel_sets() if named else OP.default_sets()
    specs = [
        spec
        for kernel_set in sets
        if kernel_set.takes(signature, arch)
        for spec in expand(kernel_set, get_arch(arch), signature, OP.algorithm, OP.tunables(), OP.rules).specs
    ]
    return list({s.digest: s for s in specs}.values())


def sweep_candidates(signature):
    """The offered kernels, of the pointer pipeline only a few."""
    found = []
    for spec in offered(signature):
        a = spec.algorithm
        few = a.unit and not a.even_k and a.vector_bytes in (2, 8) and signature.layout == "rcr"
        if a.pipeline == "hopper" or few:
            found.append(spec)
    return found


def large_candidates(signature):
    """The kernels for large problems: no split, tiles of at least 128 x 128 or its like."""
    found = [s for s in offered(signature, named=True) if s.algorithm.pipeline == "hopper"]
    return [s for s in found if not s.algorithm.split and s.algorithm.operands == "direct"
            and s.algorithm.store == "tma" and s.algorithm.tile_m * s.algorithm.tile_n >= 128 * 128]  # fmt: skip


def legal(spec, problem):
    from tilewright.arch import get_arch
    from tilewright.backends.triton.gemm.rules import RULES
    from tilewright.model.rule import Subject, judge

    return not judge(RULES, Subject(spec, get_arch(spec.arch), problem))


def signatures():
    """What the problem file asks for, bf16 as fp16: the same kernel at the same speed."""
    seen = {}
    for problem in map(as_fp16, load_problems()):
        seen[problem.signature.label()] = problem.signature
    return list(seen.values())


def as_fp16(problem):
    swap = {"bf16": "fp16"}
    names = ("dtype_a", "dtype_b", "dtype_out")
    return replace(problem, **{n: swap.get(getattr(problem, n), getattr(problem, n)) for n in names})


def load_problems(path=None):
    path = Path(path) if path else HERE / "problems" / "gemm_gpu.jsonl"
    return [GemmProblem.from_dict(json.loads(line)) for line in path.read_text().splitlines() if line.strip()]


def spec_of(signature, algorithm, arch="sm_90"):
    return KernelSpec("gemm", "triton", arch, signature, algorithm)


def nominal_h200():
    from tilewright.arch import get_nominal_devices

    return next(d for d in get_nominal_devices("sm_90") if d.name.startswith("H200"))


def ranked(problem, device, selector="analytical"):
    """Candidates of a problem by a selector, best first."""
    from tilewright.backends.triton.gemm import OP

    found = [
        Candidate(spec, launch)
        for spec in offered(problem.signature)
        if legal(spec, problem)
        for launch in OP.launches(spec, problem, device)
    ]
    return [r.candidate for r in selector_of(selector).rank(problem, found, device)]


@cache
def selector_of(name):
    """The selector of that name, which knows the shipped models and no measurements."""
    import tempfile

    from tilewright.select import get_selector
    from tilewright.settings import Settings

    return get_selector(name, Settings.from_env(data_dir=tempfile.mkdtemp(), ledger=False))


def differ(problems, device, one="analytical", other="chain"):
    """Where two selectors take different kernels, and what both predict of both choices (needs no GPU)."""
    seconds = {}
    changed = []
    for problem in problems:
        choices = {name: ranked(problem, device, name)[0] for name in (one, other)}
        seconds = {n: {r.candidate.key: r.seconds for r in selector_of(n).rank(problem, list(choices.values()), device)}
                   for n in choices}  # fmt: skip
        if choices[one].key != choices[other].key:
            gain = {n: s[choices[one].key] / s[choices[other].key] for n, s in seconds.items()}
            changed.append(gain[other])
            labels = (f"{c.spec.algorithm.label()} {c.launch.label()}" for c in choices.values())
            print(
                f"{problem.label():44s} {' -> '.join(labels)}: x{gain[other]:.3f} by {other}, x{gain[one]:.3f} by {one}"
            )
    print(f"{len(changed)} of {len(problems)} choices differ")
    if changed:
        whole = math.exp(sum(map(math.log, changed)) / len(problems))
        print(f"by the predictions of {other} its choices are {whole:.4f}x as fast (geometric mean of all problems)")


def sample_variants():
    """Further signatures and traits for verification: dtypes, layouts, epilogues."""
    s, d = GemmSignature, DTensor
    plain = TritonGemm(pipeline="hopper", tile_m=128, tile_n=128, tile_k=64, warps=8, stages=4)
    found = []
    for layout in ("rrr", "crr", "ccr", "rcc", "rrc", "ccc", "crc"):
        found.append((s("fp16", "fp16", "fp32", "fp16", layout), plain))
    bias = s("bf16", "bf16", "fp32", "bf16", "rcr", d=(d("bf16", "row"),), activation="gelu_tanh")
    found.append((bias, plain))
    found.append((s("bf16", "bf16", "fp32", "bf16", "rcr", d=(d("bf16", "row"),), activation="gelu_erf"),
                  TritonGemm(pipeline="hopper", tile_m=128, tile_n=256, tile_k=64, warps=8, stages=4)))  # fmt: skip
    many = s("fp16", "fp16", "fp32", "fp32", "rcr", combine="multiply", activation="silu",
             d=(d("fp16", "none"), d("fp32", "col"), d("bf16", "row")))  # fmt: skip
    found.append(
        (many, TritonGemm(pipeline="hopper", tile_m=128, tile_n=128, tile_k=64, warps=8, stages=3, split=True))
    )
    found.append((many, TritonGemm(pipeline="hopper", tile_m=128, tile_n=32, tile_k=64, warps=4, stages=4, split=True,
                                   swap_ab=True)))  # fmt: skip
    for act in ("relu", "sigmoid", "tanh"):
        found.append((s("fp16", "fp16", "fp32", "fp16", "rcr", activation=act), plain))
    fp8 = s("fp8", "fp8", "fp32", "bf16", "rcr", scale_a="row", scale_b="row")
    fp8t = s("fp8", "fp8", "fp32", "bf16", "rcr", scale_a="tensor", scale_b="tensor")
    k128 = {"pipeline": "hopper", "tile_k": 128, "warps": 8}
    for sig in (fp8, fp8t):
        found.append((sig, TritonGemm(tile_m=128, tile_n=256, stages=4, **k128)))
        found.append((sig, TritonGemm(tile_m=128, tile_n=128, stages=6, accumulate="promoted", **k128)))
        found.append((sig, TritonGemm(tile_m=128, tile_n=128, stages=5, consumers=2, **k128)))
        found.append((sig, TritonGemm(tile_m=256, tile_n=128, stages=4, out_buffers=1, **k128)))
    found.append((s("fp8", "bf8", "fp32", "fp16", "rcr"), TritonGemm(tile_m=128, tile_n=128, stages=4, **k128)))
    i8 = s("int8", "int8", "int32", "int32", "rcr")
    found.append((i8, TritonGemm(tile_m=128, tile_n=256, stages=4, **k128)))
    found.append((i8, TritonGemm(tile_m=128, tile_n=128, stages=5, consumers=2, out_buffers=1, **k128)))
    found.append((i8, TritonGemm(tile_m=256, tile_n=128, stages=4, out_buffers=1, **k128)))
    found.append((s("int8", "int8", "int32", "bf16", "rcr", scale_a="row", scale_b="row"),
                  TritonGemm(tile_m=128, tile_n=256, stages=4, **k128)))  # fmt: skip
    f32 = s("fp32", "fp32", "fp32", "fp32", "rcr")
    found.append((f32, TritonGemm(pipeline="hopper", tile_m=128, tile_n=128, tile_k=32, warps=8, stages=4)))
    found.append((f32, TritonGemm(tile_m=128, tile_n=128, tile_k=32, warps=8, stages=3)))
    found.append((f32, TritonGemm(tile_m=64, tile_n=64, tile_k=16, warps=4, stages=3, precision="ieee")))
    f16 = s("fp16", "fp16", "fp32", "fp16", "rcr")
    found.append((f16, TritonGemm(pipeline="tma_persistent", tile_m=128, tile_n=256, tile_k=64, warps=8, stages=3)))
    found.append((f16, TritonGemm(pipeline="hopper", tile_m=128, tile_n=128, tile_k=64, warps=8, stages=4, pdl=False)))
    found.append((f16, TritonGemm(pipeline="hopper", tile_m=128, tile_n=256, tile_k=64, warps=8, stages=4, pdl=False)))
    found.append((f16, TritonGemm(pipeline="hopper", tile_m=128, tile_n=256, tile_k=64, warps=8, stages=4,
                                  store="pointer")))  # fmt: skip
    for layout in ("rcr", "rrr", "ccc"):
        f = s("fp16", "fp16", "fp32", "fp16", layout)
        found.append((f, TritonGemm(warps=8, stages=3)))
        found.append((f, TritonGemm(warps=8, stages=3, split=True, vector_bytes=2)))
        found.append((f, TritonGemm(tile_m=64, tile_n=64, warps=4, stages=3, unit=False, wide=True, vector_bytes=2)))
    return [spec_of(sig, a) for sig, a in found]


def all_specs():
    specs = [spec for s in signatures() for spec in sweep_candidates(s)]
    for fields in SPECIAL:
        problem = GemmProblem.from_dict({"m": 8, "n": 8, "k": 8, **fields})
        specs += large_candidates(problem.signature)
    return list({s.digest: s for s in [*specs, *sample_variants()]}.values())


def build(specs, folder, workers):
    """Compile what is not there yet; answers {digest: error} of what failed."""
    folder.mkdir(parents=True, exist_ok=True)
    todo = [s for s in specs if not (folder / s.digest[:16] / "kernel.json").exists()]
    failed, begin = {}, time.time()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        futures = [(s, pool.submit(build_one, s.to_dict(), str(folder / s.digest[:16]))) for s in todo]
        for spec, future in futures:
            try:
                future.result(timeout=180)
            except Exception as error:
                failed[spec.digest[:16]] = f"{spec.name}: {type(error).__name__} {str(error)[-300:]}"
                print("not built:", failed[spec.digest[:16]], flush=True)
    print(f"built {len(todo) - len(failed)} of {len(todo)} in {time.time() - begin:.1f} s, {workers} workers")
    return failed


def build_one(spec, folder):
    from tilewright.backends.triton.compile_job import run
    from tilewright.backends.triton.gemm.lower import jobs_of

    path = Path(folder)
    path.mkdir(exist_ok=True)
    run({"arch": spec["arch"], "jobs": jobs_of(spec_from(spec))}, path)
    for assembly in path.glob("*.ptx"):
        assembly.unlink()
    (path / "spec.json").write_text(json.dumps(spec))


def read_spec(folder):
    return spec_from(json.loads((folder / "spec.json").read_text()))


def spec_from(data):
    s = dict(data["signature"])
    s["d"] = tuple(DTensor(**d) for d in s.get("d", ()))
    return KernelSpec(data["op"], data["backend"], data["arch"], GemmSignature(**s), TritonGemm(**data["algorithm"]))
