"""The header library on every instruction set of this machine and on none: conversions, and what `generic` means."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tilewright.backends.cpu.detect import host_archs
from tilewright.backends.cpu.units import INCLUDE_DIRS
from tilewright.jit import find_compiler

COMPILER = find_compiler()
FLAGS = {a.name: [*a.compiler_flags[COMPILER.family]] for a in host_archs()} | {"generic": ["-DTW_GENERIC"]}
OPTIONS = ["-std=c++17", "-O2", "-w", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast"]
INCLUDES = [f"-I{folder}" for folder in INCLUDE_DIRS]


def compile_with(*arguments: str, folder: Path) -> str:
    command = [*COMPILER.argv, *OPTIONS, *INCLUDES, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("arch", FLAGS)
def test_registers_convert_as_single_elements_do(arch: str, tmp_path: Path) -> None:
    source = Path(__file__).with_name("simd_check.cpp")
    compile_with(*FLAGS[arch], str(source), "-o", "check", "-lm", folder=tmp_path)
    done = subprocess.run([str(tmp_path / "check")], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_generic_code_names_no_instruction_set(tmp_path: Path) -> None:
    """Any compiler for any CPU takes it: no asm, and no builtin of one instruction set."""
    headers = sorted(p.relative_to(INCLUDE_DIRS[0]) for p in INCLUDE_DIRS[0].glob("tw/**/*.hpp") if "amx" not in p.name)
    (tmp_path / "all.cpp").write_text("".join(f"#include <{name}>\n" for name in headers))
    text = compile_with("-DTW_GENERIC", "-E", "-P", "all.cpp", folder=tmp_path)
    assert not re.search(r"\b(__)?asm(__)?\b", text)
    assert not re.search(r"__builtin_(ia32|neon|arm|aarch64|sve|altivec|vsx|msa|riscv)_", text)
