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
    if s.algorithm.library != "blas":
        return (
            broken("this program has not imported torch", "import torch in the program that calls it")
            if loaded_torch() is None
            else None
        )
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


@rule("vendor.gpu_dtypes", "semantic", "on GPUs: fp16 or bf16, with which libraries were run there and compared")
def gpu_dtypes(s: Subject[Any]) -> Broken | None:
    """Refuse other types on GPUs: cuDNN gives wrong results for fp64 by channels, 8 bits have limits of their own."""
    g = s.signature
    if isinstance(s.arch, CpuArch):
        return None
    got = next(getattr(g, name) for name in ("dtype_a", "dtype_input", "dtype") if hasattr(g, name))
    return None if got in ("fp16", "bf16") else broken(f"{got} on {s.arch.name}", "use fp16 or bf16", dtype=got)


def usual_accumulator(got: str, need: str) -> Broken | None:
    """Return the refusal of an accumulator that no library has."""
    return broken(f"the accumulator is {got}; libraries add in {need}", "", got=got, need=need) if got != need else None
