"""Launch built GEMM kernels through the HIP runtime. It has never run on hardware.

It makes the same choices as `tilewright_ck/entry.hpp` in C++: the device kernel for a depth, the grid, the leading
strides, and clearing an output that splits of K add to.
"""

from __future__ import annotations

import ctypes
from math import ceil
from typing import Any

from ....arch import get_arch
from ....model.dtype import get_dtype
from ....model.kernel import Candidate, Launch
from ....model.tensor import Addresses
from ....ops.gemm.problem import GemmProblem
from ....ops.gemm.prologue import MAX_OPERANDS
from ...gpu.stage import GpuStage
from ..call import CkKernels, ClearCall, CodeCall
from .algorithm import CkTileGemm
from .geometry import threads
from .instances import instance_of
from .multi_abd import more_addresses

MAX_D = 8


class GemmArgs(ctypes.Structure):
    """The kernel argument, field by field as `tilewright_ck::GemmArgs`.

    >>> ctypes.sizeof(GemmArgs)
    152
    """

    _fields_ = [
        ("a", ctypes.c_void_p),
        ("b", ctypes.c_void_p),
        ("d", ctypes.c_void_p * MAX_D),
        ("out", ctypes.c_void_p),
        *((name, ctypes.c_int32) for name in ("m", "n", "k", "stride_a", "stride_b")),
        ("stride_d", ctypes.c_int32 * MAX_D),
        ("stride_out", ctypes.c_int32),
        ("split_k", ctypes.c_int32),
    ]


class BatchedGemmArgs(ctypes.Structure):
    """The argument of the batched kernel, field by field as `tilewright_ck::BatchedGemmArgs`.

    >>> ctypes.sizeof(BatchedGemmArgs), BatchedGemmArgs.far_a.offset == ctypes.sizeof(GemmArgs)
    (168, True)
    """

    # The gap is what aligns the size of the product's argument.
    _fields_ = [
        *GemmArgs._fields_,
        *((name, ctypes.c_int32) for name in ("gap", "far_a", "far_b", "far_out", "batch")),
    ]


class ContractionArgs(ctypes.Structure):
    """The argument of a batch with D operands, field by field as `tilewright_ck::ContractionArgs`.

    >>> ctypes.sizeof(ContractionArgs)
    200
    """

    _fields_ = [*BatchedGemmArgs._fields_, ("far_d", ctypes.c_int32 * MAX_D)]


class QuantGemmArgs(ctypes.Structure):
    """The argument of the kernel with scales, field by field as CK's `QuantGemmKernelArgs`.

    >>> ctypes.sizeof(QuantGemmArgs)
    88
    """

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("a", "b", "scale_a", "scale_b", "out")),
        *((name, ctypes.c_int32) for name in ("m", "n", "k", "groups_a", "groups_b", "stride_a", "stride_b")),
        *((name, ctypes.c_int32) for name in ("stride_out", "stride_scale_a", "stride_scale_b", "split_k")),
    ]


class MultiAbdArgs(ctypes.Structure):
    """The argument of kernels with prologues, field by field as `tilewright_ck::MultiAbdArgs`.

    >>> ctypes.sizeof(MultiAbdArgs)
    200
    """

    _fields_ = [*GemmArgs._fields_, *((name, ctypes.c_void_p * MAX_OPERANDS) for name in ("more_a", "more_b"))]


ARGUMENTS: dict[str, Any] = {"batched": BatchedGemmArgs, "quant": QuantGemmArgs}  # others: GemmArgs


def leading(problem: GemmProblem, role: str, letter: str) -> int:
    """Return the stride of the dimension that is not contiguous: 0 for the one that a D operand repeats.

    That of a single row (or column) may be any number. CK takes it for the length of the matrix, behind which nothing
    is stored, so it is the row's own length.

    >>> bias = {"dtype": "fp16", "broadcast": "row"}
    >>> problem = GemmProblem.from_dict({"m": 4, "n": 8, "k": 2, "dtype": "fp16", "d": [bias]})
    >>> leading(problem, "out", "r"), leading(problem, "d0", "r")
    (8, 0)
    >>> one = GemmProblem.from_dict({"m": 1, "n": 8, "k": 2, "dtype": "fp16", "strides": {"out": [0, 1, 1]}})
    >>> leading(one, "out", "r")
    8
    """
    if problem.repeats(role):
        return 0
    rows, columns = problem.shape(role)
    _, row, col = problem.stride(role)
    if letter == "r":
        return row if rows > 1 else columns
    return col if columns > 1 else rows


def argument_values(problem: GemmProblem, launch: Launch, addresses: Addresses) -> dict[str, Any]:
    """Return the fields of the kernel argument of one launch, in the order of `GemmArgs`; D operands as lists."""
    a, b, out = tuple(problem.layout[:3])
    rest = [0] * (MAX_D - len(problem.d))
    return {
        "a": addresses["a"],
        "b": addresses["b"],
        "d": [*(addresses[f"d{i}"] for i in range(len(problem.d))), *rest],
        "out": addresses["out"],
        "m": problem.m,
        "n": problem.n,
        "k": problem.k,
        "stride_a": leading(problem, "a", a),
        "stride_b": problem.k if problem.b_format != "plain" else leading(problem, "b", b),
        "stride_d": [*(leading(problem, f"d{i}", out) for i in range(len(problem.d))), *rest],
        "stride_out": leading(problem, "out", out),
        "split_k": launch.split_k,
    }


def family_values(family: str, problem: GemmProblem, launch: Launch, addresses: Addresses) -> dict[str, Any]:
    """Return the fields of the argument of a family's kernel, in their order."""
    values = argument_values(problem, launch, addresses)
    if problem.has_prologue:
        return {**values, **more_addresses(problem, addresses)}
    if family == "batched":
        far = {f"far_{role}": problem.stride(role)[0] for role in ("a", "b", "out")}
        far_d = [problem.stride(f"d{i}")[0] for i in range(len(problem.d))]
        more = {"far_d": [*far_d, *([0] * (MAX_D - len(far_d)))]} if far_d else {}
        return {**values, "gap": 0, **far, "batch": problem.batch, **more}
    if family != "quant":
        return values
    groups_a = problem.shape("scale_a")[1] if problem.scale_a == "block" else 1
    groups_b = problem.shape("scale_b")[0] if problem.scale_b == "block" else 1
    return {
        "a": values["a"],
        "b": values["b"],
        "scale_a": addresses["scale_a"] if problem.scale_a != "none" else 0,
        "scale_b": addresses["scale_b"] if problem.scale_b != "none" else 0,
        "out": values["out"],
        "m": problem.m,
        "n": problem.n,
        "k": problem.k,
        "groups_a": groups_a,
        "groups_b": groups_b,
        "stride_a": values["stride_a"],
        "stride_b": values["stride_b"],
        "stride_out": values["stride_out"],
        "stride_scale_a": leading(problem, "scale_a", "r") if problem.scale_a == "block" else 1,
        "stride_scale_b": leading(problem, "scale_b", "c") if problem.scale_b == "block" else 1,
        "split_k": 1,
    }


def arguments(family: str, problem: GemmProblem, launch: Launch, addresses: Addresses) -> Any:
    """Return the kernel argument of one launch."""
    args = MultiAbdArgs() if problem.has_prologue else ARGUMENTS.get(family, GemmArgs)()
    if family == "batched" and problem.d:
        args = ContractionArgs()
    for name, value in family_values(family, problem, launch, addresses).items():
        if isinstance(value, list):
            getattr(args, name)[:] = value
        else:
            setattr(args, name, value)
    return args


def tiles_of(problem: GemmProblem, algorithm: CkTileGemm) -> int:
    """Return the tiles of the output."""
    return ceil(problem.m / algorithm.tile_m) * ceil(problem.n / algorithm.tile_n)


def cleared_rows(problem: GemmProblem) -> tuple[int, int, int]:
    """Return (bytes between rows, bytes of a row, rows) of an output that splits of K add to."""
    row_major = problem.layout[2] == "r"
    rows, columns = (problem.m, problem.n) if row_major else (problem.n, problem.m)
    size = int(get_dtype(problem.dtype_out).bytes)
    return leading(problem, "out", problem.layout[2]) * size, columns * size, rows


def clears(driver: Any, problem: GemmProblem, out: int) -> list[ClearCall]:
    """Return what zeroes the outputs that splits of K add to."""
    far = int(problem.stride("out")[0] * get_dtype(problem.dtype_out).bytes)
    return [ClearCall(driver, out + i * far, *cleared_rows(problem)) for i in range(problem.batch)]


class GemmStage(GpuStage):
    """One GEMM of a plan. The product needs no workspace."""

    def __init__(self, candidate: Candidate, problem: GemmProblem, kernels: CkKernels) -> None:
        instance = instance_of(candidate.spec, problem.k, candidate.launch.split_k).name

        def ready(driver: Any, addresses: Addresses, workspace: int) -> list[Any]:
            return launches(kernels, driver, problem, candidate.launch, instance, addresses)

        super().__init__(kernels, 0, ready)


def launches(
    kernels: CkKernels, driver: Any, problem: GemmProblem, launch: Launch, instance: str, addresses: Addresses
) -> list[Any]:
    """Return the launches of one product in order: an output that splits add to is cleared first."""
    algorithm, split_k = kernels.spec.algorithm, launch.split_k
    args = arguments(algorithm.family, problem, launch, addresses)
    function = kernels.function(driver, instance)
    arch: Any = get_arch(kernels.spec.arch)
    block = threads(algorithm, arch)
    tiles = tiles_of(problem, algorithm)
    grid = (tiles, problem.batch, split_k)
    if algorithm.persistent:
        resident = launch.grid[0] if launch.grid else driver.units() * max(1, driver.blocks_per_unit(function, block))
        grid = (min(resident, tiles * split_k), 1, 1)
    product = CodeCall(driver, kernels.spec.name, function, grid, block, bytes(args))
    return [product] if split_k == 1 else [*clears(driver, problem, addresses["out"]), product]
