"""The GEMM kernels that the GPU benchmark builds, and the problems that each is verified on."""

from __future__ import annotations

from dataclasses import replace

from gpu_space import ARCH, load_problems

from tilewright.arch import get_arch
from tilewright.backends.triton.gemm import OP
from tilewright.backends.triton.gemm.algorithm import TritonGemm
from tilewright.model.kernel import KernelSpec, Launch
from tilewright.model.kernel_set import expand
from tilewright.ops.gemm.epilogue import DTensor
from tilewright.ops.gemm.problem import GemmProblem
from tilewright.ops.gemm.signature import GemmSignature

SPECIAL = (
    {"dtype_a": "fp8", "dtype_b": "fp8", "dtype_out": "bf16", "scale_a": "tensor", "scale_b": "tensor"},
    {"dtype_a": "fp8", "dtype_b": "fp8", "dtype_out": "bf16", "scale_a": "row", "scale_b": "row"},
    {"dtype": "int8"},
    {"dtype": "bf16", "d": [{"dtype": "bf16", "broadcast": "row"}], "epilogue": {"activation": "gelu_tanh"}},
    {"dtype": "bf16", "d": [{"dtype": "bf16", "broadcast": "row"}], "epilogue": {"activation": "gelu_erf"}},
)


def offered(signature, named=False):
    """Every kernel that the backend's sets offer for a signature."""
    sets = [s for s in (OP.kernel_sets() if named else OP.default_sets()) if s.takes(signature, ARCH)]
    arch = get_arch(ARCH)
    specs = [x for s in sets for x in expand(s, arch, signature, OP.algorithm, OP.tunables(), OP.rules).specs]
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
    return not OP.check(spec, get_arch(spec.arch), problem)


def as_fp16(problem):
    swap = {"bf16": "fp16"}
    names = ("dtype_a", "dtype_b", "dtype_out")
    return replace(problem, **{n: swap.get(getattr(problem, n), getattr(problem, n)) for n in names})


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
    return [KernelSpec("gemm", "triton", ARCH, sig, a) for sig, a in found]


def all_specs():
    """The kernels of a sweep (bf16 as fp16: the same kernel at the same speed), of the special dtypes, the variants."""
    signatures = {p.signature.label(): p.signature for p in map(as_fp16, load_problems("gemm_gpu"))}
    specs = [spec for s in signatures.values() for spec in sweep_candidates(s)]
    for fields in SPECIAL:
        specs += large_candidates(GemmProblem.from_dict({"m": 8, "n": 8, "k": 8, **fields}).signature)
    return list({s.digest: s for s in [*specs, *sample_variants()]}.values())


def verify_cases(spec):
    """Small problems that reach every edge: ragged sizes, several batches, short and long K, each kind of split."""
    s = spec.signature
    step = spec.algorithm.tile_k
    size = {"fp16": 2, "bf16": 2, "fp8": 1, "bf8": 1, "int8": 1, "fp32": 4}[s.dtype_a]
    g = 16 // size
    base = {"dtype_a": s.dtype_a, "dtype_b": s.dtype_b, "dtype_out": s.dtype_out, "dtype_acc": s.dtype_acc,
            "layout": s.layout, "scale_a": s.scale_a, "scale_b": s.scale_b, "d": s.d, "b_format": s.b_format,
            "epilogue": {"combine": s.combine, "activation": s.activation,
                         "alpha": 1.0 if s.dtype_out == "int32" else 0.75,
                         "beta": 1.0 if not s.d else -1.5}}  # fmt: skip
    sizes = [(g * 25, g * 41, g * 25 + step * 3, 1), (256, 512, step * 9, 1), (g * 9, g * 3, g, 3),
             (1536, 1024, step * 5, 1), (4104, 2048, step * 3, 1), (333, 517, step * 2 + 7, 2),
             (5, 1024, step * 6, 1), (8, 40, step * 12, 2), (g * 3, 776, step * 4, 1)]  # fmt: skip
    for m, n, k, batch in sizes:
        p = GemmProblem.from_dict({"m": m, "n": n, "k": k, "batch": batch, **base, "device": "cuda:0"})
        if not legal(spec, p):
            continue
        after = spec.algorithm.reduce == "after"
        if not after:
            yield p, Launch()
        if spec.algorithm.split:
            for splits in (2, 3):
                if -(-k // step) >= splits:
                    yield p, Launch(split_k=splits)
            if spec.algorithm.pipeline == "hopper" and not after:
                yield p, Launch(grid=(7,))
                yield p, Launch(grid=(40,))
