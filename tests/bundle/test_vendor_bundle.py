"""Bundles that call a BLAS library from C++: right results, the same choice as Python, clear errors."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright.backends.cpu.detect import host_device
from tilewright.backends.vendor import cost
from tilewright.backends.vendor.libraries import Blas, numpy_blas
from tilewright.bundle import Bundle, make_bundle
from tilewright.bundle.pick import Wanted, rank_kernels
from tilewright.cpp import vendor_parts
from tilewright.errors import SelectionError, SpecError
from tilewright.model.kernel import Candidate
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import default_registry
from tilewright.settings import Settings

sys.path.insert(0, str(Path(__file__).parents[1] / "contract"))
from contract_bundle import PROGRAM, into, memory_of

OP = get_op("gemm")
LAYOUTS = ("rrr", "rcr", "crr", "ccr", "rrc")
SIZES = [(5, 7, 9), (1, 33, 17), (33, 1, 17), (1, 1, 4), (40, 24, 1)]
CASES: list[dict[str, Any]] = [
    *({"m": m, "n": n, "k": k, "layout": layout} for layout in LAYOUTS for m, n, k in SIZES),
    {"m": 6, "n": 5, "k": 4, "layout": "rcr", "batch": 3},
    {"m": 6, "n": 5, "k": 4, "layout": "rrr", "dtype": "fp64", "epilogue": {"alpha": 0.5}},
    {"m": 6, "n": 5, "k": 4, "layout": "rrr", "strides": {"a": [0, 9, 1], "out": [0, 8, 1]}},
    {"m": 6, "n": 1, "k": 4, "layout": "rrr", "strides": {"b": [0, 3, 1], "out": [0, 2, 1]}},
]  # fmt: skip
BLAS = numpy_blas()
pytestmark = [
    pytest.mark.skipif(not isinstance(BLAS, Blas), reason=f"no BLAS to call: {BLAS}"),
    pytest.mark.xdist_group("bundle"),
]


def problem_of(case: dict[str, Any]) -> Any:
    return problem_from_dict({"op": "gemm", "dtype": "fp32", **case})


def library() -> str:
    found = sorted((Path(np.__file__).parents[1] / "numpy.libs").glob("*openblas*"))
    if not found:
        pytest.skip("NumPy has no OpenBLAS of its own here: C++ has no known library to call")
    return str(found[0])


def spec_of(problem: Any) -> Any:
    """The kernel that calls BLAS; torch's may be expected to be faster."""
    ranked = default_registry(["vendor"]).select(problem, None, host_device(Settings.from_env()))
    return next(r.candidate.spec for r in ranked if r.candidate.spec.algorithm.library == "blas")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle for all cases."""
    specs = {spec.digest: spec for spec in map(spec_of, map(problem_of, CASES))}
    made = tmp_path_factory.mktemp("vendor") / "bundle"
    make_bundle(list(specs.values()), made)
    return made


@pytest.fixture(scope="module")
def program(folder: Path, bundle_code: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("program") / "cases"
    command = ["g++", "-std=c++17", "-O0", f"-I{folder}/include", str(PROGRAM), *bundle_code, "-o", str(made)]
    subprocess.run(command, check=True)
    return made


def run(program: Path, folder: Path, cases: Path, blas: str) -> str:
    env = {"PATH": "/usr/bin:/bin", "TILEWRIGHT_BLAS_LIBRARY": blas}
    done = subprocess.run([str(program), str(folder), str(cases)], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_cpp_multiplies_by_a_library(program: Path, folder: Path, tmp_path: Path) -> None:
    arrays, lines = [], []
    for number, problem in enumerate(map(problem_of, CASES)):
        arrays.append(OP.random_tensors(problem, number))
        for role, x in arrays[-1].items():
            memory, first = memory_of(x)
            (tmp_path / f"{number}.{role}").write_bytes(first.to_bytes(8, "little", signed=True) + memory)
        lines.append(f"{number} {json.dumps(problem.to_dict())}\n")
    (tmp_path / "cases.txt").write_text("".join(lines))
    said = run(program, folder, tmp_path, library()).splitlines()
    assert [line.split()[1] for line in said] == ["ok"] * len(CASES), said
    for number, problem in enumerate(map(problem_of, CASES)):
        data = (tmp_path / f"{number}.out").read_bytes()
        into(arrays[number]["out"], data[8:], int.from_bytes(data[:8], "little", signed=True))
        OP.verify(problem, arrays[number], arrays[number]["out"]).require(problem.label())


def test_an_absent_library_is_named(program: Path, folder: Path, tmp_path: Path) -> None:
    problem = problem_of(CASES[0])
    for role, x in OP.random_tensors(problem, 0).items():
        (tmp_path / f"0.{role}").write_bytes(bytes(8) + memory_of(x)[0])
    (tmp_path / "cases.txt").write_text(f"0 {json.dumps(problem.to_dict())}\n")
    said = run(program, folder, tmp_path, "/nowhere/libblas.so")
    assert "0 error kernel gemm_vendor" in said
    assert "no BLAS library with a C interface (tried /nowhere/libblas.so)" in said
    assert "TILEWRIGHT_BLAS_LIBRARY" in said


def test_python_runs_the_same_bundle(folder: Path) -> None:
    problem = problem_of(CASES[0])
    tensors = OP.random_tensors(problem, 0)
    out = Bundle.open(folder, verify=True).dispatcher().run(problem, **tensors)
    OP.verify(problem, tensors, out).require("python")


@pytest.mark.parametrize("arch", ["aarch64_dot", "x86_64_amx", "x86_64_v3"])
@pytest.mark.parametrize("threads", [1, 4])
def test_times_are_those_of_the_cost_model(arch: str, threads: int) -> None:
    device = replace(host_device(Settings.from_env()), arch=arch, threads=threads)
    for problem in map(problem_of, CASES):
        spec = replace(spec_of(problem), arch=arch)
        found = vendor_parts.seconds(Candidate(spec), problem, device)
        assert found == pytest.approx(cost.seconds(spec, problem, device), rel=1e-12)


def test_kernels_that_a_bundle_cannot_hold_do_not_count() -> None:
    """Even if they are expected to be faster."""
    registry, device = default_registry(["vendor"]), host_device(Settings.from_env())
    _, specs = rank_kernels([Wanted(problem_of(CASES[0]))], registry, device, top=5)
    assert [spec.algorithm.library for spec in specs.values()] == ["blas"]
    activated = problem_of({"m": 4, "n": 4, "k": 4, "epilogue": {"activation": "relu"}})
    with pytest.raises(SelectionError, match="without d operands and activations") as caught:
        rank_kernels([Wanted(activated)], registry, device, top=5)
    assert "tilewright explain" in caught.value.remedy


def test_what_no_library_computes_alone_is_refused(tmp_path: Path) -> None:
    problem = problem_of({"m": 4, "n": 4, "k": 4, "layout": "rrr", "epilogue": {"activation": "relu"}})
    with pytest.raises(SpecError, match="without d operands and activations"):
        make_bundle([spec_of(problem)], tmp_path / "bundle")
