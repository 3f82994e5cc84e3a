"""Wrappers and build files: three build systems, one set of kernels, rebuilt only where something changed."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from amd_toolchain import REAL, needs_toolchain
from installed_tools import with_tools

from tilewright.backends.ck_tile.ck_revision import REFERENCE
from tilewright.backends.ck_tile.gemm import preselected_kernels
from tilewright.backends.ck_tile.toolchain import Toolchain, find_toolchain
from tilewright.codegen.ck.emit import parallel_generate
from tilewright.codegen.ck.wrappers import LIBRARY, generate_wrappers
from tilewright.errors import SchemaError, TilewrightError

KERNELS = preselected_kernels("fp16_rcr_essential", "gfx942")[:3]
SYSTEMS = ("ninja", "makefile", "cmake")

# Stands for the device compiler: takes its options, writes an output and the dependency file as it would.
COMPILER = """\
import sys
words = sys.argv[1:]
value = lambda option: words[words.index(option) + 1]
(source,) = [w for w in words if w.endswith(".cpp")]
header = [line.split('"')[1] for line in open(source) if line.startswith('#include "')][0]
folders = [w[2:] for w in words if w.startswith("-I")]
import os
found = next(os.path.join(f, header) for f in folders if os.path.isfile(os.path.join(f, header)))
open(value("-o"), "w").write("code of " + open(found).read())
open(value("-MF"), "w").write(f"{value('-MT')}: {source} {found}\\n")
open("../built.log" if os.path.isfile("../built.log") else "../../built.log", "a").write(
    os.path.basename(source) + "\\n")
"""


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    parallel_generate(KERNELS, tmp_path / "kernels", REFERENCE)
    return tmp_path / "kernels"


@pytest.fixture
def toolchain(tmp_path: Path) -> Toolchain:
    script = tmp_path / "compiler.py"
    script.write_text(textwrap.dedent(COMPILER))
    (tmp_path / "built.log").write_text("")
    argv = (sys.executable, str(script))
    return Toolchain("cross", argv, argv, tmp_path / "ck", "a stand-in", "stand-in")


def build(system: str, folder: Path, toolchain: Toolchain | None = None) -> str:
    commands = {
        "ninja": [["ninja", "-C", str(folder)]],
        "makefile": [["make", "-C", str(folder), "-j2"]],
        "cmake": [
            ["cmake", "-S", str(folder), "-B", str(folder / "build"), *compiler_of(toolchain)],
            ["cmake", "--build", str(folder / "build"), "--parallel", "2"],
        ],
    }
    text = ""
    for command in commands[system]:
        env = with_tools(command[0])
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
        assert done.returncode == 0, done.stdout + done.stderr
        text += done.stdout
    return text


def compiler_of(toolchain: Toolchain | None) -> list[str]:
    return [f"-DTILEWRIGHT_HIP_COMPILER={';'.join(toolchain.argv)}"] if toolchain is not None else []


def log(folder: Path) -> list[str]:
    return sorted((folder.parent / "built.log").read_text().split())


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_build_system_builds_every_kernel_once_and_only_what_changed_again(system, kernels, toolchain, tmp_path):
    folder = tmp_path / "w"
    done = generate_wrappers(kernels, folder, toolchain, build_systems=[system])
    text = build(system, folder, toolchain)
    names = sorted(f"{u.name}.cpp" for u in done.units)
    assert log(folder) == names
    for unit in done.units:
        assert f"[{unit.number}/3] {unit.name}" in text
    build(system, folder, toolchain)
    assert log(folder) == names  # nothing was built again
    (header,) = kernels.glob("*pad-mnk*.hpp")
    os.utime(header)
    build(system, folder, toolchain)
    assert log(folder) == sorted([*names, f"{header.stem}.cpp"])
    out = folder / "build" if system == "cmake" else folder
    assert exported(out / LIBRARY) == {u.digest: (u.name, (out / u.output).stat().st_size) for u in done.units}


def exported(library: Path) -> dict[str, tuple[str, int]]:
    """What the table of a library says: digest -> (name, bytes of the code object)."""

    class Kernel(ctypes.Structure):
        _fields_ = [
            ("name", ctypes.c_char_p),
            ("digest", ctypes.c_char_p),
            ("arch", ctypes.c_char_p),
            ("code", ctypes.c_void_p),
            ("code_bytes", ctypes.c_uint64),
            ("info", ctypes.c_void_p),
            ("workspace", ctypes.c_void_p),
            ("run", ctypes.c_void_p),
        ]

    class Library(ctypes.Structure):
        _fields_ = [
            ("version", ctypes.c_uint32),
            ("kernel_size", ctypes.c_uint32),
            ("count", ctypes.c_uint64),
            ("kernels", ctypes.POINTER(Kernel)),
        ]

    loaded = ctypes.CDLL(str(library))
    loaded.tw_dispatcher_kernels.restype = ctypes.POINTER(Library)
    table = loaded.tw_dispatcher_kernels().contents
    assert (table.version, table.kernel_size) == (1, ctypes.sizeof(Kernel))
    found = [table.kernels[i] for i in range(table.count)]
    for kernel in found:
        assert ctypes.string_at(kernel.code, 8) == b"code of "
        assert (kernel.info, kernel.run) == (None, None)
    return {k.digest.decode(): (k.name.decode(), k.code_bytes) for k in found}


def test_commands_carry_the_arch_the_include_paths_and_the_seed_flags(kernels, toolchain, tmp_path):
    done = generate_wrappers(kernels, tmp_path / "w", toolchain)
    for unit in done.units:
        for word in (
            "--offload-arch=gfx942",
            "--offload-compress",
            "-enable-noalias-to-md-conversion=0",
            "-I../kernels",
        ):
            assert word in unit.command
        assert unit.output == f"{unit.name}.co"
    quick = generate_wrappers(kernels, tmp_path / "w", toolchain, main_only=True)
    assert all("-DTW_CK_MAIN_ONLY=1" in u.command for u in quick.units)


def test_rocm_compiles_the_host_entry_and_links_the_runtime(kernels, toolchain, tmp_path):
    rocm = replace(toolchain, kind="rocm")
    done = generate_wrappers(kernels, tmp_path / "w", rocm, build_systems=["ninja", "makefile"])
    for unit in done.units:
        assert {"-DTW_CK_HOST=1", "-DTW_CK_COMBINED=1", "-fPIC"} <= set(unit.command)
        assert unit.output == f"{unit.name}.o"
    for name in done.build_files:
        assert "amdhip64" in (tmp_path / "w" / name).read_text()
    assert not list((tmp_path / "w").glob("*.stub.s"))
    assert f"tw_run_{done.units[0].space}" in (tmp_path / "w" / "dispatcher_kernels.c").read_text()


def test_nothing_is_rewritten_in_vain_and_what_is_gone_is_removed(kernels, toolchain, tmp_path):
    folder = tmp_path / "w"
    generate_wrappers(kernels, folder, toolchain, build_systems=["ninja"])
    assert generate_wrappers(kernels, folder, toolchain, build_systems=["ninja"]).written == ()
    (folder / "some.co").write_text("left by a build")
    fewer = generate_wrappers(kernels, folder, toolchain, pattern="*pad-mnk*", build_systems=["ninja"])
    assert len(fewer.units) == len(list(folder.glob("*.cpp"))) == 1
    assert (folder / "some.co").is_file()


def test_wrappers_need_no_compiler(kernels, tmp_path):
    """As on a machine without a compiler: the files are for the machine that builds, and name no folder of this one."""
    done = generate_wrappers(kernels, tmp_path / "w", build_systems=["ninja", "makefile", "cmake"])
    assert done.wrappers_written == 3
    assert generate_wrappers(kernels, tmp_path / "w", build_systems=["ninja", "makefile", "cmake"]).written == ()
    for path in (tmp_path / "w").rglob("*"):
        assert str(tmp_path) not in (path.read_text() if path.is_file() else ""), path
    dry = ["make", "-C", str(tmp_path / "w"), "-n", "HIPCXX=amdclang++", "CK_INCLUDE_DIR=/ck"]
    text = subprocess.run(dry, capture_output=True, text=True, timeout=60, check=True).stdout
    assert text.count("amdclang++ -x hip") == 3
    assert "-I/ck" in text
    assert "@" not in text.replace("@echo", "")


def test_headers_are_known_by_themselves_in_any_folder(kernels, tmp_path):
    (tmp_path / "moved").mkdir()
    for header in list(kernels.glob("*.hpp"))[:2]:
        shutil.copy(header, tmp_path / "moved")
    done = generate_wrappers(tmp_path / "moved", tmp_path / "w", build_systems=["ninja"])
    assert {u.digest for u in done.units} < {s.digest for s in KERNELS}
    (tmp_path / "moved" / "foreign.hpp").write_text("#pragma once\n")
    with pytest.raises(TilewrightError, match=r"foreign.hpp was not written by .tilewright codegen"):
        generate_wrappers(tmp_path / "moved", tmp_path / "w")
    assert len(generate_wrappers(tmp_path / "moved", tmp_path / "w", pattern="gemm_*").units) == 2


# Stands for ROCm's compiler within CMake: HIP code becomes an object with the functions of the C ABI.
HIP_COMPILER = """\
import os, re, subprocess, sys
words = sys.argv[1:]
if "hip" not in words:
    sys.exit(subprocess.run(["g++", *words]).returncode)
source = words[words.index("-c") + 1]
name = re.search(r"TILEWRIGHT_CK_ENTRY.(tw_[0-9a-f]+)", open(source).read()).group(1)
need = {"-DTW_CK_HOST=1", "-DTW_CK_COMBINED=1", "--offload-arch=gfx942", "--hip-device"}
missing = need - set(words) or not any(w.startswith("-I") and w.endswith("/ck") for w in words)
functions = [f"int tw_{f}_{name}(void) {{ return 7; }}" for f in ("info", "workspace", "run")]
text = "" if missing else "".join(functions)
out = words[words.index("-o") + 1]
sys.exit(subprocess.run(["gcc", "-fPIC", "-x", "c", "-", "-c", "-o", out], input=text, text=True).returncode)
"""
HIP_PACKAGE = """\
add_library(hip::host INTERFACE IMPORTED)
add_library(hip::device INTERFACE IMPORTED)
set_target_properties(hip::device PROPERTIES INTERFACE_COMPILE_OPTIONS "--hip-device;--offload-arch=gfx942")
"""
PROJECT = """\
cmake_minimum_required(VERSION 3.20)
project(mine CXX)
add_subdirectory(kernels/w)
add_executable(mine main.cpp)
target_link_libraries(mine PRIVATE dispatcher_kernels)
"""
MAIN = """\
#include <cstdio>
#include "tilewright_ck/library.h"
int main()
{
    const tw_library* all = tw_dispatcher_kernels();
    std::printf("%d kernels, %d\\n", int(all->count), all->kernels[2].run(nullptr));
}
"""


def test_cmake_files_are_part_of_another_project_and_can_be_moved(kernels, tmp_path):
    done = generate_wrappers(kernels, tmp_path / "w", build_systems=["cmake"])
    project = tmp_path / "elsewhere"
    shutil.copytree(kernels, project / "kernels" / "kernels")
    shutil.copytree(tmp_path / "w", project / "kernels" / "w")
    shutil.rmtree(kernels)
    shutil.rmtree(tmp_path / "w")
    compiler = tmp_path / "hipcc"
    compiler.write_text(f"#!{sys.executable}\n{HIP_COMPILER}")
    compiler.chmod(0o755)
    for name, text in {"CMakeLists.txt": PROJECT, "main.cpp": MAIN, "rocm/hip-config.cmake": HIP_PACKAGE}.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    chosen = [
        f"-DCMAKE_CXX_COMPILER={compiler}",
        f"-DCK_INCLUDE_DIR={tmp_path / 'ck'}",
        f"-Dhip_DIR={project / 'rocm'}",
    ]
    for command in (
        ["cmake", "-S", str(project), "-B", str(project / "b"), *chosen],
        ["cmake", "--build", str(project / "b"), "--target", f"kobj_{done.units[0].name}"],
        ["cmake", "--build", str(project / "b"), "--parallel", "2"],
        [str(project / "b" / "mine")],
    ):
        env = with_tools("cmake")
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout == "3 kernels, 7\n"


@pytest.mark.parametrize("listed", [b"../mine.txt", b"/tmp/mine.txt", b"..", b"\xff"])
def test_a_listing_cannot_have_files_outside_removed(listed, kernels, toolchain, tmp_path):
    mine = tmp_path / "mine.txt"
    mine.write_text("somebody's work")
    folder = tmp_path / "out"
    generate_wrappers(kernels, folder, toolchain)
    (folder / "wrappers.txt").write_bytes((folder / "wrappers.txt").read_bytes() + listed + b"\n")
    with pytest.raises(SchemaError, match=r"wrappers\.txt"):
        generate_wrappers(kernels, folder, toolchain)
    assert mine.read_text() == "somebody's work"


def test_mistakes_are_told(kernels, toolchain, tmp_path):
    cases = [
        (tmp_path / "none", "w", "*.hpp", "there is no folder"),
        (tmp_path, "w", "*.hpp", "none of the 0 headers"),
        (kernels, "w", "conv*", "none of the 3 headers"),
        (kernels, "kernels", "*.hpp", "did not generate"),
    ]
    for source, target, pattern, words in cases:
        with pytest.raises(TilewrightError, match=words):
            generate_wrappers(source, tmp_path / target, toolchain, pattern=pattern)
    header = next(kernels.glob("*.hpp"))
    header.write_text(header.read_text() + "// edited\n")
    with pytest.raises(TilewrightError, match="is not what this version generates"):
        generate_wrappers(kernels, tmp_path / "w", toolchain)
    header.unlink()
    with pytest.raises(TilewrightError, match="lacks gemm"):
        generate_wrappers(kernels, tmp_path / "w", toolchain)


@needs_toolchain
@pytest.mark.exhaustive  # half a minute in the compiler
@pytest.mark.xdist_group("amd_compile")
def test_the_real_compiler_builds_a_code_object(tmp_path):
    real = find_toolchain(REAL)
    smallest = min(preselected_kernels("fp16_rcr_latency", "gfx942"), key=lambda s: s.algorithm.tile)
    parallel_generate([smallest], tmp_path / "kernels", REFERENCE)
    done = generate_wrappers(tmp_path / "kernels", tmp_path / "w", real, build_systems=["ninja"], main_only=True)
    build("ninja", tmp_path / "w")
    code = (tmp_path / "w" / done.units[0].output).read_bytes()
    assert code[:4] == b"\x7fELF"
    assert code[18:20] == (224).to_bytes(2, "little")  # EM_AMDGPU
    assert done.units[0].space.encode() in code  # the kernel's symbol
    assert (tmp_path / "w" / LIBRARY).stat().st_size > len(code)
