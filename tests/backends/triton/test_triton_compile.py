"""Kernels compile for GPUs that are not here; the binaries say their target and hold matrix instructions."""

from __future__ import annotations

import json
import re

import pytest

pytest.importorskip("triton")

from tilewright.arch import get_nominal_devices
from tilewright.backends.triton.columns import leave_out_columns
from tilewright.backends.triton.gemm import OP
from tilewright.backends.triton.gemm.algorithm import TritonGemm
from tilewright.backends.triton.gemm.lower import request_of
from tilewright.errors import BuildError
from tilewright.jit import BuildFailure, Cache, build_many
from tilewright.model.kernel import KernelSpec
from tilewright.ops.gemm.epilogue import DTensor
from tilewright.ops.gemm.signature import GemmSignature
from tilewright.settings import Settings

pytestmark = pytest.mark.xdist_group("triton_compile")  # they share what is compiled
FP16 = GemmSignature("fp16", "fp16", "fp32", "fp16", "rcr")
POINTER = TritonGemm(tile_m=64, tile_n=64, tile_k=32, warps=4, stages=2, even_k=True)
BIAS = GemmSignature("bf16", "bf16", "fp32", "bf16", "rrr", activation="gelu_tanh", d=(DTensor("bf16", "row"),))
INT8 = GemmSignature("int8", "int8", "int32", "int32", "rcr")

# (arch, signature, algorithm, a matrix instruction, what the code object's ELF header says of its target)
CASES = [
    ("sm_90", FP16, TritonGemm(pipeline="hopper", tile_n=192, warps=8, stages=0), "wgmma.mma_async", None),
    ("sm_90", BIAS, TritonGemm(pipeline="hopper", tile_m=64, tile_n=16, warps=4, stages=0, swap_ab=True, split=True,
                               reduce="after"), "wgmma.mma_async", None),
    ("sm_90", FP16, TritonGemm(pipeline="hopper", tile_n=192, warps=8, stages=0, cluster=2), "wgmma.mma_async", None),
    ("sm_90", FP16, TritonGemm(pipeline="hopper", tile_n=112, warps=8, stages=0, swap_ab=True, cluster=2),
     "wgmma.mma_async", None),
    ("sm_90", FP16, TritonGemm(pipeline="hopper", tile_n=96, warps=8, stages=2, swap_ab=True, one_block=True,
                               loose=True), "wgmma.mma_async", None),
    ("sm_90", FP16, TritonGemm(pipeline="hopper", tile_m=64, tile_n=24, stages=10, swap_ab=True, split=True,
                               order="abreast", loose=True), "wgmma.mma_async", None),
    ("sm_80", FP16, POINTER, "mma.sync", None),
    ("gfx90a", FP16, POINTER, "v_mfma", 0x3F),
    ("gfx942", GemmSignature("fp8_fnuz", "fp8_fnuz", "fp32", "bf16", "rcr", scale_a="row"), POINTER, "v_mfma", 0x4C),
    ("gfx950", BIAS, POINTER, "v_mfma", 0x4F),
    ("gfx1100", FP16, POINTER, "v_wmma", 0x41),
    ("gfx1201", INT8, POINTER, "v_wmma", 0x4E),
]  # fmt: skip


@pytest.fixture(scope="module")
def built():
    settings = Settings.from_env()
    specs = [KernelSpec("gemm", "triton", arch, s, a) for arch, s, a, _, _ in CASES]
    requests = [request_of(s, settings) for s in specs]
    cache = Cache.from_settings(settings)
    results = build_many(requests, cache, max_workers=2)
    again = build_many(requests, cache, max_workers=2)
    return specs, results, again


@pytest.mark.parametrize("case", range(len(CASES)), ids=lambda i: f"{CASES[i][0]}-{CASES[i][1].label()}")
def test_a_kernel_for_an_absent_gpu(built, case):
    specs, results, _ = built
    arch, _, _, instruction, flag = CASES[case]
    artifact = results[case]
    assert not isinstance(artifact, BuildFailure), artifact.log
    meta = json.loads(artifact.file("kernel.json").read_text())
    assert meta["arch"] == arch
    assert meta["args"]
    amd = flag is not None
    assembly = artifact.file("kernel.amdgcn" if amd else "kernel.ptx").read_text()
    assert instruction in assembly
    binary = artifact.file("kernel.hsaco" if amd else "kernel.cubin").read_bytes()
    assert binary[:4] == b"\x7fELF"
    if amd:
        assert f'amdgcn_target "amdgcn-amd-amdhsa--{arch}' in assembly
        assert binary[48] == flag  # e_flags: the processor
    else:
        assert f".target {'sm_90a' if arch == 'sm_90' else arch}" in assembly
    assert OP.load(specs[case], artifact).product.meta["name"] == meta["name"]


def test_no_path_of_this_machine_is_in_a_binary(built):
    for artifact in built[1]:
        for name in artifact.files:
            assert b"/site-packages/" not in artifact.file(name).read_bytes(), name


def test_a_second_build_is_answered_from_the_cache(built):
    _, results, again = built
    assert [a.build_key for a in results] == [a.build_key for a in again]
    assert [a.created for a in results] == [a.created for a in again]


def test_the_reduction_is_built_beside_its_kernel(built):
    assert "reduce.cubin" in built[1][1].files


def test_programs_of_a_cluster_share_both_blocks_of_b_and_meet(built):
    specs, results, _ = built
    at = next(i for i, s in enumerate(specs) if s.algorithm.cluster > 1)
    assembly = results[at].file("kernel.ptx").read_text()
    assert json.loads(results[at].file("kernel.json").read_text())["cluster"] == 2
    assert assembly.count(".multicast::cluster") == 2  # 128 columns, and 64
    arrivals = assembly.count("mbarrier.arrive.shared::cluster.b64")
    assert arrivals == assembly.count("mapa.shared::cluster") == 2 * 2  # in the loop and after it, at both programs
    assert assembly.count("barrier.cluster.arrive") == 3  # workers, the others, everybody at the end
    plain = results[0].file("kernel.ptx").read_text()
    assert "cluster.arrive" not in plain
    assert json.loads(results[0].file("kernel.json").read_text())["cluster"] == 1


def test_code_that_is_not_as_expected_is_not_patched(built):
    from tilewright.backends.triton.cluster import share_copies

    plain = built[1][0].file("kernel.ptx").read_text()
    with pytest.raises(BuildError, match=r"not as expected: 0 copies, 0 arrivals.*use cluster=1"):
        share_copies(plain.replace("cp.async.bulk.tensor", "other"), (7, 14), 2, 256)


def test_a_narrowed_tile_has_its_own_columns_only(built):
    """Products, copies and shared memory: a block of 128 columns would do the same with an eighth more of each."""
    artifact = built[1][3]
    text, meta = artifact.file("kernel.ptx").read_text(), json.loads(artifact.file("kernel.json").read_text())
    products = re.findall(r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k16\S* \{([^}]*)\}", text)
    assert {(n, len(sums.split(","))) for n, sums in products} == {("112", 56)}
    boxes = {arg["path"]: arg["box"] for arg in meta["args"] if "box" in arg}
    assert boxes["b_desc"] == [1, 56, 64]  # its share of the cluster
    assert f"], {(128 + 112) * 64 * 2};" in text  # bytes that a stage waits for
    assert meta["stack_bytes"] == 0


def test_products_that_are_not_as_expected_are_not_narrowed(built):
    plain = built[1][0].file("kernel.ptx").read_text()
    with pytest.raises(BuildError, match=r"not as expected: \d+ products, \d+ of them not of 256 columns"):
        leave_out_columns(plain, 256, 136)
    with pytest.raises(BuildError, match=r"not as expected: 0 products"):
        leave_out_columns(plain.replace("wgmma", "other"), 128, 112)


def loops(assembly):
    """The parts of the assembly that multiply."""
    return [part for part in re.split(r"^(?=\$L__)", assembly, flags=re.MULTILINE) if "wgmma.mma_async" in part]


def test_loose_warps_do_not_meet_in_the_loop_and_each_group_of_four_hands_stages_back(built):
    strict, both, one = (built[1][i].file("kernel.ptx").read_text() for i in (3, 4, 5))
    assert [len(re.findall(r"bar\.sync", loop)) for loop in loops(strict)] == [2]
    for assembly in (both, one):
        assert len(loops(assembly)) == 1
        assert "bar.sync" not in loops(assembly)[0]
        assert loops(assembly)[0].count("mbarrier.arrive") == 1
    # Two groups share a tile of 128 rows: a stage is empty after both have said so.
    assert re.findall(r"mbarrier\.init\.shared::cta\.b64 \[%r\d+\], (\d);", both) == ["1", "2"] * 2
    assert both.count("and.b32 place, place, 127;") == 2  # in the loop and after it
    assert re.findall(r"mbarrier\.init\.shared::cta\.b64 \[%r\d+\], (\d);", one) == ["1", "1"] * 10


def test_rings_that_are_not_as_expected_are_not_loosened(built):
    from tilewright.backends.triton.loose import free_stages

    both = built[1][4].file("kernel.ptx").read_text()
    with pytest.raises(BuildError, match=r"a loop with \[0, 1, 1\] barriers.*use loose=False"):
        free_stages(both.replace("@first mbarrier", "@%p1 mbarrier"), 1)
    with pytest.raises(BuildError, match=r"a loop with \[2, 0, 1\] barriers"):
        free_stages(built[1][0].file("kernel.ptx").read_text().replace("try_wait", "other"), 1)


def test_a_compile_over_the_limit_is_killed_recorded_and_told(tmp_path):
    from tilewright.dispatcher import Dispatcher
    from tilewright.ops.gemm.problem import GemmProblem
    from tilewright.registry import Registry

    settings = Settings(cache_dir=str(tmp_path), build_timeout=0.2)
    cache = Cache.from_settings(settings)
    spec = KernelSpec("gemm", "triton", "sm_80", FP16, POINTER)
    (failure,) = build_many([request_of(spec, settings)], cache, max_workers=1)
    assert isinstance(failure, BuildFailure)
    assert (failure.kind, failure.name) == ("timeout", spec.name)
    assert "stopped after the time limit of 0.2 s" in failure.reason
    registry = Registry()
    registry.add(spec)
    dispatcher = Dispatcher(registry, settings=settings, cache=cache)
    dispatcher.device_for = lambda problem, arch=None: next(iter(get_nominal_devices("sm_80")))
    problem = GemmProblem.from_dict({"m": 64, "n": 64, "k": 64, "dtype": "fp16", "device": "cuda"})
    with pytest.raises(BuildError, match=r"time limit of 0\.2 s"):
        dispatcher.plan(problem)
    assert [e.kernel for e in dispatcher.events] == [spec.name]


def test_a_missing_compiler_names_the_extra(monkeypatch):
    from importlib.metadata import PackageNotFoundError

    from tilewright.backends.triton import request
    from tilewright.errors import MissingExtraError

    def absent(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(request, "version", absent)
    request.triton_version.cache_clear()
    with pytest.raises(MissingExtraError, match=r"tilewright\[triton\]"):
        request.triton_version()
    request.triton_version.cache_clear()
