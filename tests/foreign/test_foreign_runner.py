"""The runner of foreign kernels, tried on this machine: right results, and each way in which a kernel can go wrong."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from emulated_machine import LAUNCHER, ForeignKernel, Machine, MachineError
from foreign_cases import cases
from foreign_tools import EMULATED_CPUS, emulated_cpu, find_tools, foreign_machine, make_usable, tools_on_path

from host_cpu_kernels import ARCH, gemm_tile  # isort: skip
from tilewright.arch import get_arch
from tilewright.backends import get_backend_op
from tilewright.errors import ToolchainError
from tilewright.jit import Cache, build_one, cxx_request
from tilewright.jit.arrays import view_of
from tilewright.jit.launcher import Call, make_call, new_args
from tilewright.jit.native_build import NATIVE
from tilewright.model.arch import CpuArch
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.conv.signature import DIRECTIONS
from tilewright.ops.fmha.signature import FAMILIES
from tilewright.plan import make_plan
from tilewright.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the runner is for Linux")

SETTINGS = Settings.from_env(threads=2)
DIGEST = "f0e1" * 16
NEGATE, BEYOND, BEFORE, BEYOND_SCRATCH, FAIL, TRAP = range(6)  # launch[1]: what the kernel does
SCRATCH_BYTES = 100
SOURCE = (
    r"""
#include <stdio.h>
#include "tilewright_abi.h"
#define EXPORTED extern "C" __attribute__((visibility("default")))
enum { NEGATE, BEYOND, BEFORE, BEYOND_SCRATCH, FAIL, TRAP };
static const tw_kernel_info info = {TW_ABI_VERSION, sizeof(tw_args), "@DIGEST@"};
EXPORTED const tw_kernel_info* tw_info(void) { return &info; }
EXPORTED int64_t tw_workspace(const tw_args*) { return @SCRATCH@; }
EXPORTED int tw_run(tw_args* a) {
  const int64_t n = a->sizes[0];
  const float* x = (const float*)a->tensors[0];
  float* out = (float*)a->tensors[1];
  for (int64_t i = 0; i < n; ++i) out[i * a->strides[1][0]] = -x[i * a->strides[0][0]];
  switch (a->launch[1]) {
    case BEYOND: out[n * a->strides[1][0]] = 0; break;
    case BEFORE: out[-1] = 0; break;
    case BEYOND_SCRATCH: ((char*)a->workspace)[@SCRATCH@] = 0; break;
    case FAIL: snprintf(a->error, sizeof a->error, "n is %lld", (long long)n); return 7;
    case TRAP: __builtin_trap();
  }
  return 0;
}
""".replace("@DIGEST@", DIGEST)
).replace("@SCRATCH@", str(SCRATCH_BYTES))


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    found = Machine([], SETTINGS)
    yield found
    found.close()


@pytest.fixture(scope="module")
def kernel(machine: Machine) -> ForeignKernel:
    return machine.load(library(), DIGEST)


def library() -> Path:
    request = cxx_request(SOURCE, name="foreign-runner-test", include_dirs=[NATIVE], settings=SETTINGS)
    return build_one(request, Cache.from_settings(SETTINGS)).file()


def call(kernel: ForeignKernel, x: np.ndarray, out: np.ndarray, mode: int = NEGATE) -> None:
    strides = [[array.strides[0] // array.itemsize] for array in (x, out)]
    args = new_args(sizes=(len(x),), launch=(1, mode), strides=strides)
    made: Call = make_call(kernel, args, (0, 1), (x, out), 1, may_alias=(0,), active=LAUNCHER)
    made.run_pointers(x.ctypes.data, out.ctypes.data)


def test_results_come_back(kernel: ForeignKernel) -> None:
    x, out = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    assert kernel.workspace(new_args()) == SCRATCH_BYTES
    call(kernel, x, out)
    np.testing.assert_array_equal(out, -x)


def test_strides_and_gaps(kernel: ForeignKernel) -> None:
    memory = np.arange(20, dtype=np.float32)
    out = np.full(10, 9, np.float32)
    call(kernel, memory[12:2:-2], out[::2])
    np.testing.assert_array_equal(out, [-12, 9, -10, 9, -8, 9, -6, 9, -4, 9])


def test_tensors_that_alias_here_alias_there(kernel: ForeignKernel) -> None:
    both = np.arange(6, dtype=np.float32)
    call(kernel, both, both)
    np.testing.assert_array_equal(both, -np.arange(6))


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        (BEYOND, "beyond a tensor"),
        (BEFORE, "beyond a tensor"),
        (BEYOND_SCRATCH, "beyond its workspace"),
        (FAIL, "status 7: n is 5"),
    ],
)
def test_what_a_kernel_does_wrong_is_reported(kernel: ForeignKernel, mode: int, said: str) -> None:
    with pytest.raises(MachineError, match=said):
        call(kernel, np.ones(5, np.float32), np.ones(5, np.float32), mode)


def test_a_kernel_that_ends_the_machine_is_reported_and_the_next_one_runs(kernel: ForeignKernel) -> None:
    x, out = np.ones(5, np.float32), np.zeros(5, np.float32)
    with pytest.raises(MachineError, match="the runner ended: "):
        call(kernel, x, out, TRAP)
    call(kernel, x, out)
    np.testing.assert_array_equal(out, -x)


def test_a_kernel_of_another_spec_is_refused() -> None:
    machine = Machine([], SETTINGS)
    with pytest.raises(MachineError, match="not from abcd"):
        machine.load(library(), "abcd" * 16)
    machine.close()


@pytest.mark.usefixtures("launched_elsewhere")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_plan_runs_on_the_machine(machine: Machine, threads: int) -> None:
    problem = problem_from_dict({"op": "gemm", "m": 37, "n": 45, "k": 70, "dtype": "fp32", "layout": "rcr"})
    spec = KernelSpec("gemm", "cpu", ARCH, problem.signature, gemm_tile())
    op, cpu = get_op("gemm"), get_backend_op("cpu", "gemm")
    artifact = build_one(cpu.request(spec, SETTINGS), Cache.from_settings(SETTINGS))
    kernel = machine.load(artifact.file(), spec.digest)
    plan = make_plan(problem, Candidate(spec, Launch(threads=threads)), kernel, SETTINGS)
    tensors = op.random_tensors(problem, seed=3)
    out = plan.bind({role: view_of(tensor, role) for role, tensor in tensors.items()})()
    op.verify(problem, tensors, out).require("gemm on the runner")


def test_the_emulated_cpu_has_what_the_arch_needs_and_little_more() -> None:
    chosen = {
        name: emulated_cpu("aarch64", cpu(name)) for name in ("generic", "aarch64", "aarch64_dot", "aarch64_sve512")
    }
    assert chosen == {
        "generic": "cortex-a53",
        "aarch64": "cortex-a53",
        "aarch64_dot": "neoverse-n1",
        "aarch64_sve512": "a64fx",
    }
    assert emulated_cpu("aarch64", cpu("aarch64_mm")) == "max,sve=off"
    assert emulated_cpu("x86_64", cpu("x86_64_v3")) == "max"
    assert emulated_cpu("x86_64", cpu("x86_64_amx")) is None
    assert emulated_cpu("x86_64", cpu("aarch64")) is None


def cpu(name: str) -> CpuArch:
    found = get_arch(name)
    assert isinstance(found, CpuArch)
    return found


def test_the_other_machine_is_another() -> None:
    assert foreign_machine(platform.machine()) in EMULATED_CPUS
    assert foreign_machine(platform.machine()) != platform.machine()


def test_missing_tools_say_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("foreign_tools.FOLDER", tmp_path / "foreign")
    with pytest.raises(
        ToolchainError, match=r"aarch64-linux-gnu-g\+\+ and qemu-aarch64.*apt-get install g\+\+-aarch64"
    ):
        find_tools("aarch64")


def test_tools_are_found_by_any_of_their_names(tmp_path: Path) -> None:
    for name in ("qemu-x86_64-static", "x86_64-linux-gnu-g++-12"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        assert tools_on_path("x86_64", str(tmp_path)) is None
        (tmp_path / name).chmod(0o755)
    found = tools_on_path("x86_64", str(tmp_path))
    assert found is not None
    assert (found.emulator, found.compiler) == tuple(
        str(tmp_path / name) for name in ("qemu-x86_64-static", "x86_64-linux-gnu-g++-12")
    )


def test_unpacked_packages_become_usable(tmp_path: Path) -> None:
    programs, libraries = tmp_path / "root" / "usr" / "bin", tmp_path / "root" / "usr" / "aarch64-linux-gnu" / "lib"
    programs.mkdir(parents=True)
    libraries.mkdir(parents=True)
    for name in ("aarch64-linux-gnu-g++-12", "qemu-aarch64-static", "qemu-arm-static"):
        (programs / name).write_text('#!/bin/sh\necho "$0 $@ $LD_LIBRARY_PATH"\n')
        (programs / name).chmod(0o755)
    (libraries / "libc.so").write_text("GROUP ( /usr/aarch64-linux-gnu/lib/libc.so.6 )")
    make_usable("aarch64", tmp_path)
    found = tools_on_path("aarch64", str(tmp_path / "bin"))
    assert found is not None
    said = subprocess.run([found.compiler, "-c", "x y"], capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"{programs / 'aarch64-linux-gnu-g++-12'} -c x y {tmp_path / 'root'}")
    assert (libraries / "libc.so").read_text() == "GROUP ( libc.so.6 )"
    assert not list(programs.glob("qemu-*"))


AVX512_PIPELINES = {"folded"}  # no default set has them elsewhere, and QEMU 7.2 has no AVX-512


def test_pipelines_left_out_here_are_those_of_avx512() -> None:
    conv = get_backend_op("cpu", "conv").kernel_sets()
    by_arch = {
        pipeline: {arch for s in conv for arch in s.archs if any(a["pipeline"] == pipeline for a in s.algorithms)}
        for pipeline in AVX512_PIPELINES
    }
    assert by_arch == {"folded": {"x86_64_v4", "x86_64_vnni", "x86_64_amx"}}


def test_the_cases_cover_every_dtype_pipeline_direction_and_family() -> None:
    found = [*cases(cpu("aarch64_sve")), *cases(cpu("aarch64_dot"))]
    signatures = [case.candidate.spec.signature for case in found]
    assert {s.dtype_a for s in signatures if hasattr(s, "dtype_a")} == {
        *("fp32", "fp16", "bf16", "int8", "fp8", "bf8", "fp8_fnuz", "bf8_fnuz")
    }
    assert {s.direction for s in signatures if hasattr(s, "direction")} == set(DIRECTIONS)
    assert {s.family for s in signatures if hasattr(s, "family")} == set(FAMILIES)
    for op in ("gemm", "conv"):
        pipelines = next(t for t in get_backend_op("cpu", op).tunables() if t.name == "pipeline").choices
        ours = [case.candidate.spec.algorithm for case in found if case.candidate.spec.op == op]
        assert {algorithm.pipeline for algorithm in ours} == {*pipelines} - AVX512_PIPELINES
    assert {case.candidate.launch.threads for case in found} == {1, 2}
