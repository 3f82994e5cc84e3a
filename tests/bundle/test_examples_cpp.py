"""The C++ examples: built with CMake and Ninja, run without Python on PATH."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from bundle_cases import flip

from tilewright.bundle import Bundle
from tilewright.ops import problem_from_dict
from tilewright.registry import Registry

pytestmark = pytest.mark.xdist_group("bundle")
COUNTS = {"gemm": 7, "conv": 7, "attention": 27}


def run(program: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a program with nothing in its environment: no PATH, no Python, no settings."""
    return subprocess.run([str(program), *options], capture_output=True, text=True, env={"PATH": "/nowhere"})


@pytest.mark.parametrize("op", list(COUNTS))
def test_the_examples_run(op: str, example_programs: Path) -> None:
    done = run(example_programs / f"{op}_examples", "--repeat", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{COUNTS[op]} examples, 0 failed" in done.stdout


def test_the_program_of_the_documentation_runs(bundle_folder: Path, tmp_path: Path) -> None:
    """As docs/cpp.md says: the headers and the source of the bundle, and its folder in the current one."""
    text = (Path(__file__).parents[2] / "docs" / "cpp.md").read_text()
    (tmp_path / "program.cpp").write_text(text.split("```cpp\n", 1)[1].split("```", 1)[0])
    (tmp_path / "my_bundle").symlink_to(bundle_folder)
    command = next(line for line in text.splitlines() if line.startswith("g++") and "-o program" in line)
    subprocess.run(command.replace("-O2", "-O0").split(), check=True, cwd=tmp_path)
    done = subprocess.run(["./program"], cwd=tmp_path, env={"PATH": "/nowhere"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


STANDARD = ("functional", "map", "shared_mutex", "string", "unordered_map", "vector")


def compile_seconds(source: Path, *flags: str) -> float:
    """The least CPU time of three compilations."""
    found = []
    for _ in range(3):
        before = os.times()
        subprocess.run(["g++", "-std=c++17", "-O2", *flags, "-c", source, "-o", source.with_suffix(".o")], check=True)
        found.append(os.times().children_user - before.children_user)
    return min(found)


def test_a_program_compiles_in_little_more_than_its_standard_headers(bundle_folder: Path, tmp_path: Path) -> None:
    """It took 20 times as long when all code was in the headers."""
    text = (Path(__file__).parents[2] / "docs" / "cpp.md").read_text()
    (tmp_path / "program.cpp").write_text(text.split("```cpp\n", 1)[1].split("```", 1)[0])
    (tmp_path / "plain.cpp").write_text("".join(f"#include <{name}>\n" for name in STANDARD))
    bare = compile_seconds(tmp_path / "plain.cpp")
    assert compile_seconds(tmp_path / "program.cpp", f"-I{bundle_folder}/include") < 5 * bare


def test_a_bundle_may_be_moved(example_programs: Path, copied_bundle: Path) -> None:
    done = run(example_programs / "gemm_examples", "--bundle", str(copied_bundle), "gemm_01_basic")
    assert done.returncode == 0, done.stdout


def edit(change: Callable[[dict], None]) -> Callable[[Path], None]:  # type: ignore[type-arg]
    def damage(folder: Path) -> None:
        data = json.loads((folder / "manifest.json").read_text())
        change(data)
        (folder / "manifest.json").write_text(json.dumps(data))

    return damage


def kernel_file(folder: Path) -> Path:
    return next(p for p in sorted((folder / "kernels").iterdir()))


DAMAGES: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "abi": (edit(lambda d: d.update(abi=2)), "SchemaError", "abi version 2"),
    "schema": (edit(lambda d: d.update(schema=99)), "SchemaError", "schema version 99"),
    "unknown field": (edit(lambda d: d.update(kernles=[])), "SchemaError", "kernles"),
    "field of the arch": (edit(lambda d: d.update(machines=["x86_64"])), "SchemaError", "machines"),
    "missing field": (edit(lambda d: d.pop("arch")), "SchemaError", "arch"),
    "other machine": (edit(lambda d: d["arch"].update(machines=["riscv64"])), "ArchError", "riscv64"),
    "other CPU": (edit(lambda d: d["arch"].update(cpu_flags=["warp_drive"])), "ArchError", "warp_drive"),
    "outside": (edit(lambda d: d["kernels"][0]["files"][0].update(file="../../x.so")), "SchemaError", "not inside"),
    "truncated": (
        lambda f: os.truncate(f / "manifest.json", 2000),
        "SchemaError",
        "manifest",
    ),
    "no manifest": (lambda f: (f / "manifest.json").unlink(), "SchemaError", "manifest.json"),
    "missing kernel": (lambda f: kernel_file(f).unlink(), "SchemaError", "lacks kernels/"),
    "short kernel": (lambda f: os.truncate(kernel_file(f), 100), "SchemaError", "not the file"),
    "altered library": (lambda f: flip(f / "lib" / "tw_selection.so"), "SchemaError", "not the file"),
}


@pytest.mark.parametrize("name", list(DAMAGES))
def test_a_damaged_bundle_is_refused_by_both(name: str, copied_bundle: Path, example_programs: Path) -> None:
    damage, kind, text = DAMAGES[name]
    damage(copied_bundle)
    with pytest.raises(Exception) as raised:
        Bundle.open(copied_bundle, verify=True)
    assert type(raised.value).__name__ == kind
    assert text in str(raised.value)
    done = run(example_programs / "gemm_examples", "--bundle", str(copied_bundle), "gemm_01_basic")
    assert done.returncode == (3 if kind == "ArchError" else 2), done.stdout
    assert text in done.stdout
    assert "examples," not in done.stdout


def test_an_altered_kernel_is_not_loaded(copied_bundle: Path, example_programs: Path) -> None:
    for path in (copied_bundle / "kernels").iterdir():
        flip(path)
    bundle = Bundle.open(copied_bundle)  # sizes are right, bytes are compared when a kernel is loaded
    problem = problem_from_dict({"op": "gemm", "m": 64, "n": 96, "k": 48, "dtype": "fp32"})
    with pytest.raises(Exception, match="not the file that the manifest describes"):
        bundle.dispatcher().plan(problem)
    done = run(example_programs / "gemm_examples", "--bundle", str(copied_bundle), "gemm_01_basic")
    assert done.returncode == 1
    assert "not the file that the manifest describes" in done.stdout


def test_python_reads_a_registry_that_cpp_wrote(bundle_folder: Path, tmp_path: Path) -> None:
    """The JSON forms are the same: what `Bundle.registry` exports has the digests of the manifest."""
    registry = Bundle.open(bundle_folder).registry()
    registry.export_json(tmp_path / "registry.json")
    again = Registry.import_json(tmp_path / "registry.json")
    listed = {k["digest"] for k in json.loads((bundle_folder / "manifest.json").read_text())["kernels"]}
    assert {e.spec.digest for e in again.entries()} == listed
