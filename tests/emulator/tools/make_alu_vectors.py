"""Writes data/alu_<family>.json: arithmetic instructions with inputs, and the results that AMD's pseudocode gives.

The pseudocode of AMD's ISA documents is in the `tinygrad` wheel (MIT licence). The wheel is needed only here:

    pip download --no-deps tinygrad==0.14.0 && unzip tinygrad-*.whl -d tinygrad-wheel
    python tests/emulator/tools/make_alu_vectors.py tinygrad-wheel
"""

from __future__ import annotations

import importlib
import json
import random
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
from pseudocode import CannotReadError, Interpreter, Value

DATA = Path(__file__).parent.parent / "data"
FAMILIES = {"cdna": "gfx942", "rdna3": "gfx1100", "rdna4": "gfx1201"}
LANES = 8
LOOSE = ("v_ldexp_f16", "v_ldexp_f32", "v_ldexp_f64")  # the formula overflows where the instruction does not
FORMATS = ("SOP1Op", "SOP2Op", "SOPCOp", "VOP1Op", "VOP2Op", "VOP3Op", "VOP3POp", "VOP3SDOp", "VOPCOp")
INTEGERS = (0, 1, 2, 5, 31, 32, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.75, 1e-3, 65504.0, 1e6, -7e8, float("inf"), float("-inf"), float("nan"))


def operand_bits(code: str, name: str) -> int:
    return 64 if re.search(rf"\b{name}(\.[uifb]64|\[(6[0-3]|[45]\d|3[2-9])\b)", code) else 32


def draw(rng: random.Random, code: str, name: str, bits: int) -> int:
    """A value that suits how the pseudocode reads an operand."""
    types = re.findall(rf"\b{name}(?:\[[^\]]*\])?\.([uifb]\d+)", code)
    ty = rng.choice(types) if types else "u32"
    if ty[0] == "f":
        kind = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[ty]
        x = rng.choice(FLOATS) if rng.random() < 0.4 else rng.uniform(-1, 1) * 10 ** rng.randint(-3, 4)
        with np.errstate(all="ignore"):
            made = [
                int(np.array([v], np.float64).astype(kind).view(f"u{kind().itemsize}")[0])
                for v in (x, rng.uniform(-9, 9))
            ]
        return (
            made[0] | made[1] << 16 if ty == "f16" else made[0] | (made[1] << 32 if bits == 64 and ty == "f32" else 0)
        )
    if rng.random() < 0.3:
        return rng.choice(INTEGERS) | (rng.choice(INTEGERS) << 32 if bits == 64 else 0)
    return rng.getrandbits(rng.choice((8, 16, bits)))


def text_of(name: str, form: str, code: str, wave: int) -> tuple[str, dict[str, tuple[str, int]]] | None:
    """(assembly, operand -> (first register, bits)) of an instruction."""
    opcode = re.sub(r"_e(32|64)$", "", name.lower())
    scalar = form.startswith("SOP") or name.startswith("V_S_")
    letter = "s" if scalar else "v"
    mask = "vcc" if wave == 64 else "vcc_lo"
    places: dict[str, tuple[str, int]] = {}
    texts = []
    for i in range(3):
        if re.search(rf"\bS{i}\b", code):
            bits = operand_bits(code, f"S{i}")
            reg = 2 * i
            places[f"S{i}"] = (f"{letter}{reg}", bits)
            texts.append(f"{letter}{reg}" if bits == 32 else f"{letter}[{reg}:{reg + 1}]")
    if not texts:
        return None
    if form == "SOPCOp":
        return f"{opcode} {', '.join(texts)}", places
    if form == "VOPCOp":
        return (f"{opcode}_e64 {mask}, {', '.join(texts)}", places) if "cmpx" not in opcode else None
    bits = operand_bits(code, "D0")
    places["D0"] = (f"{letter}8", bits)
    destination = f"{letter}8" if bits == 32 else f"{letter}[8:9]"
    carry = "VCC" in code and not scalar
    if carry and "cndmask" in opcode:
        texts.append(mask)
    elif carry and ("_co_" in opcode or opcode.startswith("v_mad_")):
        texts.insert(0, mask)
        if "ci" in opcode.split("_") or re.search(r"addc|subb", opcode):
            texts.append(mask)
    elif carry:
        return None
    return f"{opcode} {destination}, {', '.join(texts)}", places


def vector(
    name: str, form: str, code: str, wave: int, rng: random.Random, others: dict[str, str]
) -> dict[str, Any] | None:
    made = text_of(name, form, code, wave)
    if made is None:
        return None
    text, places = made
    lanes = 1 if form.startswith("SOP") or name.startswith("V_S_") else LANES
    inputs: dict[str, list[int]] = {p: [] for p in places}
    outputs: dict[str, list[int]] = {}
    vcc_in, scc_in = rng.getrandbits(lanes), rng.getrandbits(1)
    vcc_out = 0
    for lane in range(lanes):
        names = {"VCC": Value(vcc_in, "b64"), "SCC": Value(scc_in, "u1"), "laneId": Value(lane, "u32"),
                 "EXEC": Value(-1, "b64"), "WAVE_MODE": Value(0, "u32")}  # fmt: skip
        if form == "VOPCOp":
            names["D0"] = Value(0, "b64")
        for role, (_, bits) in places.items():
            value = draw(rng, code, role, bits)
            inputs[role].append(value)
            names[role] = Value(value, f"b{bits}")
        run = re.sub(r"WAVE_MODE\.\w+", "WAVE_MODE", code)
        Interpreter(run, names, others).run()
        if form == "VOPCOp":
            vcc_out |= names["D0"].bits & 1 << lane
        else:
            vcc_out |= names["VCC"].bits & 1 << lane
            if "D0" in places:
                outputs.setdefault("D0", []).append(names["D0"].bits & ((1 << places["D0"][1]) - 1))
        scc_out = names["SCC"].bits
    found = {
        "text": text,
        "at": {r: [p, b] for r, (p, b) in places.items()},
        "in": inputs,
        "out": outputs,
        "vcc_in": vcc_in,
    }
    if "VCC" in code or form == "VOPCOp":
        found["vcc"] = vcc_out
    if form.startswith("SOP"):
        found["scc_in"], found["scc"] = scc_in, scc_out
    return found


def result_type(code: str) -> str:
    types = re.findall(r"\bD0(?:\[[^\]]*\])?\.([uifb]\d+)", code)
    return types[0] if types else "u32"


def main(wheel: str) -> None:
    """Write the vectors of every family."""
    sys.path[:0] = [wheel, str(Path(__file__).parents[3] / "src")]
    from tilewright.emulator.semantics.registry import handler_of

    for family, arch in FAMILIES.items():
        codes = importlib.import_module(f"tinygrad.runtime.autogen.amd.{family}.str_pcode").PCODE
        others = {re.sub(r"_E(32|64)$", "", k.name): v for k, v in codes.items()}
        rng, found, skipped, seen = random.Random(2025), [], [], set()
        for key, code in codes.items():
            form, opcode = type(key).__name__, re.sub(r"_e(32|64)$", "", key.name.lower())
            if form not in FORMATS or opcode in seen or opcode in LOOSE or handler_of(opcode) is None:
                continue
            try:
                for _ in range(2 if form.startswith("SOP") else 1):
                    made = vector(key.name, form, code, 64 if family == "cdna" else 32, rng, others)
                    if made is not None:
                        made["type"] = result_type(code)
                        found.append(made)
                        seen.add(opcode)
            except (CannotReadError, OverflowError, ValueError, KeyError, IndexError) as error:
                skipped.append(f"{opcode}: {error}")
        note = (
            "Results of the pseudocode of AMD's ISA documents as the tinygrad wheel (MIT licence) holds it;"
            " see tools/make_alu_vectors.py."
        )
        lines = ",\n".join(json.dumps(v) for v in found)
        (DATA / f"alu_{family}.json").write_text(
            f'{{"note": {json.dumps(note)}, "arch": "{arch}", "vectors": [\n{lines}\n]}}\n'
        )
        print(family, len(found), "vectors of", len(seen), "opcodes; skipped", len(skipped))
        print("   ", "; ".join(sorted(set(skipped))))


if __name__ == "__main__":
    main(sys.argv[1])
