"""From a problem and its tensors to kernel parameters: grid, strides, descriptors, workspace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ....model.dtype import get_dtype
from ....model.kernel import KernelSpec, Launch
from ....model.tensor import Addresses
from ....ops.gemm.problem import GemmProblem
from ....ops.gemm.prologue import with_tensor
from ...gpu.call import by_number
from ..pipelines import Arguments
from .algorithm import TritonGemm, stage_block, view_of
from .operands import Operand, ceil_div, kernel_sizes, matrices, seen_by_kernel
from .pipelines import pipeline_of

ALIGNMENT = 256
STRIDES = tuple((*(f"{name}_strides.{i}" for i in range(3)), f"{name}_batch") for name in ("a", "b", "out", "residual"))


class Geometry(NamedTuple):
    """How a launch is cut into programs.

    `whole` tiles are computed by one program each; the others are shared along K, with `slots` partial sums per
    program. `partial_bytes` and `counter_bytes` are what sharing needs.
    """

    tiles: int
    steps: int
    programs: int
    whole: int
    slots: int
    splits: int
    partial_bytes: int
    counter_bytes: int


def tile_count(problem: GemmProblem, algorithm: TritonGemm) -> int:
    """Tiles of the whole problem, all batches; a cluster has one for each of its programs."""
    m, n = kernel_sizes(problem, algorithm)
    rows = ceil_div(m, algorithm.tile_m * algorithm.cluster) * algorithm.cluster
    if problem.groups:  # as many as groups of any length can have
        rows = min(m, m // algorithm.tile_m + problem.groups)
    return rows * ceil_div(n, algorithm.tile_n) * problem.batch


def _room(algorithm: TritonGemm, units: int) -> int:
    """Programs that run at a time; a cluster stays within a part of the GPU, which has 16 or 18 units on sm_90."""
    if algorithm.cluster == 1:
        return units * algorithm.blocks_per_unit
    even = 2 if algorithm.cluster == 2 else 16
    return max(algorithm.cluster, units // even * even)


def geometry(problem: GemmProblem, algorithm: TritonGemm, launch: Launch, units: int) -> Geometry:
    """Return the programs of one launch on a GPU with `units` multiprocessors.

    >>> p = GemmProblem.from_dict({"m": 128, "n": 256, "k": 1024, "dtype": "fp16"})
    >>> geometry(p, TritonGemm(split=True), Launch(split_k=4), 132).programs
    8
    """
    tiles = tile_count(problem, algorithm)
    steps = ceil_div(problem.k, algorithm.tile_k)
    slots, splits = 1, launch.split_k
    if algorithm.order == "abreast":
        return _abreast(problem, algorithm, launch, units, tiles, steps)
    resident = min(tiles, _room(algorithm, units)) if pipeline_of(algorithm).stays else tiles
    after = algorithm.split and algorithm.reduce == "after"
    if algorithm.split and launch.grid and not after:
        programs = min(launch.grid[0], tiles * steps)
        left = tiles % programs
        # One wave more than the remainder is shared, so that every share is at least a whole tile long.
        whole = tiles if left == 0 else max(0, tiles - left - programs)
        slots, splits = 2, 1
    elif after or (algorithm.split and splits > 1):
        programs, whole = tiles * splits, 0
    else:
        programs, whole, splits = resident, tiles, 1
    shared = tiles - whole
    acc = 4 * algorithm.tile_m * algorithm.tile_n
    partial = programs * slots * acc if shared else 0
    return Geometry(tiles, steps, programs, whole, slots, splits, partial, 4 * shared)


def _abreast(
    problem: GemmProblem, algorithm: TritonGemm, launch: Launch, units: int, tiles: int, steps: int
) -> Geometry:
    """Return the programs of columns of tiles that are shared along K; `whole` counts tiles of one column."""
    columns = ceil_div(kernel_sizes(problem, algorithm)[1], algorithm.tile_n)
    rows = tiles // columns
    room = launch.grid[0] if launch.grid else _room(algorithm, units)
    programs = max(1, min(room // columns, rows * steps))
    left = rows % programs
    whole = rows if left == 0 else max(0, rows - left - programs)
    shared = (rows - whole) * columns
    partial = programs * columns * 2 * 4 * algorithm.tile_m * algorithm.tile_n if shared else 0
    return Geometry(tiles, steps, programs * columns, whole, 2, 1, partial, 4 * shared)


@dataclass(frozen=True)
class Copy:
    """An operand that is copied before the product: rows on M or N, columns on K; `line` elements per row after it."""

    role: str
    source: Operand
    line: int
    offset: int
    bytes: int

    def target(self, workspace: int) -> Operand:
        """Return the copy, as the problem has the operand. One matrix that the whole batch shares is copied once."""
        rows, cols = self.source.shape
        far = rows * self.line if self.source.strides[0] else 0
        copied = Operand(workspace + self.offset, (far, self.line, 1), (rows, cols), self.source.dtype)
        return copied if self.role == "a" else copied.transposed()


def copies(problem: GemmProblem, algorithm: TritonGemm, addresses: Addresses, offset: int) -> list[Copy]:
    """The copies of a staged kernel, laid out from `offset` of the workspace on; operands that fit are left alone."""
    found: list[Copy] = []
    if algorithm.operands != "staged" or problem.k == 0:
        return found
    sources = matrices(problem, addresses)
    for role in ("a", "b"):
        x = sources[role]
        source = x if role == "a" else x.transposed()
        if _takes_tma(source, problem.batch, problem.alignment.get(role, 16)):
            continue
        size = int(get_dtype(x.dtype).bytes)
        rows, cols = source.shape
        line = ceil_div(cols * size, 128) * 128 // size
        batches = problem.batch if x.strides[0] else 1
        room = ceil_div(batches * rows * line * size, ALIGNMENT) * ALIGNMENT
        found.append(Copy(role, source, line, offset, room))
        offset += room
    return found


def _takes_tma(x: Operand, batch: int, pointer: int) -> bool:
    """Return whether a K-contiguous operand (columns on K) is read well through a tensor map as it is.

    A tensor map needs strides of 16 bytes, and not 0 for rows; rows that do not begin on a cache line of 128 bytes are
    read at half speed.
    """
    size = int(get_dtype(x.dtype).bytes)
    if x.shape[0] > 1 and x.strides[1] == 0:
        return False
    far, line = (x.strides[0] if batch > 1 else 0), (x.strides[1] if x.shape[0] > 1 else 0)
    return x.strides[2] == 1 and far * size % 16 == 0 and line * size % 128 == 0 and pointer >= 16


def copy_values(found: list[Copy], problem: GemmProblem, workspace: int) -> tuple[tuple[int, int, int], Arguments, int]:
    """Return (grid, parameter values, alignment in bytes) of the kernel that makes these copies."""
    block_rows, block_cols = stage_block(problem.signature)
    args: Arguments = {"cols": problem.k}
    blocks, width = 0, 16
    for role in ("a", "b"):
        copy = next((c for c in found if c.role == role), None)
        args.update({f"{role}_src": 0, f"{role}_dst": 0, f"{role}_line": 0, f"{role}_rows": 0, f"{role}_batches": 0})
        args.update({f"{role}_strides.{i}": 0 for i in range(3)})
        if copy is None:
            continue
        strides, rows = copy.source.strides, copy.source.shape[0]
        args |= by_number(f"{role}_strides", strides)
        args.update({f"{role}_src": copy.source.address, f"{role}_dst": workspace + copy.offset,
                     f"{role}_line": copy.line, f"{role}_rows": rows,
                     f"{role}_batches": problem.batch if strides[0] else 1})  # fmt: skip
        blocks += ceil_div(rows, block_rows) * ceil_div(problem.k, block_cols)
        size = int(get_dtype(copy.source.dtype).bytes)
        steps = [s for s in strides if s != 1]
        whole = all(s * size % 16 == 0 for s in steps) and copy.source.address % 16 == 0
        width = 16 if width == 16 and whole and problem.k * size % 16 == 0 else 1
    return (blocks, problem.batch, 1), args, width


def epilogue_values(problem: GemmProblem, algorithm: TritonGemm, addresses: Addresses) -> Arguments:
    """Values of the `epilogue` argument."""
    first, second = ("scale_b", "scale_a") if algorithm.swap_ab else ("scale_a", "scale_b")
    values: Arguments = {
        "epilogue.0": problem.epilogue.alpha,
        "epilogue.1": problem.epilogue.beta,
        "epilogue.2": addresses.get(first, 0),
        "epilogue.3": addresses.get(second, 0),
    }
    for i in range(len(problem.d)):
        batch, row, col = problem.stride(f"d{i}")
        values[f"epilogue.4.{i}"] = addresses[f"d{i}"]
        strides = (batch, col, row) if algorithm.swap_ab else (batch, row, col)
        values.update({f"epilogue.5.{i}.{j}": s for j, s in enumerate(strides)})
    for i, role in enumerate((first, second)):
        if getattr(problem, role) == "block":
            _, row, col = problem.stride(role)
            # The factors of A lie as (row, block of k), those of B as (block of k, block of columns).
            values[f"epilogue.6.{i}.0"], values[f"epilogue.6.{i}.1"] = (row, col) if role == "scale_a" else (col, row)
        else:
            values[f"epilogue.6.{i}.0"] = values[f"epilogue.6.{i}.1"] = 0
    return values


def prologue_values(problem: GemmProblem, addresses: Addresses) -> Arguments:
    """Values of the `prologue` argument: pointers and strides of the tensors of A, then of B."""
    values: Arguments = {}
    for first, name, steps in ((0, "a", problem.prologue_a), (2, "b", problem.prologue_b)):
        for i in range(len(with_tensor(steps))):
            role = f"{name}{i + 1}"
            values[f"prologue.{first}.{i}"] = addresses[role]
            values.update({f"prologue.{first + 1}.{i}.{j}": s for j, s in enumerate(problem.stride(role))})
    return values


def values(
    spec: KernelSpec, problem: GemmProblem, launch: Launch, units: int, addresses: Addresses, workspace: int = 0
) -> tuple[tuple[int, int, int], Arguments]:
    """(grid, parameter values) of the product; `workspace` holds the counters, the partial sums, then the copies."""
    algorithm: TritonGemm = spec.algorithm
    view, shape = view_of(spec.signature, algorithm), geometry(problem, algorithm, launch, units)
    found = matrices(problem, addresses)
    found.update({c.role: c.target(workspace) for c in copies(problem, algorithm, addresses, _shared_bytes(shape))})
    seen = seen_by_kernel(found, algorithm, pipeline_of(algorithm).residual(spec))
    a, b, out = seen[:3]
    m, n = kernel_sizes(problem, algorithm)
    args: Arguments = {"M": m, "N": n, "K": problem.k, "batches": problem.batch, "a_ptr": a.address,
                            "b_ptr": b.address, "out_ptr": out.address}  # fmt: skip
    for (far, row, col, batch), x in zip(STRIDES, seen, strict=False):  # not every kernel has the last one
        args[far], args[row], args[col] = x.strides
        args[batch] = int(problem.batch > 1 and x.strides[0] != 0)
    args.update(pipeline_of(algorithm).maps(problem, algorithm, view, seen))
    if algorithm.split:
        counters = ceil_div(shape.counter_bytes, ALIGNMENT) * ALIGNMENT
        args.update(partials=workspace + counters, counters=workspace, whole=shape.whole, slots=shape.slots,
                    splits=shape.splits)  # fmt: skip
    if problem.groups:
        args.update(ends=addresses["ends"], groups=problem.groups)
    args.update(epilogue_values(problem, algorithm, addresses))
    args.update(prologue_values(problem, addresses))
    return (shape.programs, 1, 1), args


def _shared_bytes(shape: Geometry) -> int:
    """Return what sharing tiles along K takes: the counters, then the partial sums."""
    return ceil_div(shape.counter_bytes, ALIGNMENT) * ALIGNMENT + ceil_div(shape.partial_bytes, ALIGNMENT) * ALIGNMENT


def workspace_bytes(problem: GemmProblem, algorithm: TritonGemm, launch: Launch, units: int) -> int:
    """Device memory that one launch needs besides its tensors (zeroed once; every launch leaves the counters zero)."""
    shared = _shared_bytes(geometry(problem, algorithm, launch, units))
    none = {"a": 0, "b": 0, "out": 0}
    return shared + sum(c.bytes for c in copies(problem, algorithm, none, 0))
