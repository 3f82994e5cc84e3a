"""Launch built convolutions through the HIP runtime. It has never run on hardware.

CK's own host code makes the argument of the kernels: a library next to the code object, compiled with the C++ library
of the device code. The other choices are those of `tilewright_ck/entry_conv.hpp`.
"""

from __future__ import annotations

import ctypes
from math import ceil, prod
from typing import Any

from ....arch import get_arch
from ....errors import LaunchError
from ....model.dtype import get_dtype
from ....model.kernel import Candidate, KernelSpec
from ....model.tensor import Addresses
from ....ops import get_op
from ....ops.conv.geometry import implicit_gemm, residues
from ....ops.conv.problem import ConvProblem
from ...gpu.stage import GpuStage
from ..arguments import ArgumentLibrary
from ..call import CkKernels, ClearCall, CodeCall
from ..gemm.instances import prefetch_stages, serving_of
from .generate import SECOND_STAGE, instances
from .implicit import gemm_spec

CONVERT_BLOCK = 256  # work items of a block of the second stage


class ConvertArgs(ctypes.Structure):
    """The argument of the second stage, field by field as `tilewright_ck::ConvertArgs`."""

    _fields_ = [("source", ctypes.c_void_p), ("to", ctypes.c_void_p), ("count", ctypes.c_int64)]


def weight_count(problem: ConvProblem) -> int:
    """Return the number of elements of the weight."""
    return problem.c // problem.g * problem.k * prod(problem.filter)


def leaves_gaps(problem: ConvProblem) -> bool:
    """Return whether no tap reaches some pixels of the input, whose gradient CK does not write.

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"n": 1, "c": 8, "k": 8, "input": [8, 8], "dtype": "fp16", "stride": 2}
    >>> one, two = ({"op": "grouped_conv", "direction": "backward_data", **size, "filter": [f, f]} for f in (1, 2))
    >>> leaves_gaps(problem_from_dict(one)), leaves_gaps(problem_from_dict(two))
    (True, False)
    """
    if problem.direction != "backward_data":
        return False
    return any(not r.taps for axis in range(problem.dims) for r in residues(problem, axis))


def input_bytes(problem: ConvProblem) -> int:
    """Return the bytes of the input."""
    return int(problem.n * problem.c * prod(problem.input) * get_dtype(problem.dtype("input")).bytes)


def workspace_bytes(problem: ConvProblem, spec: KernelSpec) -> int:
    """Return bytes of the sums of a two-stage kernel, 0 for any other."""
    return 4 * weight_count(problem) if spec.algorithm.two_stage else 0


def instance_of(spec: KernelSpec, depth: int, split_k: int) -> str:
    """Return the device kernel for an implicit GEMM of this depth."""
    gemm = gemm_spec(spec)
    arch: Any = get_arch(spec.arch)
    stages = prefetch_stages(gemm.algorithm, gemm.signature, arch)
    found = serving_of(instances(spec), ceil(depth / (split_k * spec.algorithm.tile_k)), stages, split_k > 1)
    if found is None:
        raise LaunchError(f"{spec.name} cannot split K", remedy="use split_k 1")
    return found.name


class ConvStage(GpuStage):
    """One convolution of a plan."""

    def __init__(self, candidate: Candidate, problem: ConvProblem, kernels: CkKernels) -> None:
        library = ArgumentLibrary(kernels.spec, kernels.folder)

        def ready(driver: Any, addresses: Addresses, workspace: int) -> list[Any]:
            return launches(kernels, library, driver, problem, candidate.launch.split_k, addresses, workspace)

        super().__init__(kernels, workspace_bytes(problem, candidate.spec), ready)


def launches(
    kernels: CkKernels, library: ArgumentLibrary, driver: Any, problem: ConvProblem, split_k: int,
    addresses: Addresses, workspace: int,
) -> list[Any]:  # fmt: skip
    """Return the launches of one convolution in order: sums of splits, and gradients with gaps, are cleared first; sums
    are converted last.
    """
    spec, op = kernels.spec, get_op("conv")
    arch: Any = get_arch(spec.arch)
    tensors = [addresses["input"], workspace or addresses["weight"], addresses["output"]]
    argument, grid = library.conv(op.sizes(problem), tensors, split_k)
    name = instance_of(spec, implicit_gemm(problem).k, split_k)
    block = arch.wave_size * spec.algorithm.wave_count
    calls: list[Any] = [CodeCall(driver, spec.name, kernels.function(driver, name), grid, block, argument)]
    count = weight_count(problem)
    if split_k > 1:
        size = 4 if workspace else int(get_dtype(problem.dtype("weight")).bytes)
        calls.insert(0, ClearCall(driver, tensors[1], count * size, count * size, 1))
    if leaves_gaps(problem):
        size = input_bytes(problem)
        calls.insert(0, ClearCall(driver, addresses["input"], size, size, 1))
    if workspace:
        args = ConvertArgs(workspace, addresses["weight"], count)
        function = kernels.function(driver, SECOND_STAGE)
        blocks = (ceil(count / CONVERT_BLOCK), 1, 1)
        calls.append(CodeCall(driver, spec.name, function, blocks, CONVERT_BLOCK, bytes(args)))
    return calls
