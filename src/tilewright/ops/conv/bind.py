"""The convolution that tensors define: sizes from their shapes, the layout from their strides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import ProblemError, TensorError, plural
from ...model.fields import shown
from ...model.tensor import TensorView, Views
from ..gemm.epilogue import DTensor, Epilogue
from ..tensors import refuse_other_dtype
from .layout import CHANNELS_FIRST, CHANNELS_LAST, dims_of, guess_layout, memory_order
from .parse import pairs, per_dim
from .problem import ConvProblem
from .signature import RESULT
from .tensors import fitted


@dataclass(frozen=True)
class Geometry:
    """Parameters of a convolution that its tensors do not define.

    `size` is the size of a result whose tensor is absent: the spatial one, or the whole shape of that tensor.
    """

    stride: Any = 1
    padding: Any = 0
    dilation: Any = 1
    groups: int = 1
    size: Sequence[int] | None = None
    layout: str | None = None  # given: tensors are in the order of this layout, with the groups as an axis
    channels_last: bool | None = None  # the memory format of tensors in torch's order; None: their strides decide


def problem_of(
    direction: str,
    views: Views,
    geometry: Geometry,
    epilogue: Epilogue | None = None,
    out_dtype: str | None = None,
    split_k: int | None = None,
) -> ConvProblem:
    """Return the problem of these tensors; the result's tensor may be absent. Report every mismatch at once."""
    _check_geometry(geometry)
    result = RESULT[direction]
    missing = [f"{r} is missing" for r in ("input", "weight", "output") if r != result and r not in views]
    if missing:
        raise TensorError.of("convolution tensors", missing)
    refuse_other_dtype(result, views.get(result), out_dtype)
    shapes = {r: _plain_shape(r, v.shape, geometry.layout) for r, v in views.items() if not r.startswith("d")}
    dims = _dims(shapes, geometry.layout)
    sizes, mistakes = _sizes(direction, shapes, geometry, dims)
    layout = geometry.layout or _layout(views, shapes, geometry.channels_last, dims)
    data: dict[str, Any] = {
        "direction": direction, "g": geometry.groups, **sizes, "layout": layout, "split_k": split_k,
        "stride": per_dim(geometry.stride, dims), "dilation": per_dim(geometry.dilation, dims),
        "pad": pairs(geometry.padding, dims), "epilogue": epilogue or Epilogue(), "device": _device(views),
    }  # fmt: skip
    data |= {f"dtype_{r}": v.dtype for r, v in views.items() if r in ("input", "weight", "output")}
    if out_dtype is not None and result not in views:
        data[f"dtype_{result}"] = out_dtype
    data["d"] = tuple(_d_of(views[r]) for r in sorted(r for r in views if r.startswith("d")))
    return fitted(_posed(data, mistakes, geometry.groups), views)


def _check_geometry(geometry: Geometry) -> None:
    """Check what the rest of this module relies on; the problem itself checks strides, paddings and dilations."""
    mistakes = []
    if type(geometry.groups) is not int or geometry.groups < 1:
        mistakes.append(f"groups is {shown(geometry.groups)}; it must be an integer >= 1")
    if isinstance(geometry.padding, str):
        said = "it must be numbers: 0 for 'valid'; filter size // 2 for 'same' if the filter has odd sizes and stride 1"
        mistakes.append(f"padding is {shown(geometry.padding)}; {said}")
    size = geometry.size
    if size is not None and not (isinstance(size, (tuple, list)) and all(type(n) is int for n in size)):
        mistakes.append(f"the size is {shown(size)}; it must be a tuple of integers")
    if geometry.layout is not None and not isinstance(geometry.layout, str):
        mistakes.append(f"layout is {shown(geometry.layout)}; it must be a name")
    if mistakes:
        raise ProblemError.of("convolution", mistakes)


def _posed(data: dict[str, Any], mistakes: list[str], groups: int) -> ConvProblem:
    """Return the problem, or raise one error with the mistakes of the tensors and of the problem."""
    try:
        problem = ConvProblem.from_dict(data)
    except ProblemError as error:
        if not mistakes:
            raise
        mistakes = [*mistakes, error.message]
    if mistakes:
        count = plural(groups, "group")
        remedy = f"images are (n, c, spatial...), and the weight with {count} is (k, c/{groups}, filter...)"
        raise TensorError.of("convolution tensors", mistakes, remedy)
    return problem


def _plain_shape(role: str, shape: tuple[int, ...], layout: str | None) -> tuple[int, ...]:
    """Return torch's shape."""
    if layout is None:
        return shape
    order = memory_order(layout, role)
    if len(shape) != len(order):
        raise TensorError(f"{role} has shape {shape}; layout {layout} has {len(order)} axes", remedy="give all axes")
    e = [shape[order.index(axis)] for axis in range(len(order))]
    return (e[0] * e[1], *e[2:]) if role == "weight" else (e[0], e[1] * e[2], *e[3:])


def _dims(shapes: Mapping[str, tuple[int, ...]], layout: str | None) -> int:
    ranks = {r: len(s) - 2 for r, s in shapes.items()}
    dims = dims_of(layout) if layout else next(iter(ranks.values()))
    wrong = [f"{r} has shape {shapes[r]}" for r, d in ranks.items() if d != dims or d not in CHANNELS_LAST]
    if wrong:
        raise TensorError.of("convolution tensors", wrong, "give (n, c, spatial...), (k, c/g, filter...) of equal rank")
    return dims


def _sizes(
    direction: str, shapes: Mapping[str, tuple[int, ...]], geometry: Geometry, dims: int
) -> tuple[dict[str, Any], list[str]]:
    """Return n, c, k, input and filter, and report contradictions between the given tensors."""
    found: dict[str, dict[str, Any]] = {"n": {}, "c": {}, "k": {}}
    x, w, y = (shapes.get(r) for r in ("input", "weight", "output"))
    if x:
        found["n"]["input"], found["c"]["input"] = x[0], x[1]
    if w:
        found["k"]["weight"], found["c"]["weight"] = w[0], w[1] * geometry.groups
    if y:
        found["n"]["output"], found["k"]["output"] = y[0], y[1]
    sizes = {name: next(iter(said.values())) for name, said in found.items()}
    mistakes = [
        f"{name} is " + ", ".join(f"{size} by {role}" for role, size in said.items())
        for name, said in found.items()
        if any(size != sizes[name] for size in said.values())
    ]
    role = RESULT[direction]
    size, lead = _spatial(role, geometry, dims)
    if size is not None and role in shapes and shapes[role][2:] != size:
        raise TensorError(f"{role} has shape {shapes[role]}, its spatial size was given as {size}")
    want = (sizes["k"], sizes["c"] // geometry.groups) if role == "weight" else (sizes["n"], sizes["c"])
    if lead and lead != want:
        mistakes.append(f"the size of the {role} begins with {lead}, the tensors say {want}")
    spatial = {"input": x[2:] if x else size, "filter": w[2:] if w else size}
    for name, value in spatial.items():
        if value is None or len(value) != dims:
            raise TensorError(
                f"{direction}: the {name} size is {value!r}",
                remedy=f"give its {dims} spatial sizes, or its whole shape",
            )
    return {**sizes, **spatial}, mistakes


def _spatial(role: str, geometry: Geometry, dims: int) -> tuple[tuple[int, ...] | None, tuple[int, ...]]:
    """Return the spatial size that was given for a result, and the sizes before it if the whole shape was given."""
    if geometry.size is None:
        return None, ()
    size = tuple(geometry.size)
    if len(size) == dims + (2 if geometry.layout is None else 3):
        whole = _plain_shape(role, size, geometry.layout)
        return whole[2:], whole[:2]
    return size, ()


def _layout(views: Views, shapes: Mapping[str, tuple[int, ...]], last: bool | None, dims: int) -> str:
    """Return the layout: channels-last or channels-first as it was given, or by the strides; name those that differ."""
    if last is not None:
        return (CHANNELS_LAST if last else CHANNELS_FIRST)[dims]
    said = {}
    for role, shape in shapes.items():
        strides = views[role].strides
        if role == "weight":
            extents, steps = (1, shape[0], *shape[1:]), (0, *strides)
        else:
            extents, steps = (shape[0], 1, *shape[1:]), (strides[0], 0, *strides[1:])
        guess = guess_layout(role, extents, steps)
        if guess:
            said[role] = guess
    if len(set(said.values())) > 1:
        listed = [f"{role} is channels-{kind}" for role, kind in said.items()]
        raise TensorError.of("mixed layouts", listed, "bring all tensors into one memory format")
    return (CHANNELS_FIRST if "first" in said.values() else CHANNELS_LAST)[dims]


def _device(views: Views) -> str:
    return next(iter(views.values())).device


def _d_of(view: TensorView) -> DTensor:
    return DTensor(view.dtype, "row" if len(view.shape) == 1 else "none")
