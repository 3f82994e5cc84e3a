"""Cases of the list in C++: one bundle of their kernels, one program that runs all of them, results checked here."""

from __future__ import annotations

import ctypes
import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from contract_data import tensors_of
from contract_run import Prepared, Runner, all_cases
from contract_space import Choice
from contract_targets import SPACES, Target

from tilewright.bundle import make_bundle
from tilewright.ops import get_op

PROGRAM = Path(__file__).with_name("bundle_cases.cpp")
NAME = f"C++ bundle on {platform.machine()}"


def memory_of(x: Any) -> tuple[bytes, int]:
    """Return the bytes that an array spans, and where its first element is among them."""
    if x.size == 0:
        return b"", 0
    low = sum(s * (n - 1) for s, n in zip(x.strides, x.shape, strict=True) if s < 0)
    high = sum(s * (n - 1) for s, n in zip(x.strides, x.shape, strict=True) if s > 0) + x.itemsize
    return ctypes.string_at(x.ctypes.data + low, high - low), -low


def into(x: Any, memory: bytes, first: int) -> None:
    """Write the bytes that an array spans back into it."""
    if x.size:
        ctypes.memmove(x.ctypes.data - first, memory, len(memory))


def problem_text(choice: Choice, op: str) -> str:
    """Return the problem as a bundle reads it."""
    return json.dumps(SPACES[op].problem_of(choice).to_dict())


def run_bundle(cases: list[Any], place: Path) -> list[dict[str, Any]]:
    """Return the rows of these cases; those that no kernel takes, or that need packed weights, are left out."""
    runner = Runner(Target(NAME, "cpu", "", "cpu"))
    prepared = [p for p in map(runner.prepare, cases) if isinstance(p, Prepared)]
    prepared = [p for p in prepared if p.case.choice.get("b_format") != "packed"]
    specs = {p.candidate.spec.digest: p.candidate.spec for p in prepared if p.candidate}
    bundle, folder = place / "bundle", place / "cases"
    make_bundle(list(specs.values()), bundle, settings=runner.dispatcher.settings)
    folder.mkdir()
    arrays = {}
    lines = []
    for p in prepared:
        host = SPACES[p.case.op].problem_of(p.case.choice)
        arrays[p.case.id] = tensors_of(host, p.case.choice, p.case.number)
        for role, x in arrays[p.case.id].items():
            memory, first = memory_of(x)
            (folder / f"{p.case.id}.{role}").write_bytes(first.to_bytes(8, "little", signed=True) + memory)
        lines.append(f"{p.case.id} {problem_text(p.case.choice, p.case.op)}")
    (folder / "cases.txt").write_text("\n".join(lines) + "\n")
    program = place / "bundle_cases"
    sources = [str(PROGRAM), str(bundle / "src" / "tilewright.cpp")]
    subprocess.run(["g++", "-std=c++17", "-O0", f"-I{bundle}/include", *sources, "-o", program, "-ldl"], check=True)
    ran = subprocess.run([str(program), str(bundle), str(folder)], capture_output=True, text=True, check=False)
    said = {line.split()[0]: line.split(" ", 2)[1:] for line in ran.stdout.splitlines()}
    return [_row(p, arrays[p.case.id], folder, said.get(p.case.id, ["crash", ran.stderr[-300:]])) for p in prepared]


def _row(p: Prepared, arrays: dict[str, Any], folder: Path, said: list[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"id": p.case.id, "op": p.case.op, "target": NAME}
    if said[0] != "ok":
        return {**row, "state": said[0], "message": " ".join(said[1:]), "rule": "C++ selection"}
    host, op = SPACES[p.case.op].problem_of(p.case.choice), get_op(p.problem.op)
    for role in op.out_roles(host):
        data = (folder / f"{p.case.id}.{role}").read_bytes()
        into(arrays[role], data[8:], int.from_bytes(data[:8], "little", signed=True))
    # The C++ selection may choose another of the bundled kernels: the coarsest products among them are allowed for.
    with np.errstate(all="ignore"):
        found = op.verify(host, arrays, arrays[op.out_roles(host)[0]], product_error=2.0**-16)
    return {**row, "state": "right" if found.ok else "wrong", "kernel": said[1], "ratio": min(found.ratio, 1e9)}


def main() -> int:
    """Run every fourth case of the list (`--stride N`) and write the rows."""
    stride = int(sys.argv[sys.argv.index("--stride") + 1]) if "--stride" in sys.argv else 4
    out = Path(sys.argv[sys.argv.index("--out") + 1])
    with tempfile.TemporaryDirectory() as place:
        rows = run_bundle(all_cases()[::stride], Path(place))
    out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    bad = [row for row in rows if row["state"] not in ("right", "refused")]
    print(f"{NAME}: {len(rows)} cases, {len(bad)} not right")
    for row in bad:
        print(json.dumps(row))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
