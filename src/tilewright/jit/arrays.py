"""Tensors of any library as `TensorView`s, without copying: NumPy, torch (never imported),
and everything else through DLPack."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

from ..errors import TensorError, UnknownNameError
from ..model.device import full_device_name, how_to_move, memory_of
from ..model.dtype import dtype_of_name, numpy_dtype
from ..model.expr import Expr
from ..model.tensor import TensorView
from .dlpack import gpu_place, gpu_view


def view_of(tensor: Any, role: str = "tensor") -> TensorView:
    """Return address, dtype, shape and strides of `tensor`, which keeps owning its memory.

    >>> import numpy as np
    >>> view_of(np.zeros((2, 3), np.float32)).strides
    (3, 1)
    """
    import numpy as np

    if isinstance(tensor, TensorView):
        return _checked(tensor, role)
    if isinstance(tensor, np.ndarray):
        return _numpy_view(tensor, role)
    if is_torch(tensor):
        return _torch_view(tensor, role)
    if hasattr(tensor, "__dlpack__"):
        return _dlpack_view(tensor, role)
    raise TensorError(
        f"{role} is a {type(tensor).__name__}, which is not a tensor",
        remedy="pass a NumPy array, a torch tensor, or an object with __dlpack__",
    )


def view_at(tensor: Any, role: str, place: str | None) -> TensorView:
    """Return the view of a tensor for a problem at `place`; None: the place of the tensor.

    >>> import numpy as np
    >>> view_at(np.zeros(2), "a", "emu:gfx942").device
    'emu:gfx942'
    """
    view = view_of(tensor, role)
    if place is None:
        return view
    if not isinstance(place, str) or memory_of(full_device_name(place)) != memory_of(view.device):
        raise TensorError(
            f"{role} is on {view.device}, which is not memory of {place!r:.80}",
            remedy="omit device, or " + how_to_move(place if isinstance(place, str) else "cuda:0"),
        )
    return replace(view, device=full_device_name(place))


def as_numpy(tensor: Any) -> Any:
    """Return the tensor as a NumPy array on the host: shared memory if it is already there, a copy from a GPU.

    >>> import numpy as np
    >>> as_numpy(np.ones(2)).sum()
    np.float64(2.0)
    """
    import numpy as np

    if isinstance(tensor, np.ndarray):
        return tensor
    if is_torch(tensor):
        return _torch_to_numpy(tensor.detach().cpu())
    return np.from_dlpack(tensor)


def _checked(view: TensorView, role: str) -> TensorView:
    """Return a view that may have been made by hand; raise `TensorError` if no tensor can be like it."""
    facts = [view.address, *view.shape, *view.strides]
    if any(isinstance(value, Expr) for value in facts):  # our own, of a call whose sizes are traced
        return view
    whole = all(type(value) is int for value in facts) and len(view.shape) == len(view.strides)
    if not whole or min(view.shape, default=0) < 0:
        raise TensorError(
            f"{role} is a view at {view.address!r:.40} of shape {view.shape!r:.80} and strides {view.strides!r:.80}",
            remedy="give whole numbers, a stride for each size, and no negative size",
        )
    if view.misplaced is not None:
        raise TensorError(f"{role} {view.misplaced}", remedy="make the view of a tensor that has its memory")
    return view


def is_masked(array: Any) -> bool:
    """Return whether an array has a mask, which kernels do not read.

    >>> import numpy as np
    >>> is_masked(np.ma.masked_array([1, 2])), is_masked(np.ones(2))
    (True, False)
    """
    masked = sys.modules.get("numpy.ma")  # loading it takes longer than a first call needs for its own modules
    return masked is not None and isinstance(array, masked.MaskedArray)


def _numpy_view(array: Any, role: str) -> TensorView:
    owner = array
    if is_masked(array):
        raise TensorError(
            f"{role} is a masked array, whose mask kernels do not read", remedy="pass array.filled(value)"
        )
    if type(array).__module__ != "numpy":
        import numpy as np

        array = np.asarray(array)  # a subclass may claim anything of itself
    if not array.dtype.isnative:
        raise TensorError(
            f"{role} has the byte order of another machine ({array.dtype})",
            remedy="pass array.astype(array.dtype.newbyteorder('='))",
        )
    dtype = _dtype_of(str(array.dtype), role)
    size = array.itemsize
    if any(s % size for s in array.strides):
        raise TensorError(
            f"{role} has strides {array.strides} bytes for {size}-byte elements",
            remedy="pass a copy: numpy.ascontiguousarray(array)",
        )
    strides = tuple(s // size for s in array.strides)
    address, readonly = array.__array_interface__["data"]
    view = TensorView(address, dtype, array.shape, strides, "cpu", readonly, owner)
    return view if address else _checked(view, role)


def is_torch(tensor: Any) -> bool:
    """Return whether a tensor is one of torch, which is not imported for it; a subclass may be of any module.

    >>> import torch
    >>> is_torch(torch.nn.Parameter(torch.ones(1))), is_torch(torch.ones(1).untyped_storage()), is_torch([1])
    (True, False, False)
    """
    torch = sys.modules.get("torch")  # None if torch must not be imported; without its parts while it is imported
    return isinstance(tensor, getattr(torch, "Tensor", ()))


def has_address(owner: Any) -> bool:
    """Return whether the owner of a view is an array of NumPy or a tensor of torch, which can be asked for its address.

    >>> import numpy as np
    >>> has_address(np.zeros(2)), has_address(None)
    (True, False)
    """
    import numpy as np

    return isinstance(owner, np.ndarray) or is_torch(owner)


def _dtype_of(name: str, role: str) -> str:
    try:
        return dtype_of_name(name)
    except UnknownNameError as error:
        raise UnknownNameError(f"dtype of {role}", name, error.known) from None


def is_plain_torch(tensor: Any) -> bool:
    """Return whether the memory of a torch tensor describes it fully: dense, not conjugated or negated, no gradient.

    >>> import torch
    >>> x = torch.ones(2)
    >>> is_plain_torch(x), is_plain_torch(x.to_sparse()), is_plain_torch(x.requires_grad_())
    (True, False, False)
    """
    if (tensor.requires_grad and sys.modules["torch"].is_grad_enabled()) or tensor.is_nested:
        return False
    return tensor.layout is sys.modules["torch"].strided and not tensor.is_neg()


def _torch_view(tensor: Any, role: str) -> TensorView:
    if not is_plain_torch(tensor):
        raise _not_plain(tensor, role)
    dtype = _dtype_of(str(tensor.dtype).removeprefix("torch."), role)
    shape, strides = tuple(tensor.shape), tuple(tensor.stride())
    traced = type(tensor).__name__ == "FakeTensor"  # reading its address would raise a warning
    try:
        address = 0 if traced else tensor.data_ptr()
    except RuntimeError:  # a wrapper of a transform
        address = 0
    if not address and tensor.numel():
        raise TensorError(
            f"{role} has no memory: it is a {type(tensor).__name__} on {tensor.device}",
            remedy="pass a tensor with data; under tracing use the operators of tilewright.torch",
        )
    return TensorView(address, dtype, shape, strides, str(tensor.device), False, tensor)


def _not_plain(tensor: Any, role: str) -> TensorError:
    if tensor.is_nested:
        return TensorError(
            f"{role} is a nested tensor, whose rows have different sizes", remedy="pass to_padded_tensor(value)"
        )
    if tensor.requires_grad:
        return TensorError(
            f"{role} requires a gradient, which this call would not record",
            remedy="use an operator of tilewright.torch, call under torch.no_grad(), or pass detach()",
        )
    if tensor.is_neg():
        return TensorError(f"{role} is a negated view of its memory", remedy="pass resolve_neg()")
    return TensorError(f"{role} has layout {tensor.layout}; it must be strided", remedy="pass to_dense()")


def _torch_to_numpy(tensor: Any) -> Any:
    """Return a torch tensor as a NumPy array; bfloat16 and 8-bit floats, which NumPy lacks, go through integers."""
    import torch

    dtype = numpy_dtype(dtype_of_name(str(tensor.dtype).removeprefix("torch.")))
    carrier = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize]
    return tensor.view(carrier).numpy().view(dtype)


def _dlpack_view(tensor: Any, role: str) -> TensorView:
    import numpy as np

    try:
        place = gpu_place(tensor)
        if place is not None:
            return _checked(gpu_view(tensor, role, place), role)
        array = np.from_dlpack(tensor)
    except TensorError:
        raise
    except Exception as error:  # the methods of the other library may raise anything
        raise TensorError(
            f"{role} ({type(tensor).__name__}) cannot be shared through DLPack: {type(error).__name__}: {error}",
            remedy="pass a torch tensor or NumPy array for GPU memory, bfloat16 or 8-bit floats",
        ) from error
    return _numpy_view(array, role)
