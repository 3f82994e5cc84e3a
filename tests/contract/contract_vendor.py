"""The contract for libraries: `python tests/contract/contract_vendor.py --device cuda:0 --out rows.jsonl`.

Libraries take few of the rows that cover every backend: a value that they refuse comes with most others. Here each pair
of values is put into a plain problem of each float type, which a library takes if it takes the pair at all.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

from contract_run import Case, Runner, report, run_cases
from contract_space import Choice, Space
from contract_targets import SPACES, Target

DTYPES = {
    "gemm": (("dtype_a", "dtype_b", "dtype_out"), ("fp32", "fp64", "fp16", "bf16")),
    "conv": (("dtype_input", "dtype_weight", "dtype_output"), ("fp32", "fp64", "fp16", "bf16")),
    "fmha": (("dtype", "dtype_out"), ("fp32", "fp16", "bf16")),
}


def plain_choices(space: Space) -> Iterator[Choice]:
    """Yield the plain problem of each type that libraries have."""
    names, dtypes = DTYPES[space.op]
    for dtype in dtypes:
        choice = {**space.plain(), **dict.fromkeys(names, dtype)}
        yield {**choice, **({"dtype_acc": "fp64"} if dtype == "fp64" and "dtype_acc" in choice else {})}
    if space.op == "gemm":
        yield {**space.plain(), "dtype_a": "int8", "dtype_b": "int8", "dtype_acc": "int32", "dtype_out": "int32"}


def pair_cases(op: str, place: str = "cpu") -> list[Case]:
    """Return a case for each pair of values of an op's factors, in each plain problem; none twice.

    On GPUs infinities are left out of convolutions: cuDNN gives 0 for -inf in fp16 (docs/vendor.md says so).
    """
    space, found = SPACES[op], dict[str, Case]()
    values = [(f.name, v) for f in space.factors for v in f.values]
    for plain in plain_choices(space):
        for (one, value), (two, other) in itertools.combinations(values, 2):
            if one == two:
                continue
            choice = {**plain, one: value, two: other}
            if place != "cpu" and op == "conv" and choice["data"] == "inf":
                continue
            text = json.dumps(choice, sort_keys=True)
            code = zlib.crc32(text.encode())
            found.setdefault(text, Case(f"{op}-{code:08x}", op, choice, code % 9973))
    return list(found.values())


def main() -> int:
    """Run the pairs that libraries take at a place; return 1 if one is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu", help="cpu, cuda:0")
    parser.add_argument("--ops", default="gemm,conv,fmha")
    parser.add_argument("--stride", type=int, default=1, help="run every n-th case only")
    parser.add_argument("--out", type=Path, default=Path("build/contract_vendor.jsonl"))
    options = parser.parse_args()
    import torch  # noqa: F401  # a library is a candidate if the program has imported it

    runner, rows = Runner(Target(f"vendor {options.device}", "vendor", "", options.device)), []
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("w") as out:
        for op in options.ops.split(","):
            for row in run_cases(runner, pair_cases(op, options.device)[:: options.stride]):
                rows.append(row)
                if row["state"] != "refused":
                    out.write(json.dumps(row) + "\n")
    return report(rows)


if __name__ == "__main__":
    sys.exit(main())
