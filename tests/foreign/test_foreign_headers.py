"""Conversions of the header library on other CPUs: registers convert as single elements do, on every level."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from foreign_tools import MACHINE, emulated_cpu, find_tools

from tilewright.arch import default_catalog
from tilewright.backends.cpu.units import INCLUDE_DIRS
from tilewright.jit.compiler import BASE_FLAGS
from tilewright.model.arch import CpuArch

SOURCE = Path(__file__).parents[1] / "backends" / "cpu" / "simd_check.cpp"
ARCHS = [a for a in default_catalog().values() if isinstance(a, CpuArch) and a.is_for(MACHINE)]


@pytest.mark.foreign
@pytest.mark.timeout(600)
@pytest.mark.parametrize("arch", [a for a in ARCHS if emulated_cpu(MACHINE, a)], ids=lambda arch: arch.name)
def test_registers_convert_as_single_elements_do(arch: CpuArch, tmp_path: Path) -> None:
    tools, cpu = find_tools(MACHINE), emulated_cpu(MACHINE, arch)
    assert cpu is not None
    flags = [flag for flag in BASE_FLAGS if flag not in ("-shared", "-fPIC")]
    words = [tools.compiler, *flags, *arch.compiler_flags["gcc"], *(f"-I{folder}" for folder in INCLUDE_DIRS)]
    program = tmp_path / "check"
    subprocess.run([*words, "-w", str(SOURCE), "-o", str(program), "-lm"], check=True)
    done = subprocess.run([*tools.command(cpu), str(program)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
