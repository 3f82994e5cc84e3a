"""The times of libraries in `benchmarks/results` as measurements of vendor kernels, for a store.

    python benchmarks/fit/vendor_rows.py --out benchmarks/data/vendor.parquet
    tilewright data import benchmarks/data/vendor.parquet

A row has the device of our own measurements of that time (`benchmarks/data`), a nominal build key, since the version of
the library was not noted, and one sample: the time that was kept. To selection they are times of another version: they
replace predicted times of the library, and a contest may still decide otherwise. Problems that no vendor kernel
computes as one call are left out.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from fit_vendor_cost import rows

from tilewright.arch import get_arch
from tilewright.backends import get_backend_op
from tilewright.backends.vendor.op import library_key
from tilewright.model.arch import CpuArch
from tilewright.model.kernel import KernelSpec
from tilewright.store import read_rows, write_rows
from tilewright.store.measurement import Measurement

DATA = Path(__file__).parents[1] / "data"
# The file of our own measurements that has the device of an arch.
DEVICES = {"sm_90": "gemm_h200", "aarch64_dot": "gemm_cpu_n1", "x86_64_amx": "gemm_cpu"}
NOTED = "version not noted"


def devices() -> dict[str, Any]:
    """Return the device that was measured, by arch; of a CPU that with one thread."""
    found = {}
    for arch, name in DEVICES.items():
        of_file = (row.device for row in read_rows(DATA / f"{name}.parquet"))
        found[arch] = next(d for d in of_file if arch == "sm_90" or d.get("threads", 1) == 1)
    return found


def measurements() -> Iterator[Measurement]:
    """Yield one measurement of a vendor kernel for each problem, library and device; the least time counts."""
    import torch  # noqa: F401  (its kernels are refused by a rule if the program has not imported it)

    known, least = devices(), dict[tuple[str, str], tuple[Any, KernelSpec, float]]()
    for key, found, seconds in rows():
        op, library, arch = key.split("/")[:3]
        if arch not in known or (op == "conv" and library == "cudnn"):  # of a convolution, torch chose the library
            continue
        on_cpu = isinstance(get_arch(arch), CpuArch)
        problem = found if on_cpu else replace(found, device="cuda:0")
        vendor = get_backend_op("vendor", op)
        spec = KernelSpec(op, "vendor", arch, problem.signature, vendor.algorithm(library=library))
        if vendor.check(spec, get_arch(arch), problem):
            continue
        place = (problem.tuning_key, spec.digest)
        if place not in least or seconds < least[place][2]:
            least[place] = problem, spec, seconds
    for problem, spec, seconds in least.values():
        yield Measurement(
            problem.to_dict(), problem.tuning_key, spec.to_dict(), spec.digest, {}, library_key(spec.digest, NOTED),
            known[spec.arch], samples=(seconds,), toolchain=f"{spec.algorithm.library}, {NOTED}",
            run="benchmarks/results",
        )  # fmt: skip


def main() -> None:
    """Write the rows, and print how many there are of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=DATA / "vendor.parquet")
    args = parser.parse_args()
    made = list(measurements())
    kinds = Counter((m.spec["arch"], m.spec["op"], m.toolchain.split(",")[0]) for m in made)
    for (arch, op, library), count in sorted(kinds.items()):
        print(f"{arch:12} {op:5} {library:10} {count:5}")
    print(f"{args.out}: {write_rows(made, args.out)} rows")


if __name__ == "__main__":
    main()
