"""Arm's own GEMM kernels on shapes that reach every edge of a register tile: odd, exact, empty and strided ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from foreign_cases import Case

from tilewright.arch import get_nominal_devices
from tilewright.backends import get_backend_op
from tilewright.model.arch import CpuArch
from tilewright.model.kernel import Candidate
from tilewright.model.kernel_set import listed
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry

# The sets with kernels of Arm alone: on which levels each is tried, and with which dtypes.
SETS: dict[str, dict[str, tuple[str, ...]]] = {
    "cpu_gemm_lanes": {"aarch64": ("fp32",)},
    "cpu_gemm_sve": {"aarch64_sve": ("fp32",)},
    "cpu_gemm_sve512": {"aarch64_sve512": ("fp32",)},
    "cpu_gemm_dot": {
        "aarch64_dot": ("int8",),
        "aarch64_sve": ("int8",),
        "aarch64_sve512": ("int8",),
        "aarch64_mm": ("bf16",),
    },
    "cpu_gemm_mm": {"aarch64_mm": ("int8", "bf16", "fp8", "bf8_fnuz")},
}
LAYOUTS = ("rrr", "rcr", "crr", "ccr")


def shapes(mr: int, nr: int) -> Iterator[dict[str, Any]]:
    """Yield the shapes that a register tile of mr x nr is tried on."""
    yield {"m": 1, "n": 1, "k": 1}
    yield {"m": 2 * mr, "n": 3 * nr, "k": 64}  # whole tiles, stored in place
    yield {"m": 3 * mr - 1, "n": 2 * nr + 3, "k": 37, "batch": 2}
    yield {"m": mr + 1, "n": nr - 1, "k": 0}
    yield {"m": 0, "n": nr, "k": 5}
    yield {"m": mr + 3, "n": nr + 1, "k": 23, "strides": {"a": [101, 3], "b": [2, 131], "out": [1, 64]}}


def arm_cases(arch: CpuArch) -> list[Case]:
    """Return every kernel of the sets for this level, each on every shape; layouts and threads take turns."""
    registry, device = default_registry(["cpu"]), get_nominal_devices(arch.name)[0]
    found: list[Case] = []
    for kernel_set in get_backend_op("cpu", "gemm").default_sets():
        dtypes = SETS.get(kernel_set.name, {}).get(arch.name, ())
        for number, (fields, dtype) in enumerate((f, d) for f in kernel_set.algorithms for d in dtypes):
            mr, nr = (listed(fields[name], ())[0] for name in ("mr", "nr"))
            out = "int32" if dtype == "int8" else "fp32"
            base = {"op": "gemm", "dtype": dtype, "dtype_out": out, "layout": LAYOUTS[number % len(LAYOUTS)]}
            for shape in shapes(mr, nr):
                problem = problem_from_dict({**base, **shape})
                legal = [c for c in registry.legal(problem, device) if _is(c, fields)]
                if legal:  # a strided B is not read in place, many rows are not skinny
                    launch = replace(legal[-1].launch, threads=1 + len(found) % 2, grid=())
                    found.append(Case(problem, Candidate(legal[-1].spec, launch)))
    return found


def _is(candidate: Candidate, fields: dict[str, Any]) -> bool:
    algorithm = candidate.spec.algorithm
    return all(getattr(algorithm, name) == listed(value, ())[0] for name, value in fields.items())
