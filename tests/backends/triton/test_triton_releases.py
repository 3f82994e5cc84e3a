"""Programs on AMD GPUs that share a tile: a wave waits for its partial sums before the counter says they are there."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("triton")

from tilewright.backends.triton.gemm import OP
from tilewright.backends.triton.gemm.algorithm import TritonGemm
from tilewright.backends.triton.releases import wait_for_stores
from tilewright.jit import BuildFailure, Cache, build_many
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op
from tilewright.ops.gemm.signature import GemmSignature
from tilewright.plan import make_plan
from tilewright.settings import Settings

ARCHS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
FP16 = GemmSignature("fp16", "fp16", "fp32", "fp16", "rcr")
SPLIT = TritonGemm(tile_m=32, tile_n=32, tile_k=32, warps=4, stages=2, even_k=False, split=True)


@pytest.fixture(scope="module")
def built() -> dict[str, Any]:
    settings = Settings.from_env()
    requests = [OP.request(KernelSpec("gemm", "triton", arch, FP16, SPLIT), settings) for arch in ARCHS]
    return dict(zip(ARCHS, build_many(requests, Cache.from_settings(settings), max_workers=2), strict=True))


@pytest.mark.parametrize("arch", ARCHS)
def test_waves_wait_before_the_counter_is_raised(built: dict[str, Any], arch: str) -> None:
    artifact = built[arch]
    assert not isinstance(artifact, BuildFailure), artifact.log
    before = artifact.file("kernel.amdgcn").read_text().partition("global_atomic_add")[0]
    barrier = before.rindex("s_barrier")
    since_store = before[before.rindex("_store_", 0, barrier) : barrier]
    wait = {"gfx9": r"vmcnt\(0\)", "gfx1": r"s_waitcnt_vscnt null, 0x0|s_wait_storecnt 0x0"}[arch[:4]]
    assert re.search(wait, since_store), since_store


def test_a_process_that_compiled_nothing_assembles(built: dict[str, Any]) -> None:
    """As if Triton had the kernel in its own cache, so that its compiler never ran here."""
    program = """if True:
        import sys
        from tilewright.arch import get_arch
        from tilewright.backends.triton.releases import WAIT, released
        from tilewright.backends.triton.target import triton_target
        with_waits = open(sys.argv[1]).read()
        without = with_waits.replace(f"\\t{WAIT}\\n\\ts_barrier", "\\ts_barrier")
        assert without != with_waits
        binary, assembly = released(b"", without, triton_target(get_arch("gfx942")), {})
        assert assembly == with_waits
        sys.stdout.buffer.write(binary[:4])
    """
    kernel = built["gfx942"].file("kernel.amdgcn")
    done = subprocess.run([sys.executable, "-c", program, str(kernel)], capture_output=True)
    assert done.stdout == b"\x7fELF", done.stderr.decode()


def test_the_sanitizer_finds_no_race(built: dict[str, Any]) -> None:
    """Without the wait it does: a wave reads sums that another one writes."""
    spec = KernelSpec("gemm", "triton", "gfx942", FP16, SPLIT)
    op = get_op("gemm")
    problem = op.problem_from_dict({"m": 40, "n": 32, "k": 96, "dtype": "fp16", "split_k": 3, "device": "emu:gfx942"})
    plan = make_plan(
        problem, Candidate(spec, Launch(split_k=3)), OP.load(spec, built["gfx942"]), Settings(sanitize=True)
    )
    tensors = op.random_tensors(problem, 0)
    out = plan.bind({role: view_of(t, role) for role, t in tensors.items()})()
    assert op.verify(problem, tensors, out, product_error=OP.product_error(spec)).ok


def test_only_barriers_before_a_release_get_a_wait() -> None:
    relaxed = "global_store_dword v0, v1\n\ts_barrier\n\tv_mov_b32 v1, 0\n\tglobal_atomic_add v1, v2\n"
    assert wait_for_stores(relaxed) == relaxed
    waits = "\ts_waitcnt vmcnt(0) lgkmcnt(0)\n\ts_barrier\n\ts_waitcnt vmcnt(0)\n\tglobal_atomic_add v1, v2\n"
    assert wait_for_stores(waits) == waits
    missing = "\ts_barrier\n\tbuffer_wbl2 sc1\n\ts_waitcnt vmcnt(0) ; all\n\t.loc 1 2\n\tglobal_atomic_add v1, v2\n"
    assert wait_for_stores(missing) == f"\ts_waitcnt vmcnt(0)\n{missing}"
