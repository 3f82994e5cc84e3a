"""Tensors as torch's functions take them, over the memory of the caller: never a copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

from ...jit.arrays import is_torch
from ...jit.launcher import array_over
from ...model.device import memory_of
from ...model.dtype import get_dtype
from ...model.tensor import TensorView, Views
from .shared_settings import torch_precision, torch_threads

Layout = tuple[tuple[int, ...], tuple[int, ...]]  # shape and strides
EXACT = "highest"  # torch's name of fp32 products in fp32
NUMPY_DTYPES = ("fp64", "fp32", "fp16", "int32", "int8")  # that NumPy itself has


def torch_dtype(torch: Any, dtype: str) -> Any:
    """Return torch's dtype of that name."""
    return getattr(torch, get_dtype(dtype).numpy or "")


def tensor_over(torch: Any, view: TensorView, layout: Layout) -> Any:
    """Return a tensor of torch over the memory of a view, with another shape and other strides."""
    shape, strides = layout
    if is_torch(view.owner):
        owner = view.owner.detach()
        first = owner.storage_offset() + (view.address - owner.data_ptr()) // owner.element_size()
        return owner.as_strided(shape, strides, first)
    if memory_of(view.device) != "cpu":
        return torch.from_dlpack(view.owner).as_strided(shape, strides)
    array = array_over(replace(view, shape=shape, strides=strides))
    if not array.flags.writeable:  # torch has no read-only tensors, and warns of them; nothing writes to this one
        array = array_over(replace(view, shape=shape, strides=strides, readonly=False))
    return torch.from_numpy(array.view(f"i{array.itemsize}")).view(torch_dtype(torch, view.dtype))


class Guard:
    """The settings of torch under which a call computes what the problem says.

    Autocast changes no dtype, fp32 is not replaced by a narrower type, `threads` threads compute (0: as torch is set),
    and tensors of torch's inference mode can be written. Nothing is set if all that holds: setting takes longer than a
    small product.
    """

    def __init__(self, torch: Any, place: str, threads: int, fp32: bool) -> None:
        self._torch, self._kind = torch, memory_of(place).partition(":")[0]
        self._threads, self._fp32 = threads if self._kind == "cpu" else 0, fp32
        self._precision, self._count = torch_precision(torch), torch_threads(torch)

    def run(self, compute: Callable[..., None], tensors: Sequence[Any]) -> None:
        """Compute on tensors that need no gradient."""
        torch = self._torch
        if (
            torch.is_autocast_enabled(self._kind)
            or (self._fp32 and self._precision.differs(EXACT))
            or (self._threads and self._count.differs(self._threads))
            or any(t.is_inference() for t in tensors)
        ):
            with self._set():
                compute(*tensors)
        else:
            compute(*tensors)

    @contextmanager
    def _set(self) -> Iterator[None]:
        torch = self._torch
        cast = torch.is_autocast_enabled(self._kind)
        with (
            self._count.at(self._threads) if self._threads else nullcontext(),
            self._precision.at(EXACT) if self._fp32 else nullcontext(),
            torch.inference_mode(),
            torch.autocast(self._kind, enabled=False) if cast else nullcontext(),
        ):
            yield


class TensorCall:
    """A call on tensors that look like those it was made for: `run_tensors` takes them in role order."""

    is_library = True  # not a kernel of the C launcher

    def __init__(
        self, compute: Callable[..., None], views: Sequence[TensorView], layouts: Sequence[Layout], guard: Guard,
        of_numpy: Any,
    ) -> None:  # fmt: skip
        self._compute, self._layouts, self._guard, self._of_numpy = compute, layouts, guard, of_numpy
        self._same = [_is_as_owner(view, layout) for view, layout in zip(views, layouts, strict=True)]

    def run_tensors(self, *tensors: Any) -> None:
        """Compute on these tensors of torch, or arrays of NumPy."""
        given = tensors if self._of_numpy is None else [self._of_numpy(t) for t in tensors]
        fitted = [
            t if same else t.detach().as_strided(*layout, t.storage_offset())
            for t, layout, same in zip(given, self._layouts, self._same, strict=True)
        ]
        self._guard.run(self._compute, fitted)


def tensor_call(
    torch: Any,
    views: Views,
    layouts: Mapping[str, Layout],
    compute: Callable[..., None],
    guard: Guard,
) -> TensorCall | None:
    """Return a call on tensors like those of `views`: all of torch, or all writable arrays of NumPy; else None."""
    owners = [view.owner for view in views.values()]
    at_start = all(_address(owner) == view.address for owner, view in zip(owners, views.values(), strict=True))
    wanted = [torch_dtype(torch, view.dtype) for view in views.values()]
    ordered = [layouts[role] for role in views]
    if at_start and all(map(is_torch, owners)):
        same = all(owner.dtype is dtype for owner, dtype in zip(owners, wanted, strict=True))
        return TensorCall(compute, [*views.values()], ordered, guard, None) if same else None
    plain = all(view.dtype in NUMPY_DTYPES and min(view.strides, default=0) >= 0 for view in views.values())
    if at_start and plain and all(hasattr(o, "ctypes") and o.flags.writeable for o in owners):
        return TensorCall(compute, [*views.values()], ordered, guard, torch.from_numpy)
    return None


def _is_as_owner(view: TensorView, layout: Layout) -> bool:
    """Return whether the tensor behind a view has a layout already; tensors that look like it have it too."""
    owner = view.owner
    if is_torch(owner):
        return (tuple(owner.shape), owner.stride()) == layout and not owner.requires_grad
    return (owner.shape, tuple(s // owner.itemsize for s in owner.strides)) == layout


def _address(tensor: Any) -> int:
    if is_torch(tensor):
        return int(tensor.data_ptr())
    return int(tensor.ctypes.data) if hasattr(tensor, "ctypes") else 0


def dense(shape: Sequence[int], strides: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Return strides in which axes of extent 1 have those of a dense tensor; `order` has the slowest axis first.

    >>> dense((1, 5), (3, 1), (0, 1))
    (5, 1)
    """
    found, step = list(strides), 1
    for axis in reversed(order):
        if shape[axis] == 1:
            found[axis] = step
        step = max(step, found[axis] * shape[axis])
    return tuple(found)


def on_stream(torch: Any, place: str, stream: Any) -> Any:
    """Return a context in which torch works on `stream`; the current one if None."""
    if memory_of(place) == "cpu" or stream is None:
        return nullcontext()
    raw = getattr(stream, "cuda_stream", stream)
    return torch.cuda.stream(torch.cuda.ExternalStream(int(raw), device=memory_of(place)))
