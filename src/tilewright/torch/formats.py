"""Memory formats of images and filters, as torch's convolutions choose and keep them.

A result is in channels-last memory if the strides of the images, or of the filters, are like those of such memory: also
a slice of channels-last images. In one dimension it is in channels-first memory, always.
"""

from __future__ import annotations

from math import gcd
from typing import Any

import torch

Tensor = torch.Tensor
FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}
VECTOR = 16  # bytes that GPU kernels read at once


def is_last(x: Tensor) -> bool:
    """Return whether channels are nearest to each other in memory, then pixels, then rows, then images.

    Strides decide, also those along dimensions of one element: as torch suggests a memory format.

    >>> image = torch.ones(1, 4, 2, 2).to(memory_format=torch.channels_last)
    >>> is_last(torch.ones(1, 4, 2, 2)), is_last(image), is_last(image.chunk(2, 1)[1])
    (False, True, True)
    """
    strides = x.stride()
    if strides[-1] < strides[1] or not strides[1]:
        return False
    shape, least = x.shape, 0
    for axis in (1, *range(len(strides) - 1, 1, -1), 0):
        step, extent = strides[axis], shape[axis]
        if not extent or step < least or (axis == 0 and least == strides[1]):
            return False
        least = step * extent if extent > 1 else step
    return True


def wants_last(input: Tensor, weight: Tensor) -> bool:
    """Return whether torch's convolution of these tensors, and its gradients, are in channels-last memory.

    >>> x, w = torch.ones(1, 4, 2, 2), torch.ones(3, 4, 1, 1)
    >>> wants_last(x, w), wants_last(x, w.to(memory_format=torch.channels_last)), wants_last(x[0].mT, w[0])
    (False, True, False)
    """
    return input.dim() in FORMATS and (is_last(input) or is_last(weight))


def to_format(x: Tensor, last: bool) -> Tensor:
    """Return `x` in channels-last memory, or in channels-first memory.

    >>> is_last(to_format(torch.ones(1, 2, 2, 2), True))
    True
    """
    if not last:
        return x.contiguous()
    return x.contiguous(memory_format=FORMATS[x.dim()]) if x.dim() in FORMATS else x.mT.contiguous().mT


def like(x: Tensor, other: Tensor) -> Tensor:
    """Return `x` in the memory format of `other`."""
    return to_format(x, is_last(other))


def readable(x: Tensor, last: bool) -> Tensor:
    """Return images as kernels of a memory format read them: a slice stays where it is if they can, else it is copied.

    >>> image = torch.ones(1, 4, 2, 2).to(memory_format=torch.channels_last)
    >>> readable(image[:, 2:], True).stride(), readable(image[:, ::2], True).stride()
    ((16, 1, 8, 4), (8, 1, 4, 2))
    """
    return x if is_readable(x, last) else to_format(x, last)


def is_readable(x: Tensor, last: bool) -> bool:
    """Return whether kernels of a memory format read images where they lie: the pixels may be further apart.

    >>> is_readable(torch.ones(2, 4, 3, 3)[:, :2], False), is_readable(torch.ones(2, 4, 3, 3)[..., :2], False)
    (True, False)
    """
    if not x.numel():
        return False
    if not last:
        return x.is_contiguous() or _is_dense(x)
    return x.stride(1) == 1 and x.shape[1] > 1 and is_last(x) and (not x.is_cuda or _is_aligned(x))


def _is_dense(x: Tensor) -> bool:
    """Return whether each image is dense in channels-first memory, and images do not overlap."""
    strides, step = x.stride(), 1
    for axis in range(x.dim() - 1, 0, -1):
        if x.shape[axis] > 1 and strides[axis] != step:
            return False
        step *= x.shape[axis]
    return bool(strides[0] >= step)


def _is_aligned(x: Tensor) -> bool:
    """Return whether GPU kernels read a slice in pieces as wide as those of a dense copy."""
    dense = gcd(VECTOR, x.shape[1] * x.element_size())
    return gcd(VECTOR, x.data_ptr(), *(step * x.element_size() for i, step in enumerate(x.stride()) if i != 1)) >= dense


def with_extras(given: dict[str, Any], bias: Tensor | None, residual: Tensor | None) -> dict[str, Any]:
    """Return the two operands and the missing result of a call by role, with what its epilogue adds."""
    for extra in (bias, residual):
        if extra is not None:
            given[f"d{len(given) - 3}"] = extra
    return given
