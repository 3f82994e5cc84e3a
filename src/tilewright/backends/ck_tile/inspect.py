"""What a compiled CK Tile kernel must contain, and its inspection after each build.

Two kinds of wrong kernels compile without a warning: a warp tile that the target has no instruction for (the product is
omitted), and a dtype that the target emulates (it is widened first). Both show in the matrix instructions, so a kernel
without those of its own dtypes and shape is a failed build.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...errors import BuildError
from ...model.json_text import read_json
from ...model.kernel import KernelSpec
from ..gpu.amd_code import MatrixInstruction, inspect_code, matrix_instructions

EXPECT, ASSEMBLY, CODE, ARGUMENTS = "expect.json", "kernel.s", "kernel.co", "arguments.elf"
OPERANDS = {
    "fp64": "f64", "fp32": "f32", "fp16": "f16", "bf16": "bf16", "int8": "i8", "int4": "i4",
    "fp8": "fp8", "bf8": "bf8", "fp8_fnuz": "fp8", "bf8_fnuz": "bf8", "pk_fp4": "fp4",
}  # fmt: skip
NARROW = {"fp8", "bf8", "fp4"}  # CDNA4 has one instruction for all of these; the operand formats are in its modifiers


@dataclass(frozen=True)
class Expected:
    """The matrix instructions that a kernel must contain: operand dtypes and, if fixed, the warp tiles."""

    operands: tuple[str, ...]
    warp_tiles: tuple[tuple[int, int, int], ...] = ()


def operand_words(dtype_a: str, dtype_b: str) -> tuple[str, ...]:
    """Return the operand names of the instruction set; CK exchanges A and B if that saves a transposition.

    >>> operand_words("fp8", "bf8"), operand_words("int8", "int8")
    (('fp8_bf8', 'bf8_fp8', 'f8f6f4'), ('i8', 'iu8'))
    """
    a, b = OPERANDS.get(dtype_a, dtype_a), OPERANDS.get(dtype_b, dtype_b)
    if a in NARROW and b in NARROW:
        return (*dict.fromkeys((f"{a}_{b}", f"{b}_{a}")), "f8f6f4")
    if a[0] == "i" and b[0] == "i":
        return (a, f"iu{a[1:]}")
    return (a,) if a == b else (a, b)


def expected_of(spec: KernelSpec) -> Expected | None:
    """Return the instructions that the kernels of a spec must contain; None for those that multiply no matrices.

    >>> from tilewright.backends.ck_tile.gemm import preselected_kernels
    >>> expected_of(preselected_kernels("fp16_rcr_essential", "gfx942")[0])
    Expected(operands=('f16',), warp_tiles=((32, 32, 16),))
    """
    s, a = spec.signature, spec.algorithm
    own = getattr(a, "matrix_instructions", None)
    if own is not None:  # an algorithm with several products, or with none, defines them itself
        found = own(s)
        return None if found is None else Expected(operand_words(*found[0]), tuple(found[1]))
    read = getattr(s, "dtype_read", None) or (s.dtype_a, s.dtype_b)
    return Expected(operand_words(*read), (tuple(a.warp_tile),))


def fits(instruction: MatrixInstruction, tile: tuple[int, int, int]) -> bool:
    """Return whether this instruction, repeated along k, gives a warp tile (4 x 64 tiles: 16 blocks of 4 x 4).

    >>> fits(MatrixInstruction("mfma", 32, 32, 8, "f16", "f32"), (32, 32, 16))
    True
    """
    m, n, k = tile
    shape = (4, 4) if 4 in (m, n) else (m, n)
    return (instruction.m, instruction.n) == shape and k % instruction.k == 0


def check_matrix(assembly: str, expected: Expected) -> list[str]:
    """Return what is wrong with the matrix instructions of an assembly text; empty if nothing is."""
    counts = matrix_instructions(assembly)
    wanted = " or ".join(expected.operands)
    found = ", ".join(f"{n} x {i}" for i, n in sorted(counts.items())) or "none at all"
    right = [i for i in counts if i.operands in expected.operands]
    foreign = [i for i in counts if i.operands not in expected.operands]
    if not right:
        return [f"no matrix instruction on {wanted} operands was generated; found {found}"]
    faults = []
    if foreign:
        faults.append(f"matrix instructions on other operands than {wanted} were generated: {found}")
    if expected.warp_tiles:
        odd = [i for i in right if not any(fits(i, tile) for tile in expected.warp_tiles)]
        if odd:
            tiles = " and ".join("x".join(map(str, t)) for t in expected.warp_tiles)
            faults.append(f"{odd[0]} is not a part of the warp tile {tiles}; found {found}")
    return faults


def expectation_text(spec: KernelSpec, instances: tuple[str, ...]) -> str:
    """Return the file that says what the inspection expects; it also names the spec."""
    expected = expected_of(spec)
    data = {"spec": spec.to_dict(), "instances": instances, "matrix": asdict(expected) if expected else None}
    return json.dumps(data, indent=1, sort_keys=True) + "\n"


def inspect_build(folder: Path) -> Mapping[str, Any]:
    """Return facts about a finished build for its artifact; raise `BuildError` if it is not the expected kernel."""
    expect = read_json(folder / EXPECT, error=BuildError)
    assembly = (folder / ASSEMBLY).read_text(errors="replace")
    code = folder / CODE
    facts = inspect_code(code.read_bytes(), assembly) if code.is_file() else _assembly_facts(assembly)
    faults = []
    arch = expect["spec"]["arch"]
    if facts["target"].split(":")[0] != arch:
        faults.append(f"it was compiled for {facts['target']}, not for {arch}")
    symbols = {name: _symbol(facts["kernels"], name) for name in expect["instances"]}
    missing = [name for name, symbol in symbols.items() if symbol is None]
    if missing:
        faults.append(f"no device code was emitted for {', '.join(missing)}")
    if expect["matrix"] is not None:
        tiles = tuple(tuple(t) for t in expect["matrix"]["warp_tiles"])
        faults += check_matrix(assembly, Expected(tuple(expect["matrix"]["operands"]), tiles))
    if faults:
        raise BuildError("; ".join(faults), remedy="do not use this kernel: it compiles, but not to what it says")
    return {"code": facts, "symbols": symbols}


def _assembly_facts(assembly: str) -> dict[str, Any]:
    target = re.search(r'\.amdgcn_target\s+"[^"]*--([^"]+)"', assembly)
    names = re.findall(r"^\s+\.amdhsa_kernel\s+(\S+)", assembly, re.MULTILINE)
    counts = matrix_instructions(assembly)
    return {
        "target": target[1] if target else "unknown",
        "kernels": [{"symbol": name} for name in names],
        "matrix": {str(i): n for i, n in sorted(counts.items())},
    }


def _symbol(kernels: list[dict[str, Any]], instance: str) -> str | None:
    """Return the symbol of the kernel whose C++ name ends in `instance`; mangled names have parts with lengths."""
    part = f"{len(instance)}{instance}E"
    return next((k["symbol"] for k in kernels if part in k["symbol"]), None)
