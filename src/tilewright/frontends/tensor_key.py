"""The key of a tensor: everything about it that decides a plan, read without making a view of it.

That is its type, dtype, shape, strides and device, and how an address on a GPU is aligned. A repeated call finds its
prepared launch by the keys of its tensors.
"""

from __future__ import annotations

from typing import Any

from ..jit.arrays import VECTOR, is_plain_torch, view_of
from ..model.tensor import PackedTensor


def tensor_key(tensor: Any) -> tuple[Any, int] | None:
    """Return (key, address) of a NumPy array, a torch tensor or packed weights; None for any other kind.

    >>> import numpy as np
    >>> tensor_key(np.zeros((2, 3)))[0][2]
    (2, 3)
    """
    kind = type(tensor)
    if kind.__module__ == "numpy":
        interface = tensor.__array_interface__
        address, readonly = interface["data"]
        return (kind, tensor.dtype, tensor.shape, tensor.strides, readonly), address
    if kind.__module__ in ("torch", "torch.nn.parameter") and hasattr(tensor, "data_ptr"):
        if (tensor.requires_grad or tensor.is_neg()) and not is_plain_torch(tensor):
            return None
        try:
            address, shape, strides = tensor.data_ptr(), tensor.shape, tensor.stride()
        except RuntimeError:  # sparse, nested, or of another kind that has no address or sizes
            return None
        if not address and tensor.numel():
            return None  # it lost its memory, or never had any: the whole way says so
        alignment = address & -address & VECTOR - 1 if tensor.is_cuda else 0
        return (kind, tensor.dtype, shape, strides, tensor.device, alignment), address
    if kind is PackedTensor:
        found = tensor_key(tensor.storage)
        return found and ((kind, tensor.format, tensor.dtype, tensor.shape, found[0]), found[1])
    return None


def address_of(tensor: Any) -> int:
    """Return the address of a tensor of any kind.

    >>> import numpy as np
    >>> address_of(np.zeros(4)) % 8
    0
    """
    if type(tensor).__module__ == "torch":
        address: int = tensor.data_ptr()
        return address
    found = tensor_key(tensor)
    return found[1] if found is not None else view_of(tensor).address
