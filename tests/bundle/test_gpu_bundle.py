"""GPU bundles from C++ and Python: over the emulator for AMD; for NVIDIA over a library that records launches."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from amd_toolchain import REAL, needs_toolchain
from bundle_cases import flip

import tilewright
from tilewright.backends.gpu.call import GpuKernel
from tilewright.backends.gpu.emulated.standin import standin_library
from tilewright.bundle import Bundle, make_bundle
from tilewright.bundle.pick import rank_kernels
from tilewright.cli.bundle import read_wanted
from tilewright.dispatcher import nominal_device
from tilewright.errors import ArchError, SchemaError
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import default_registry
from tilewright.settings import Settings

pytestmark = pytest.mark.xdist_group("bundle")
EXAMPLES = Path(__file__).parents[2] / "examples" / "cpp"
RECORDER = Path(__file__).parents[1] / "support" / "cuda_recorder.cpp"
PROBLEMS = (EXAMPLES / "gpu" / "problems.jsonl").read_text().splitlines()
GEMM, CONV = json.loads(PROBLEMS[0]), json.loads(PROBLEMS[3])
PACKAGE = str(Path(tilewright.__file__).parents[1])

# The emulated runtime is in Python, so the program runs inside of a Python process: its `main` is called.
HOST = """
import ctypes, sys
words = [w.encode() for w in sys.argv[1:]]
sys.exit(ctypes.CDLL(sys.argv[1]).main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None)))
"""
NO_TRITON = """
import importlib.abc, sys
class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "triton":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked())
"""


def bundle_for(arch: str, lines: list[str], folder: Path, backend: str = "triton") -> Path:
    rows, specs = rank_kernels(read_wanted(lines), default_registry([backend]), nominal_device(arch), 1)
    assert rows
    make_bundle(list(specs.values()), folder, settings=Settings.from_env(), assembly=True)
    return folder


@pytest.fixture(scope="module")
def nvidia_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle_for("sm_90", PROBLEMS[:1], tmp_path_factory.mktemp("gpu") / "nvidia")


@pytest.fixture(scope="module")
def amd_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle_for("gfx942", PROBLEMS[2:3], tmp_path_factory.mktemp("gpu") / "amd")


def compiled(target: Path, include: Path, sources: list[Path], code: Sequence[str] = ()) -> Path:
    """The GPU examples as one source, with the headers of a bundle, and with its source unless `code` links it."""
    whole = target.with_suffix(".cpp")
    included = sources if code else [*sources, include.parent / "src" / "tilewright.cpp"]
    whole.write_text("".join(f'#include "{path}"\n' for path in included))
    folders = [f"-I{f}" for f in (include, EXAMPLES, EXAMPLES / "gpu")]
    command = ["c++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", *folders]
    command += ['-DTILEWRIGHT_BUNDLE="none"', str(whole), *(code or ["-ldl"]), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, amd_bundle: Path, bundle_code: tuple[str, ...]) -> Path:
    """Two of the examples: compiling them takes longer than the rest of these tests."""
    sources = [EXAMPLES / "main.cpp", EXAMPLES / "gpu" / "01_gemm.cpp", EXAMPLES / "gpu" / "03_split.cpp"]
    target = tmp_path_factory.mktemp("program") / "gpu_examples.so"
    return compiled(target, amd_bundle / "include", sources, bundle_code)


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("recorder") / "libcuda.so.1"
    command = ["c++", "-std=c++17", "-O0", "-fPIC", "-shared", str(RECORDER), "-o", str(library)]
    subprocess.run(command, check=True)
    return library


def run(code: str, *words: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([PACKAGE, *filter(None, [os.environ.get("PYTHONPATH")])])
    whole = {"PYTHONPATH": path, "PATH": os.environ["PATH"], **env}
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, env=whole)


def on_emulator() -> dict[str, str]:
    return {
        "TILEWRIGHT_HIP_LIBRARY": str(standin_library()),
        "TILEWRIGHT_CACHE_DIR": os.environ["TILEWRIGHT_CACHE_DIR"],
    }


def test_a_cpp_program_runs_an_amd_bundle(program: Path, amd_bundle: Path) -> None:
    done = run(HOST, str(program), "--bundle", str(amd_bundle), "gpu_03_split", env=on_emulator())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 examples, 0 failed" in done.stdout
    assert "8448 bytes of workspace" in done.stdout


@pytest.mark.exhaustive
def test_every_example_runs_an_amd_bundle(tmp_path: Path) -> None:
    folder = bundle_for("gfx942", PROBLEMS, tmp_path / "all")
    sources = [EXAMPLES / "main.cpp", *sorted((EXAMPLES / "gpu").glob("*.cpp"))]
    whole = compiled(tmp_path / "all_examples.so", folder / "include", sources)
    done = run(HOST, str(whole), "--bundle", str(folder), env=on_emulator())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 examples, 0 failed" in done.stdout


@pytest.mark.gpu
def test_every_example_runs_an_nvidia_bundle(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    if (found := torch.cuda.get_device_capability()) != (9, 0):
        pytest.skip(f"needs an NVIDIA GPU of compute capability 9.0 (H100, H200); here is one of {found}")
    folder = bundle_for("sm_90", PROBLEMS, tmp_path / "all")
    sources = [EXAMPLES / "main.cpp", *sorted((EXAMPLES / "gpu").glob("*.cpp"))]
    whole = compiled(tmp_path / "all_examples.so", folder / "include", sources)
    done = run(HOST, str(whole), "--bundle", str(folder), env=dict(os.environ))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 examples, 0 failed" in done.stdout


def ck_bundle(given: Mapping[str, Any], folder: Path, persistent: bool = False) -> Path:
    """A bundle with the best kernel of CK Tile for a problem."""
    ranked = default_registry(["ck_tile"]).select(problem_from_dict(given), None, nominal_device("gfx942"))
    spec = ranked[0].candidate.spec
    if persistent:
        spec = replace(spec, algorithm=replace(spec.algorithm, persistent=True))
    assert REAL is not None
    make_bundle([spec], folder, settings=REAL, assembly=True)
    return folder


def ran_in_python(bundle: Path, given: Mapping[str, Any]) -> bool:
    """Whether Python's dispatcher computes a problem rightly from a bundle, on the emulator."""
    problem = problem_from_dict({**given, "device": "emu:gfx942"})
    op = get_op(problem.op)
    tensors = op.random_tensors(problem, 0)
    out = Bundle.open(bundle, verify=True).dispatcher().run(problem, **tensors)
    return op.verify(problem, tensors, out).ok


@needs_toolchain
@pytest.mark.exhaustive  # the compiler takes a minute
@pytest.mark.xdist_group("amd_compile")
@pytest.mark.parametrize("persistent", [False, True])
def test_a_cpp_program_runs_products_of_ck_tile(program: Path, persistent: bool, tmp_path: Path) -> None:
    folder = ck_bundle(GEMM, tmp_path / "ck", persistent)
    done = run(HOST, str(program), "--bundle", str(folder), "gpu_01_gemm", env=on_emulator())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "gemm_ck_tile_gfx942_" in done.stdout
    assert ran_in_python(folder, GEMM)


@needs_toolchain
@pytest.mark.exhaustive
@pytest.mark.xdist_group("amd_compile")
def test_a_cpp_program_runs_a_convolution_of_ck_tile(tmp_path: Path) -> None:
    """CK's own host code makes the argument: a library in the bundle, whose digest is compared before it is loaded."""
    folder = ck_bundle(CONV, tmp_path / "ck")
    sources = [EXAMPLES / "main.cpp", EXAMPLES / "gpu" / "04_conv.cpp"]
    program = compiled(tmp_path / "conv.so", folder / "include", sources)
    done = run(HOST, str(program), "--bundle", str(folder), "gpu_04_conv", env=on_emulator())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "conv_ck_tile_gfx942_" in done.stdout
    assert ran_in_python(folder, CONV)
    (library,) = folder.glob("kernels/*/arguments.elf")
    flip(library)
    altered = run(HOST, str(program), "--bundle", str(folder), "gpu_04_conv", env=on_emulator())
    assert altered.returncode == 1
    assert "arguments.elf is not the file that the manifest describes" in altered.stdout
    with pytest.raises(SchemaError, match=r"arguments\.elf of bundle"):
        ran_in_python(folder, CONV)


def test_python_runs_a_bundle_without_triton(amd_bundle: Path, tmp_path: Path) -> None:
    code = NO_TRITON + (
        "import sys, numpy as np, tilewright as tw\n"
        "dispatcher = tw.Bundle.open(sys.argv[1], verify=True).dispatcher()\n"
        "rng = np.random.default_rng(0)\n"
        "a, b = (rng.standard_normal((n, 128)).astype(np.float16) for n in (64, 96))\n"
        f"problem = tw.problem_from_dict({{**{GEMM!r}, 'device': 'emu:gfx942'}})\n"
        "out = dispatcher.run(problem, a=a, b=b.T, out=np.empty((64, 96), np.float16))\n"
        "assert np.allclose(out, a.astype('f8') @ b.T.astype('f8'), atol=0.02), out\n"
        "print(dispatcher.plan(problem).kernel)\n"
    )
    done = run(code, str(amd_bundle), env=on_emulator())
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("gemm_triton_gfx942_")


def recorded_launches(
    code: str, *words: str, recorder: Path, bundle: Path, folder: Path, capturing: bool = False
) -> list[str]:
    """The launches that a process makes over the recorder, and what else it records."""
    lines = []
    for path in sorted(bundle.glob("kernels/*/*.json")):
        kernel = GpuKernel.open(path.parent, path.stem)
        kinds = [*(a["kind"] for a in kernel.meta["args"]), "pointer", "pointer"]
        known = {"pointer": 8, "i64": 8, "i32": 4, "fp32": 4, "tensormap": 128}
        lines.append(" ".join([kernel.meta["name"], *(str(known[k]) for k in kinds)]))
    (folder / "sizes").write_text("\n".join(lines) + "\n")
    log = folder / f"log{len(list(folder.iterdir()))}"
    env = {"LD_LIBRARY_PATH": str(recorder.parent), "CUDA_RECORD": str(log), "CUDA_RECORD_SIZES": str(folder / "sizes")}
    done = run(code, *words, env={**env, **({"CUDA_RECORD_CAPTURING": "1"} if capturing else {})})
    assert log.is_file(), done.stdout + done.stderr
    return log.read_text().splitlines()


def test_cpp_launches_what_python_launches_on_nvidia(
    program: Path, nvidia_bundle: Path, recorder: Path, tmp_path: Path
) -> None:
    """Tensor maps, parameters, grids and attributes are byte for byte those of Python, which ran on an H200."""
    code = (
        "import sys, tilewright as tw\n"
        "from tilewright.backends.gpu.cuda_driver import cuda_driver\n"
        f"problem = tw.problem_from_dict({{**{GEMM!r}, 'device': 'cuda:0'}})\n"
        "plan = tw.Bundle.open(sys.argv[1]).dispatcher().plan(problem)\n"
        "driver, stage = cuda_driver(), getattr(plan.stages[0], 'own', plan.stages[0])\n"
        "sizes = [64 * 128 * 2, 96 * 128 * 2, 64 * 96 * 2, 64 * 96 * 2]\n"
        "a, b, out, again = (driver.allocate(n) for n in sizes)\n"
        "for where in (out, again):\n"
        "    space = driver.allocate(stage.workspace_bytes) if stage.workspace_bytes else 0\n"
        "    for call in stage.prepare(driver, {'a': a, 'b': b, 'out': where}, space):\n"
        "        call(0)\n"
    )
    where: dict[str, Any] = {"recorder": recorder, "bundle": nvidia_bundle, "folder": tmp_path}
    python = recorded_launches(code, str(nvidia_bundle), **where)
    words = (str(program), "--bundle", str(nvidia_bundle), "gpu_01_gemm")
    cpp = recorded_launches(HOST, *words, **where)
    assert len([line for line in python if line.startswith("launch")]) == 2
    assert sorted(set(cpp)) == sorted(set(python))


def test_a_cpp_program_leaves_the_capture_of_another_thread_alone(
    program: Path, nvidia_bundle: Path, recorder: Path, tmp_path: Path
) -> None:
    """Kernels are loaded, and memory comes and goes, while a capture forbids calls that may wait to all threads."""
    words = (str(program), "--bundle", str(nvidia_bundle), "gpu_01_gemm")
    found = recorded_launches(HOST, *words, recorder=recorder, bundle=nvidia_bundle, folder=tmp_path, capturing=True)
    assert [line for line in found if line.startswith("launch")]
    assert [line for line in found if line.startswith("refused")] == []


PLANNING = """
#include <cstdio>
#include <thread>
#include <tilewright/tilewright.hpp>
using namespace tilewright;

int main(int, char** argv) {
  const auto bundle = Bundle::open(argv[1]);
  Dispatcher dispatcher(bundle);
  bundle->gpu();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([&dispatcher, t] {
      for (int i = 0; i < 4; i++) dispatcher.plan(Gemm(64, 96 * (4 * t + i + 1), 128).dtype("fp16"));
    });
  for (auto& thread : threads) thread.join();
  std::puts("planned");
}
"""


def test_threads_may_plan_on_one_gpu_bundle(nvidia_bundle: Path, recorder: Path, tmp_path: Path) -> None:
    """They share the loaded kernels; a thread sanitizer watches if the compiler has one."""
    (tmp_path / "program.cpp").write_text(PLANNING)
    sources = ["program.cpp", f"{nvidia_bundle}/src/tilewright.cpp", f"-I{nvidia_bundle}/include"]
    command = ["c++", "-std=c++17", "-O1", *sources, "-o", "program", "-ldl", "-pthread"]
    if subprocess.run([*command, "-fsanitize=thread"], capture_output=True, cwd=tmp_path).returncode != 0:
        subprocess.run(command, check=True, cwd=tmp_path)
    env = {"TILEWRIGHT_CUDA_LIBRARY": str(recorder), "PATH": os.environ["PATH"]}
    done = subprocess.run([tmp_path / "program", nvidia_bundle], capture_output=True, text=True, env=env)
    if "unexpected memory mapping" in done.stderr:
        pytest.skip("the thread sanitizer does not run with this kernel's address layout")
    assert (done.returncode, done.stdout) == (0, "planned\n"), done.stderr


def test_errors_name_driver_and_arch(program: Path, nvidia_bundle: Path, recorder: Path) -> None:
    words = (str(program), "--bundle", str(nvidia_bundle), "gpu_01_gemm")
    none = run(HOST, *words, env={"TILEWRIGHT_CUDA_LIBRARY": "/nowhere/libcuda.so.1"})
    assert "the NVIDIA driver library libcuda.so.1 was not found" in none.stdout
    broken = run(HOST, *words, env={"TILEWRIGHT_CUDA_LIBRARY": str(recorder), "CUDA_RECORD_FAILS": "1"})
    assert "cannot initialise the GPU driver: CUDA error 100" in broken.stdout
    other = run(HOST, *words, env={"TILEWRIGHT_CUDA_LIBRARY": str(recorder), "CUDA_RECORD_MAJOR": "8"})
    assert "no GPU here is sm_90; the driver sees sm_80" in other.stdout
    code = (
        "import sys, tilewright as tw\n"
        f"problem = tw.problem_from_dict({{**{GEMM!r}, 'device': 'cuda:0'}})\n"
        "tw.Bundle.open(sys.argv[1]).dispatcher().plan(problem)\n"
    )
    python = run(code, words[2], env={"LD_LIBRARY_PATH": str(recorder.parent), "CUDA_RECORD_MAJOR": "8"})
    assert "ArchError: bundle 'nvidia' is for sm_90; NVIDIA H200 at cuda:0 is sm_80" in python.stderr
    no_gpu = run(code, words[2], env={})
    assert "DeviceError" in no_gpu.stderr or "ArchError" in no_gpu.stderr, no_gpu.stderr


def test_an_altered_gpu_kernel_is_refused_by_both(program: Path, amd_bundle: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(amd_bundle, tmp_path / "copy"))
    for path in copy.glob("kernels/*/*.hsaco"):
        flip(path)
    problem = problem_from_dict({**GEMM, "device": "emu:gfx942"})
    with pytest.raises(SchemaError, match="not the file that the manifest describes"):
        Bundle.open(copy).dispatcher().plan(problem)
    with pytest.raises(SchemaError, match="hsaco of bundle"):
        Bundle.open(copy, verify=True)
    done = run(HOST, str(program), "--bundle", str(copy), "gpu_01_gemm", env=on_emulator())
    assert done.returncode == 1
    assert "not the file that the manifest describes" in done.stdout


def test_files_that_are_swapped_after_the_check_are_not_loaded(amd_bundle: Path, tmp_path: Path) -> None:
    """A driver reads a kernel's files when it first runs on a GPU, long after they were compared with their digests."""
    copy = Path(shutil.copytree(amd_bundle, tmp_path / "copy"))
    stored = {path.name: path.read_bytes() for path in copy.glob("kernels/*/*") if path.suffix in (".json", ".hsaco")}
    bundle = Bundle.open(copy)
    kernels = bundle.load(bundle.specs[0])
    shutil.rmtree(copy / "kernels")
    assert kernels.product.meta["backend"] == "hip"
    assert {name: (kernels.folder / name).read_bytes() for name in stored} == stored
    assert kernels.folder.stat().st_mode & 0o077 == 0


def test_private_copies_go_with_the_process_that_made_them() -> None:
    code = (
        "import os, sys\n"
        "from tilewright.bundle.opened import _private_copy\n"
        "folder = _private_copy({'kernel.json': b'{}'})\n"
        "child = os.fork()\n"
        "child or sys.exit(0)\n"
        "os.waitpid(child, 0)\n"
        "print(folder, (folder / 'kernel.json').is_file())\n"
    )
    done = run(code, env={})
    folder, kept = done.stdout.split()
    assert kept == "True", done.stderr
    assert not Path(folder).parent.exists()


def test_a_gpu_bundle_computes_nothing_on_the_cpu(amd_bundle: Path) -> None:
    dispatcher = Bundle.open(amd_bundle).dispatcher()
    a: Any = np.ones((64, 128), np.float16)
    with pytest.raises(ArchError, match="is for gfx942"):
        dispatcher.run(
            problem_from_dict(GEMM), a=a, b=np.ones((96, 128), np.float16).T, out=np.empty((64, 96), np.float16)
        )
