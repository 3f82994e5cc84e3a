"""Attention on a real NVIDIA GPU: family x feature x dtype against float64; graphs. Skipped where there is none."""

from __future__ import annotations

import os

import numpy as np
import pytest

pytest.importorskip("triton")
torch = pytest.importorskip("torch")

from fmha_backward import CASES as BACKWARD_CASES
from fmha_backward import fields_of, tensors_of
from fmha_cases import cases

from tilewright.arch import get_arch
from tilewright.backends.triton.fmha import OP
from tilewright.backends.triton.fmha.algorithm import TritonFmha
from tilewright.jit import Cache, build_one
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op, problem_from_dict
from tilewright.settings import Settings

FMHA = get_op("fmha")
HERE = torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0)
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not HERE, reason="needs an NVIDIA GPU of compute capability 9.0 (H100, H200); none is here"),
]
BASE = {"tile_m": 16, "tile_n": 32, "stages": 2, "aligned": False}
BITS = {1: (np.uint8, torch.uint8), 2: (np.int16, torch.int16)}
TORCH = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.float8_e4m3fn, "bf8": torch.float8_e5m2,
         "fp32": torch.float32, "int32": torch.int32}  # fmt: skip
HOPPER = {"pipeline": "hopper", "tile_m": 128, "tile_n": 128, "warps": 8, "stages": 2, "aligned": True}
CASES = {n: c for n, c in cases().items() if "fnuz" not in n}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    kept = os.environ.get("TILEWRIGHT_TEST_CACHE")  # compiled beforehand, without the GPU
    return Cache.from_settings(Settings(cache_dir=kept or str(tmp_path_factory.mktemp("cache"))))


def stage_of(cache, p, launch, **fields):
    spec = spec_of(p, fields)
    assert not OP.check(spec, get_arch("sm_90"), p)
    kernel = OP.load(spec, build_one(OP.request(spec, cache.settings), cache))
    (stage,) = OP.stages(Candidate(spec, launch), p, kernel, cache.settings)
    return stage


def on_gpu(array, dtype):
    """A tensor on the GPU with the array's strides."""
    size = array.dtype.itemsize
    x = torch.from_numpy(array.view(BITS[size][0]) if size in BITS else array)
    order = sorted(range(x.dim()), key=lambda i: -x.stride(i))
    x = x.permute(order).contiguous().cuda().permute(sorted(range(x.dim()), key=lambda i: order[i]))
    return x.view(TORCH[dtype]) if size in BITS else x


def on_host(tensor, like):
    size = like.dtype.itemsize
    return (tensor.view(BITS[size][1]) if size in BITS else tensor).cpu().numpy().view(like.dtype)


def arrays_of(p):
    made = FMHA.random_tensors(p, seed=5)
    return {r: x.astype(np.int32) if p.dtype_of(r) == "int32" else x for r, x in made.items()}


FIELDS = {"rows": BASE, "pack": {**BASE, "pack": True}, "hopper": HOPPER, "turns": {**HOPPER, "turns": True}}


def spec_of(p, fields):
    return KernelSpec("fmha", "triton", "sm_90", p.signature, TritonFmha(**fields))


def legal_cases():
    """Each case with the algorithms that the rules allow for it."""
    for name, case in CASES.items():
        p = problem_from_dict(case)
        for label, fields in FIELDS.items():
            if not OP.check(spec_of(p, fields), get_arch("sm_90"), p):
                yield pytest.param(name, fields, id=f"{name}-{label}")


@pytest.mark.parametrize(("name", "fields"), list(legal_cases()))
def test_a_plan_stage_agrees_with_the_reference(cache, name, fields):
    p = problem_from_dict(CASES[name])
    spec = spec_of(p, fields)
    launch = Launch(num_splits=p.num_splits or (2 if p.family == "fwd_splitkv" else 1))
    arrays = arrays_of(p)
    tensors = {r: on_gpu(x, p.dtype_of(r)) for r, x in arrays.items()}
    stage = stage_of(cache, p, launch, **fields)
    run = stage.bind({r: view_of(x, r) for r, x in tensors.items()})
    for _ in range(2):  # a launch leaves its workspace as it found it
        run(None)
    torch.cuda.synchronize()
    got = {**arrays, **{r: on_host(tensors[r], arrays[r]) for r in p.outputs}}
    error = OP.product_error(spec)
    FMHA.verify(p, got, got[p.outputs[0]], tier="float64", product_error=error).require(p.label())


NAMES = ("batch", "heads_q", "heads_kv", "seqlen_q", "seqlen_k", "hdim_q", "mask")
VARLEN = {"mode": "group", "total_q": 700, "total_k": 800}
BACKWARD = [
    ((2, 4, 4, 128, 128, 128, "none"), {}), ((2, 4, 2, 300, 300, 128, "causal_top_left"), {}),
    ((1, 2, 2, 17, 1000, 128, "none"), {}), ((1, 4, 1, 257, 513, 128, "causal_bottom_right"), {}),
    ((1, 2, 2, 513, 257, 64, "causal_bottom_right"), {}), ((1, 2, 2, 1000, 17, 64, "causal_top_left"), {}),
    ((1, 3, 3, 400, 400, 96, "causal_top_left"), {}), ((1, 2, 2, 1, 1, 64, "none"), {}),
    ((1, 4, 4, 500, 600, 64, "window"), {"window_left": 100, "window_right": 30}),
    ((20, 16, 16, 300, 300, 64, "causal_top_left"), {}), ((4, 4, 2, 400, 500, 128, "causal_bottom_right"), VARLEN),
    ((4, 2, 2, 400, 500, 64, "none"), VARLEN),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
@pytest.mark.parametrize(("sizes", "further"), BACKWARD, ids=str)
def test_the_hopper_backward_pass_agrees_with_the_reference(cache, sizes, further, dtype):
    p = problem_from_dict({"op": "fmha", "family": "bwd", **dict(zip(NAMES, sizes, strict=True)), **further,
                           "dtype": dtype})  # fmt: skip
    run_and_verify(cache, p, arrays_of(p))


def run_and_verify(cache, p, arrays, parts=0, stages=2):
    """The Hopper backward pass with the tile of its head, against float64. `parts`: of walks that are shared."""
    tensors = {r: on_gpu(x, p.dtype_of(r)) for r, x in arrays.items()}
    for r in ("dq", "dk", "dv"):
        tensors[r].fill_(float("nan"))
    stage = stage_of(cache, p, Launch(num_splits=max(parts, 1)), **fields_of(p, parts, stages))
    run = stage.bind({r: view_of(x, r) for r, x in tensors.items()})
    for _ in range(2):  # sums begin at zero in every launch
        run(None)
    torch.cuda.synchronize()
    got = {**arrays, **{r: on_host(tensors[r], arrays[r]) for r in p.outputs}}
    FMHA.verify(p, got, got[p.outputs[0]], tier="float64").require(p.label())


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
@pytest.mark.parametrize("name", BACKWARD_CASES)
def test_the_hopper_backward_pass_with_every_feature(cache, name, dtype):
    case = BACKWARD_CASES[name]
    p = problem_from_dict({"op": "fmha", "family": "bwd", **case["problem"], "dtype": dtype})
    made = tensors_of(p, case)
    arrays = {r: x.astype(np.int32) if p.dtype_of(r) == "int32" else x for r, x in made.items()}
    run_and_verify(cache, p, arrays, case["parts"], case["stages"])


WIDE = [
    ((2, 4, 2, 300, 400, 192, "none"), {}), ((1, 2, 2, 257, 513, 192, "causal_bottom_right"), {"lse": True}),
    ((1, 2, 2, 300, 300, 160, "window"), {"window_left": 100, "window_right": 30}),
    ((1, 4, 4, 300, 520, 192, "none"), {"hdim_v": 128}), ((2, 4, 1, 300, 400, 256, "causal_top_left"), {"lse": True}),
    ((1, 2, 2, 300, 704, 192, "none"), {"bias": "elementwise"}),
]  # fmt: skip


@pytest.mark.parametrize("turns", [False, True])
@pytest.mark.parametrize(("sizes", "further"), WIDE, ids=str)
def test_the_hopper_forward_pass_of_wide_heads(cache, sizes, further, turns):
    p = problem_from_dict({"op": "fmha", **dict(zip(NAMES, sizes, strict=True)), **further, "dtype": "bf16"})
    arrays = arrays_of(p)
    tensors = {r: on_gpu(x, p.dtype_of(r)) for r, x in arrays.items()}
    tensors["out"].fill_(float("nan"))
    run = stage_of(cache, p, Launch(), **{**HOPPER, "tile_n": 64, "turns": turns}).bind(
        {r: view_of(x, r) for r, x in tensors.items()}
    )
    for _ in range(2):
        run(None)
    torch.cuda.synchronize()
    got = {**arrays, **{r: on_host(tensors[r], arrays[r]) for r in p.outputs}}
    FMHA.verify(p, got, got["out"], tier="float64").require(p.label())


DECODE = {"op": "fmha", "family": "fwd_splitkv", "batch": 2, "heads_q": 8, "heads_kv": 2, "seqlen_q": 1,
          "seqlen_k": 4096, "hdim_q": 128, "dtype": "fp16", "num_splits": 8, "lse": True}  # fmt: skip


def test_a_captured_graph_replays_on_new_data(cache):
    p = problem_from_dict(DECODE)
    arrays = arrays_of(p)
    tensors = {r: on_gpu(x, p.dtype_of(r)) for r, x in arrays.items()}
    stage = stage_of(cache, p, Launch(num_splits=8), tile_m=16, tile_n=64, stages=3, pack=True)
    run = stage.bind({r: view_of(x, r) for r, x in tensors.items()})
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=torch.cuda.Stream()):
        run(None)  # the first launch on this stream: it must allocate nothing
    tensors["q"].normal_()
    graph.replay()
    torch.cuda.synchronize()
    got = {**arrays, **{r: on_host(tensors[r], arrays[r]) for r in ("q", "out", "lse")}}
    FMHA.verify(p, got, got["out"], tier="float64").require(p.label())


def test_the_same_result_in_every_run(cache):
    p = problem_from_dict({**DECODE, "family": "bwd", "seqlen_q": 300, "seqlen_k": 300, "num_splits": None,
                           "deterministic": True})  # fmt: skip
    tensors = {r: on_gpu(x, p.dtype_of(r)) for r, x in arrays_of(p).items()}
    run = stage_of(cache, p, Launch(), tile_m=32, tile_n=64, stages=2).bind(
        {r: view_of(x, r) for r, x in tensors.items()}
    )
    results = []
    for _ in range(3):
        run(None)
        torch.cuda.synchronize()
        results.append([tensors[r].clone() for r in ("dq", "dk", "dv")])
    assert all(torch.equal(a, b) for r in results[1:] for a, b in zip(results[0], r, strict=True))
