"""Tensors of a GEMM: the problem they define, whether they fit it, and new random ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import ProblemError, TensorError
from ...model.fields import shown
from ...model.layout import letter_of
from ...model.problem import refitted
from ...model.summation import ANY
from ...model.tensor import PackedTensor, TensorView, Views
from ..tensors import alignment_classes, drawn, mismatches_of, poison, refuse_other_dtype, strided_zeros
from .epilogue import PAIRS, DTensor, Epilogue
from .groups import groups_of, random_ends
from .problem import INDEX_ROLES, GemmProblem, usual_accumulator, usual_out
from .prologue import PrologueStep
from .signature import SCALE_BLOCK

MAX_DIMENSIONS = 3  # of a matrix role: (batch, rows, columns)


def problem_of(
    views: Views,
    *,
    epilogue: Epilogue,
    out_dtype: str | None = None,
    split_k: int | None = None,
    packed: PackedTensor | None = None,
    scale_block: int = SCALE_BLOCK,
    summation: str = ANY,
    prologue_a: Sequence[str] = (),
    prologue_b: Sequence[str] = (),
) -> GemmProblem:
    """Return the problem of these tensors; `out` may be absent. Report every mismatch at once.

    Prologues are the ops of their steps; the tensors of those are a1, a2, ... and b1, b2, ...
    """
    missing = [f"{r} is missing" for r in ("a", "b") if r not in views]
    if missing:
        raise TensorError.of("gemm tensors", missing)
    if type(scale_block) is not int or scale_block < 1:
        raise ProblemError(f"scale_block is {shown(scale_block)}; it must be an integer >= 1")
    a = views["a"]
    b_shape = packed.shape if packed else views["b"].shape
    groups, ends = 0, views.get("ends")
    if ends is not None:
        groups = groups_of(a.shape, b_shape, ends)
    mistakes = _shape_mistakes(a.shape, b_shape)
    if mistakes:
        raise TensorError.of("gemm tensors", mistakes, "A must be [.., m, k] and B [.., k, n]")
    (m, k), n, batch = a.shape[-2:], b_shape[-1], 1 if groups else _batch(a.shape, b_shape)
    b_dtype = packed.dtype if packed else views["b"].dtype
    blocks = -(-k // scale_block)
    shapes = {"scale_a": (m, (m, blocks)), "scale_b": (n, (blocks, -(-n // scale_block)))}
    scaled = {r: _scale_kind(views.get(r), *shape, r) for r, shape in shapes.items()}
    d = tuple(_d_of(views[r], m, n, r) for r in sorted(v for v in views if v[0] == "d" and v[1:].isdigit()))
    out = views.get("out")
    refuse_other_dtype("out", out, out_dtype)
    dtype_out = out.dtype if out else out_dtype or usual_out(a.dtype, any(s != "none" for s in scaled.values()))
    strides = {
        r: _strides_of(r, views[r], groups if groups and r == "b" else batch, scaled.get(r))
        for r in views
        if r != "ends" and not (packed and r == "b")
    }
    letters = [letter_of(strides["a"], m, k), packed.letter if packed else letter_of(strides["b"], k, n)]
    letters.append(letter_of(strides["out"], m, n) if out else "r")
    return GemmProblem(
        m, n, k, a.dtype, b_dtype, dtype_out, usual_accumulator(a.dtype), batch, "".join(letters),
        scaled["scale_a"], scaled["scale_b"], epilogue, d, packed.format if packed else "plain", split_k,
        strides, alignment_classes(views, a.device), a.device, scale_block, summation, groups,
        _prologue(views, "a", prologue_a, m, k), _prologue(views, "b", prologue_b, k, n),
    )  # fmt: skip


def fitted(problem: GemmProblem, views: Views) -> GemmProblem:
    """Return the problem with the strides and pointer alignments of `views`; packed weights keep their own order."""
    packed = [r for r in problem.roles if r == "b" and problem.b_format != "plain"]
    plain = [r for r in problem.roles if r in views and r not in packed and r != "ends"]
    scaled = {"scale_a": problem.scale_a, "scale_b": problem.scale_b}
    strides = {r: _strides_of(r, views[r], problem.matrices(r), scaled.get(r)) for r in plain}
    made = refitted(
        problem, ("roles", "signature"), strides=strides, alignment=alignment_classes(views, problem.device)
    )
    made.check_addresses([r for r in strides if strides[r] != problem.strides.get(r)])
    return made


def mismatches(problem: GemmProblem, views: Views) -> list[str]:
    """Return every mismatch of `views` and `problem`: roles, dtypes, shapes, strides, device, overlap, writability."""
    packed = problem.b_format != "plain"  # a packed B has its own description

    def dtype(role: str) -> str:
        return views[role].dtype if packed and role == "b" else problem.dtype(role)

    return mismatches_of(problem, views, dtype, _fit, ("out",), may_alias(problem), INDEX_ROLES)


def _fit(problem: GemmProblem, role: str, view: TensorView) -> list[str]:
    shape, count = problem.shape(role), problem.matrices(role)
    if role == "ends":
        fits = view.shape == shape and (view.strides == (1,) or problem.groups == 1)
        return [] if fits else [f"ends has shape {view.shape}, strides {view.strides}; it needs {shape}, dense"]
    if role == "b" and problem.b_format != "plain":
        is_plain = view.shape[-2:] == shape and len(view.shape) == (2 if problem.batch == 1 else 3)
        return [f"b is a plain matrix, the problem needs it packed as {problem.b_format}"] if is_plain else []
    if role.startswith("scale"):
        return _factor_mistakes(problem, role, view) if len(shape) == 1 else _block_mistakes(problem, role, view)
    found = too_many_dimensions(role, view.shape)
    if found:
        return found
    got = view.shape[-2:] if len(view.shape) >= 2 else (1, *view.shape)
    lead = view.shape[0] if len(view.shape) == MAX_DIMENSIONS else 1
    if got != shape or lead not in (1, count) or (role == "out" and lead != count):
        batch = f"{count}, " if count != 1 else ""
        return [f"{role} has shape {view.shape}, the problem needs ({batch}{shape[0]}, {shape[1]})"]
    got_strides, want = matrix_strides(view, count), problem.stride(role)
    extents = (count, *shape)  # one matrix for a batch has a batch stride of 0, and so must the problem
    differing = [i for i in range(3) if extents[i] > 1 and got_strides[i] != want[i]]
    if differing and 0 not in extents:
        return [f"{role} has strides {got_strides} (batch, row, col), the problem says {want}"]
    return []


def _factor_mistakes(problem: GemmProblem, role: str, view: TensorView) -> list[str]:
    """Return what is wrong with one factor, or with those of rows or columns."""
    (count,) = problem.shape(role)
    if _elements(view.shape) != count:
        return [f"{role} has shape {view.shape}, needs {count} values"]
    if _is_spread(view):
        return [_spread(role, view, count)]
    got, want = _step(view), problem.strides.get(role, (1, 0, 0))[0]
    if count > 1 and got != want:
        return [f"{role} has a stride of {got}, the problem says {want}"]
    if count > 1 and got != 1 and problem.device != "cpu":
        return [f"{role} has a stride of {got}; kernels on a GPU need it dense: pass a contiguous copy"]
    return []


def _block_mistakes(problem: GemmProblem, role: str, view: TensorView) -> list[str]:
    shape, want = problem.shape(role), problem.stride(role)[1:]
    if view.shape != shape:
        return [f"{role} has shape {view.shape}, the problem needs one factor per block: {shape}"]
    differs = any(n > 1 and got != step for n, got, step in zip(shape, view.strides, want, strict=True))
    return [f"{role} has strides {view.strides}, the problem says {want}"] if differs and 0 not in shape else []


def _is_spread(view: TensorView) -> bool:
    """Return whether the values lie along several dimensions, which one stride does not describe."""
    return sum(1 for n in view.shape if n > 1) > 1


def _spread(role: str, view: TensorView, count: int) -> str:
    return f"{role} has shape {view.shape}: its factors lie along more than one dimension; reshape it to ({count},)"


def _step(view: TensorView) -> int:
    """Return the stride of the dimension that the values lie along; 1 if there is at most one value."""
    return next((step for n, step in zip(view.shape, view.strides, strict=True) if n > 1), 1)


def may_alias(problem: GemmProblem) -> dict[str, str]:
    """Return the D operands, which may be accumulated in place."""
    return {f"d{i}": "out" for i in range(len(problem.d))}


def too_many_dimensions(role: str, shape: Sequence[int]) -> list[str]:
    """Return what is wrong with the dimensions of a matrix role: only the first of three is one of a batch.

    >>> too_many_dimensions("d0", (1, 6, 8, 8))
    ['d0 has shape (1, 6, 8, 8) of 4 dimensions; it may have 3: reshape it to (batch, rows, columns)']
    """
    if len(shape) <= MAX_DIMENSIONS:
        return []
    return [
        f"{role} has shape {tuple(shape)} of {len(shape)} dimensions; it may have {MAX_DIMENSIONS}: "
        "reshape it to (batch, rows, columns)"
    ]


def matrix_strides(view: TensorView, batch: int) -> tuple[int, int, int]:
    """Return (batch, row, col) strides of a vector (one row), a matrix, or a stack of matrices."""
    if len(view.shape) < 2:
        return (0, 0, view.strides[-1] if view.strides else 0)
    stacked = batch > 1 and len(view.shape) > 2 and view.shape[0] > 1
    return (view.strides[0] if stacked else 0, view.strides[-2], view.strides[-1])


def _strides_of(role: str, view: TensorView, batch: int, scale: str | None) -> tuple[int, int, int]:
    """Return the strides of a role; `scale` is the kind of its factors, None for a matrix."""
    if scale is None:
        return matrix_strides(view, batch)
    return (0, *view.strides) if scale == "block" and len(view.strides) == 2 else (_step(view), 0, 0)


def _shape_mistakes(a: Sequence[int], b: Sequence[int]) -> list[str]:
    found = [
        f"{r} has shape {tuple(s)}; it needs 2 or 3 dimensions" for r, s in (("a", a), ("b", b)) if len(s) not in (2, 3)
    ]
    if not found and a[-1] != b[-2]:
        found.append(f"a has k = {a[-1]} columns but b has k = {b[-2]} rows")
    if not found and len(a) == 3 and len(b) == 3 and a[0] != b[0] and 1 not in (a[0], b[0]):
        found.append(f"a has batch {a[0]} but b has batch {b[0]}")
    return found


def _batch(a: Sequence[int], b: Sequence[int]) -> int:
    lead = [s[0] for s in (a, b) if len(s) == 3]
    sizes = [n for n in lead if n != 1]
    return sizes[0] if sizes else 1


def _scale_kind(view: TensorView | None, extent: int, blocks: tuple[int, int], role: str) -> str:
    if view is None:
        return "none"
    count = _elements(view.shape)
    if count == 1:
        return "tensor"
    if view.shape == blocks and len(view.shape) == 2 and (count != extent or 1 not in view.shape):
        return "block"
    if count == extent:
        if _is_spread(view):
            raise TensorError(_spread(role, view, extent))
        return "row"
    raise TensorError(
        f"{role} has shape {view.shape}; it needs 1 value (per tensor), {extent} (per row) or {blocks} (per block)"
    )


def _d_of(view: TensorView, m: int, n: int, role: str) -> DTensor:
    shape = view.shape[-2:] if len(view.shape) >= 2 else (1, *view.shape)
    for want, broadcast in (((m, n), "none"), ((1, n), "row"), ((m, 1), "col")):
        if shape == want:
            return DTensor(view.dtype, broadcast)
    raise TensorError(f"{role} has shape {view.shape}; it must be ({m}, {n}), ({n},) per column or ({m}, 1) per row")


def _prologue(views: Views, role: str, ops: Sequence[str], rows: int, columns: int) -> tuple[PrologueStep, ...]:
    """Return the steps of an operand; those that combine take the tensors in order."""
    found, number = list[PrologueStep](), 0
    for op in ops:
        if op not in PAIRS:
            found.append(PrologueStep(op))
            continue
        number += 1
        d = _d_of(views[f"{role}{number}"], rows, columns, f"{role}{number}")
        found.append(PrologueStep(op, d.dtype, d.broadcast))
    return tuple(found)


def _elements(shape: Sequence[int]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


def random_tensors(problem: GemmProblem, seed: int) -> dict[str, Any]:
    """Return new tensors of every role, with the problem's layout and strides; `out` has a poison value."""
    rng = np.random.default_rng(seed)
    tensors: dict[str, Any] = {}
    for role in problem.roles:
        dtype = problem.dtype(role)
        if role == "ends":
            tensors[role] = random_ends(problem, rng)
            continue
        if role.startswith("scale"):
            shape = problem.shape(role)
            steps = problem.stride(role)[1:] if len(shape) == 2 else problem.strides.get(role, (1, 0, 0))[:1]
            tensors[role] = strided_zeros(shape, steps, dtype)
            tensors[role][...] = rng.uniform(0.5, 1.5, shape)
            continue
        view = strided_zeros((problem.matrices(role), *problem.shape(role)), problem.stride(role), dtype)
        view[...] = poison(dtype) if role == "out" else drawn(rng, view.shape, dtype)
        tensors[role] = view[0] if problem.batch == 1 and not (role == "b" and problem.groups) else view
    return tensors
