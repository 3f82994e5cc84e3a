"""Rules that all vendor kernels share: where the library is, and whether the program has loaded it."""

from __future__ import annotations

from typing import Any

from ...model.arch import CpuArch
from ...model.rule import Broken, Subject, broken, rule
from .libraries import loaded_torch, numpy_blas

PLAIN_ACTIVATIONS = ("none", "relu", "relu6")  # rounding before or after them gives the same number
WIDE = ("fp32", "fp64")  # types in which a step after the product rounds no more than the product itself


@rule("vendor.library", "semantic", "the library is there: torch is imported by the program; NumPy has a known BLAS")
def library(s: Subject[Any]) -> Broken | None:
    """Refuse a library that the program does not use: importing torch takes seconds and memory."""
    if s.spec.algorithm.library != "blas":
        return broken("this program has not imported torch", "import torch first") if loaded_torch() is None else None
    if not isinstance(s.arch, CpuArch):
        return broken(f"NumPy's BLAS computes on CPUs, not on {s.arch.name}", "use torch", arch=s.arch.name)
    found = numpy_blas()
    return broken(found, "use torch") if isinstance(found, str) else None


@rule("vendor.place", "problem", "tensors are where the library computes: cpu, or cuda (NVIDIA's, or AMD's in torch)")
def place(s: Subject[Any]) -> Broken | None:
    """Refuse tensors of an emulated GPU, and host tensors for a GPU's library."""
    want = "cpu" if isinstance(s.arch, CpuArch) else "cuda"
    kind = s.problem.device.partition(":")[0]
    if kind != want:
        return broken(f"tensors are on {s.problem.device}; the library computes on {want}", "", got=kind, need=want)
    return None


def usual_accumulator(got: str, need: str) -> Broken | None:
    """Return the refusal of an accumulator that no library has."""
    return broken(f"the accumulator is {got}; libraries add in {need}", "", got=got, need=need) if got != need else None
