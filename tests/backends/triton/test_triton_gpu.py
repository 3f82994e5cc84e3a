"""Launches on a real NVIDIA GPU: results, streams, graph capture, workspaces, forks. Skipped where there is none."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("triton")
torch = pytest.importorskip("torch")

from tilewright.arch import get_arch
from tilewright.backends.triton.gemm import OP
from tilewright.backends.triton.gemm.algorithm import TritonGemm
from tilewright.jit import Cache, build_one
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops.gemm.problem import GemmProblem
from tilewright.settings import Settings

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(
        not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0),
        reason="needs an NVIDIA GPU of compute capability 9.0 (H100, H200); none is here",
    ),
]

HOPPER = {"pipeline": "hopper", "stages": 0}
DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "int8": torch.int8,
          "int32": torch.int32}  # fmt: skip


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return Cache.from_settings(Settings(cache_dir=str(tmp_path_factory.mktemp("cache"))))


def stage_of(cache, problem, launch=None, **fields):
    spec = KernelSpec("gemm", "triton", "sm_90", problem.signature, TritonGemm(**fields))
    assert not OP.check(spec, get_arch("sm_90"), problem)
    kernel = OP.load(spec, build_one(OP.request(spec, cache.settings), cache))
    (stage,) = OP.stages(Candidate(spec, launch or Launch()), problem, kernel, cache.settings)
    return stage


def tensors(problem):
    torch.manual_seed(7)
    made = {}
    for role in ("a", "b", "out"):
        rows, cols = problem.shape(role)
        letter = problem.layout[("a", "b", "out").index(role)]
        shape = (rows, cols) if letter == "r" else (cols, rows)
        x = torch.randn(shape, device="cuda").to(DTYPES[problem.dtype(role)])
        made[role] = x if letter == "r" else x.T
    made["out"].fill_(float("nan"))
    return made


def agrees(t):
    want = t["a"].double() @ t["b"].double()
    size = t["a"].double().abs() @ t["b"].double().abs()
    return bool(((t["out"].double() - want).abs() <= 2.0**-10 * want.abs() + 1e-6 * size).all())


CASES = [
    ({"m": 1000, "n": 600, "k": 520}, {**HOPPER, "tile_n": 192, "warps": 8}, {}),
    ({"m": 1000, "n": 600, "k": 520, "layout": "ccc"}, {**HOPPER, "warps": 8, "consumers": 2, "out_buffers": 1}, {}),
    ({"m": 9, "n": 1024, "k": 2048, "layout": "rrr"},
     {**HOPPER, "tile_m": 64, "tile_n": 16, "warps": 4, "swap_ab": True, "split": True}, {"split_k": 4}),
    ({"m": 1000, "n": 600, "k": 520}, {**HOPPER, "tile_n": 192, "warps": 8, "cluster": 2}, {}),
    ({"m": 320, "n": 1000, "k": 1000}, {**HOPPER, "tile_m": 64, "warps": 4, "cluster": 4}, {}),
    ({"m": 4000, "n": 3000, "k": 72, "layout": "ccc"}, {**HOPPER, "warps": 8, "consumers": 2, "out_buffers": 1,
                                                       "cluster": 2}, {}),
    ({"m": 256, "n": 256, "k": 4096}, {**HOPPER, "warps": 8, "split": True, "reduce": "after"}, {"split_k": 8}),
    ({"m": 256, "n": 640, "k": 4096}, {**HOPPER, "warps": 8, "split": True}, {"grid": (13,)}),
    ({"m": 333, "n": 517, "k": 999}, {**HOPPER, "warps": 8, "operands": "staged", "store": "pointer"}, {}),
    ({"m": 333, "n": 517, "k": 999}, {"tile_m": 64, "tile_n": 64, "vector_bytes": 2, "split": True}, {"split_k": 3}),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_plan_stage_computes_the_product(cache, case):
    sizes, fields, launch = CASES[case]
    problem = GemmProblem.from_dict({"dtype": "fp16", **sizes})
    t = tensors(problem)
    run = stage_of(cache, problem, Launch(**launch), **fields).bind({r: view_of(x, r) for r, x in t.items()})
    for _ in range(3):  # a launch leaves its workspace as it found it
        t["out"].fill_(float("nan"))
        run(None)
        torch.cuda.synchronize()
        assert agrees(t)


def test_a_captured_graph_replays_on_new_data(cache):
    problem = GemmProblem.from_dict({"m": 128, "n": 256, "k": 4096, "dtype": "fp16"})
    t = tensors(problem)
    stage = stage_of(cache, problem, Launch(split_k=8), warps=8, split=True, **HOPPER)
    run = stage.bind({r: view_of(x, r) for r, x in t.items()})
    stream = torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        run(None)  # the first launch on this stream: it must allocate nothing
    for _ in range(3):
        t["a"].normal_()
        t["out"].fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        assert agrees(t)


def test_the_callers_stream_is_used(cache):
    problem = GemmProblem.from_dict({"m": 512, "n": 512, "k": 512, "dtype": "fp16"})
    t = tensors(problem)
    run = stage_of(cache, problem, warps=8, **HOPPER).bind({r: view_of(x, r) for r, x in t.items()})
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)
        t["a"].normal_()
        run(stream.cuda_stream)
    stream.synchronize()
    assert agrees(t)


def test_two_streams_have_their_own_workspace(cache):
    problem = GemmProblem.from_dict({"m": 128, "n": 128, "k": 8192, "dtype": "fp16"})
    stage = stage_of(cache, problem, Launch(split_k=16), warps=8, split=True, **HOPPER)
    sets = [tensors(problem) for _ in range(2)]
    runs = [stage.bind({r: view_of(x, r) for r, x in t.items()}) for t in sets]
    streams = [torch.cuda.Stream() for _ in sets]
    for _ in range(20):
        for run, stream in zip(runs, streams, strict=True):
            run(stream.cuda_stream)
    torch.cuda.synchronize()
    assert all(agrees(t) for t in sets)


def test_a_call_neither_allocates_nor_waits(cache):
    problem = GemmProblem.from_dict({"m": 256, "n": 256, "k": 256, "dtype": "fp16"})
    t = tensors(problem)
    run = stage_of(cache, problem, warps=8, **HOPPER).bind({r: view_of(x, r) for r, x in t.items()})
    run(None)
    torch.cuda.synchronize()
    before = torch.cuda.memory_stats()["allocation.all.allocated"]
    differences = []
    for _ in range(5):  # other programs may take and free memory of the GPU, but hardly each time
        free = torch.cuda.mem_get_info()[0]
        begin, end = torch.cuda.Event(), torch.cuda.Event()
        torch.cuda._sleep(200_000_000)
        begin.record()
        for _ in range(50):
            run(None)
        end.record()
        assert not end.query()  # the calls came back while the GPU was still asleep
        torch.cuda.synchronize()
        differences.append(torch.cuda.mem_get_info()[0] - free)
    assert torch.cuda.memory_stats()["allocation.all.allocated"] == before
    assert 0 in differences, differences


def test_a_fork_after_a_launch_is_told():
    from tilewright.backends.gpu.cuda_driver import cuda_driver
    from tilewright.errors import DeviceError

    driver = cuda_driver()
    child = os.fork()
    if child == 0:
        try:
            driver.make_current()
        except DeviceError as error:
            os._exit(0 if "fork" in str(error) else 2)
        os._exit(3)
    assert os.waitpid(child, 0)[1] == 0


def test_tensors_on_the_host_are_refused(cache):
    from tilewright.errors import TensorError

    problem = GemmProblem.from_dict({"m": 64, "n": 64, "k": 64, "dtype": "fp16"})
    t = {r: x.cpu() for r, x in tensors(problem).items()}
    with pytest.raises(TensorError, match="put all of them on one GPU"):
        stage_of(cache, problem, warps=8, **HOPPER).bind({r: view_of(x, r) for r, x in t.items()})


def test_a_launch_without_a_stream_follows_torch(cache, monkeypatch):
    """Through the C launcher and through ctypes alike: a captured graph holds the launch."""
    from tilewright.backends.gpu import launches
    from tilewright.jit.launcher import ctypes_launcher

    problem = GemmProblem.from_dict({"m": 256, "n": 256, "k": 256, "dtype": "fp16"})
    for fast in (True, False):
        if not fast:
            monkeypatch.setattr(launches, "launcher", lambda: ctypes_launcher("a test"))
        t = tensors(problem)
        run = stage_of(cache, problem, warps=8, **HOPPER).bind({r: view_of(x, r) for r, x in t.items()})
        run(None)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            run(None)
        t["a"].normal_()
        t["out"].fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        assert agrees(t)


def test_a_workspace_can_be_made_while_a_graph_is_recorded(cache):
    """The usual pattern: warm up on one stream, record on another, which has no workspace yet."""
    problem = GemmProblem.from_dict({"m": 128, "n": 256, "k": 4096, "dtype": "fp16"})
    t = tensors(problem)
    stage = stage_of(cache, problem, Launch(split_k=8), warps=8, split=True, order="tiles", **HOPPER)
    run = stage.bind({r: view_of(x, r) for r, x in t.items()})
    run(None)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run(None)
    for _ in range(3):
        t["a"].normal_()
        t["out"].fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        assert agrees(t)


def test_raw_pointers_without_torch_use_the_default_stream():
    """A process that never loads torch: memory of the driver, addresses as tensors."""
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", RAW], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "64.0 False"


RAW = """
import ctypes, sys
import numpy as np
from tilewright.backends.gpu.cuda_driver import cuda_driver
from tilewright.dispatcher import Dispatcher
from tilewright.model.tensor import TensorView
from tilewright.ops import problem_from_dict
driver = cuda_driver()
driver.make_current()  # for the copies below; the dispatcher's own calls do without
ones = np.ones((64, 64), np.float16)
views = {}
for role in ("a", "b", "out"):
    address = driver.allocate(ones.nbytes)
    driver._lib.cuMemcpyHtoD_v2(ctypes.c_uint64(address), ones.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(8192))
    views[role] = TensorView(address, "fp16", (64, 64), (64, 1), "cuda:0", False)
p = problem_from_dict({"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp16", "layout": "rrr", "device": "cuda"})
Dispatcher().run(p, **views)
driver._lib.cuCtxSynchronize()
address = ctypes.c_uint64(views["out"].address)
driver._lib.cuMemcpyDtoH_v2(ones.ctypes.data_as(ctypes.c_void_p), address, ctypes.c_size_t(8192))
print(ones[5, 7], "torch" in sys.modules)
"""
