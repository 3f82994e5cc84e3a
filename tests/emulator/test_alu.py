"""Arithmetic instructions against the pseudocode of AMD's ISA documents (see tools/make_alu_vectors.py)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from one_instruction import Bench  # isort: skip

DATA = Path(__file__).parent / "data"
FAMILIES = ("cdna", "rdna3", "rdna4")
# The documents give formulas; hardware and NumPy may differ in the last bits.
APPROXIMATE = ("rcp", "rsq", "sqrt", "exp", "log", "sin", "cos", "mad", "mac", "dot2", "fract", "ldexp")


def vectors(family: str) -> list[dict[str, Any]]:
    return json.loads((DATA / f"alu_{family}.json").read_text())["vectors"]


def opcode(vector: dict[str, Any]) -> str:
    return vector["text"].split()[0].removesuffix("_e64")


def outcome(bench: Bench, number: int, vector: dict[str, Any]) -> tuple[dict[str, list[int]], int, int]:
    """(destination values, lane mask, condition code) that the emulator gives."""
    lanes = len(next(iter(vector["in"].values())))
    registers: dict[str, dict[int, Any]] = {"v": {}, "s": {}}
    for role, (place, bits) in vector["at"].items():
        values = np.array(vector["in"][role], np.uint64)
        register = int(place[1:])
        for word in range(bits // 32):
            part = ((values >> np.uint64(32 * word)) & np.uint64(0xFFFFFFFF)).astype(np.uint32)
            wide = np.zeros(bench.kernel.wave_size, np.uint32)
            wide[:lanes] = part
            registers[place[0]][register + word] = wide if place[0] == "v" else int(part[0])
    registers["s"][106], registers["s"][107] = vector["vcc_in"], 0
    st = bench.run(
        number,
        registers["v"],
        registers["s"],
        bool(vector.get("scc_in")),
        execution=(1 << 64 if lanes == 1 else 1 << lanes) - 1,
    )
    found = {}
    if "D0" in vector["out"]:
        place, bits = vector["at"]["D0"]
        register = int(place[1:])
        rows = [st.v[register + w][0] if place[0] == "v" else st.s[register + w] for w in range(bits // 32)]
        found["D0"] = [sum(int(r[lane]) << 32 * w for w, r in enumerate(rows)) for lane in range(lanes)]
    return found, int(st.scalars[0, 106]) & ((1 << lanes) - 1), int(st.scc[0])


def as_numbers(values: list[int], ty: str, bits: int) -> Any:
    kind = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[ty]
    return np.array(values, np.uint64).astype(f"u{bits // 8}").view(kind)


def same(vector: dict[str, Any], got: list[int], want: list[int]) -> bool:
    ty, bits = vector["type"], vector["at"]["D0"][1]
    if re.match(r"v_pk_\w+_f16 ", vector["text"]):
        ty = "f16"  # of which two are written: the sign of a NaN is the host's
    if ty.endswith("16") and "_pk_" not in vector["text"]:  # the other half is not part of the result
        got, want = ([x & 0xFFFF for x in v] for v in (got, want))
        bits = 16
    if got == want:
        return True
    if ty not in ("f16", "f32", "f64"):
        return False
    a, b = as_numbers(got, ty, bits), as_numbers(want, ty, bits)
    zeros = (np.signbit(a) == np.signbit(b)) | ("rndne" in vector["text"])  # the formula makes 0 of -0.25
    close = ((a == b) & zeros) | (np.isnan(a) & np.isnan(b))
    if any(f"_{name}_" in vector["text"] for name in APPROXIMATE):
        with np.errstate(all="ignore"):
            ulp = np.spacing(np.abs(b))
            close |= np.abs(a.astype(np.float64) - b) <= 2 * ulp
    return bool(close.all())


@pytest.mark.parametrize("family", FAMILIES)
def test_instructions_do_what_the_pseudocode_says(family: str) -> None:
    data = json.loads((DATA / f"alu_{family}.json").read_text())
    bench, wrong = Bench(data["arch"], [v["text"] for v in data["vectors"]]), []
    for number, vector in enumerate(data["vectors"]):
        found, vcc, scc = outcome(bench, number, vector)
        good = "D0" not in found or same(vector, found["D0"], vector["out"]["D0"])
        if "vcc" in vector:
            good = good and vcc == vector["vcc"]
        if "scc" in vector:
            good = good and scc == vector["scc"]
        if not good:
            want = (vector["out"], vector.get("vcc"), vector.get("scc"))
            wrong.append(f"{vector['text']}: {vector['in']} gave {(found, vcc, scc)}, not {want}")
    assert not wrong, f"{len(wrong)} of {len(data['vectors'])}:\n" + "\n".join(wrong)


@pytest.mark.parametrize("family", FAMILIES)
def test_there_are_enough_instructions(family: str) -> None:
    assert len({opcode(v) for v in vectors(family)}) >= 200
