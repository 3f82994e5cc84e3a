"""Convolutions that take a detour on a GPU, because the kernels for their own layout are slow.

Images in channels-first memory are converted to channels-last memory and back: kernels that read channels-first memory
take 10 to 30 times as long as those two copies and the convolution (Whisper's two layers: 2.5 ms, 0.1 ms). A
convolution whose filters do not overlap, as in the patches of ViT, is a product of the patches and the filters.
"""

from __future__ import annotations

from math import prod
from typing import Any

import torch

from .formats import is_last, to_format, wants_last
from .op_conv import conv_by_kernel
from .op_linear import linear_by_kernel

Tensor = torch.Tensor
LEAST_PATCH = 256  # numbers of a patch; smaller filters have kernels of their own


def detour(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int
) -> Tensor | None:
    """Return the convolution of images on a GPU by a detour, with gradients; None if there is none."""
    if input.dim() != weight.dim():
        return None
    if is_patches(input, weight, stride, padding, dilation, groups):
        return by_patches(input, weight, bias)
    if wants_last(input, weight) or input.shape[1] == 1 or prod(input.shape[2:]) == 1:
        return None
    return by_channels_last(input, weight, bias, stride, padding, dilation, groups)


def is_first(input: Tensor) -> bool:
    """Return whether images lie in channels-first memory and in no other.

    >>> is_first(torch.ones(1, 2, 4)), is_first(torch.ones(1, 1, 4)), is_first(torch.ones(1, 2, 1))
    (True, False, False)
    """
    return not is_last(input) and input.shape[1] > 1 and prod(input.shape[2:]) > 1


def by_channels_last(input: Tensor, weight: Tensor, bias: Tensor | None, *geometry: Any) -> Tensor:
    """Return the convolution in channels-first memory, computed in channels-last memory.

    >>> by_channels_last(torch.ones(1, 2, 4), torch.ones(3, 2, 2), None, 1, 0, 1, 1).stride()
    (9, 3, 1)
    """
    return conv_by_kernel(to_format(input, True), to_format(weight, True), bias, *(*geometry, True)).contiguous()


def is_patches(input: Tensor, weight: Tensor, stride: Any, padding: Any, dilation: Any, groups: int) -> bool:
    """Return whether filters cut the images into patches, of numbers of channels that kernels read one by one.

    >>> image, filters = torch.ones(1, 3, 32, 32), torch.ones(8, 3, 16, 16)
    >>> is_patches(image, filters, (16, 16), (0, 0), (1, 1), 1), is_patches(image, filters, 8, 0, 1, 1)
    (True, False)
    """
    sides, dims = tuple(weight.shape[2:]), weight.dim() - 2
    if groups != 1 or weight.shape[1] % 8 == 0 or prod(weight.shape[1:]) < LEAST_PATCH:
        return False
    every = {name: (value,) * dims if type(value) is int else tuple(value) for name, value in
             (("stride", stride), ("padding", padding), ("dilation", dilation))}  # fmt: skip
    whole = all(extent % side == 0 for extent, side in zip(input.shape[2:], sides, strict=True))
    return whole and every["stride"] == sides and not any(every["padding"]) and set(every["dilation"]) == {1}


def by_patches(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return the convolution of patches as one product; the result is in the memory format of torch's.

    >>> by_patches(torch.ones(1, 1, 4, 4), torch.ones(2, 1, 2, 2), None)[0, 1].tolist()
    [[4.0, 4.0], [4.0, 4.0]]
    """
    last, sides, dims = is_last(input), weight.shape[2:], weight.dim() - 2
    counts = [extent // side for extent, side in zip(input.shape[2:], sides, strict=True)]
    split = [n for pair in zip(counts, sides, strict=True) for n in pair]
    cut = input.reshape(*input.shape[:2], *split)  # images, channels, then a count and a side for each dimension
    places, inside = [2 + 2 * i for i in range(dims)], [3 + 2 * i for i in range(dims)]
    order = [0, *places, *inside, 1] if last else [0, *places, 1, *inside]
    rows = cut.permute(order).reshape(input.shape[0], prod(counts), -1)
    filters = weight.permute(0, *range(2, dims + 2), 1) if last else weight
    found = linear_by_kernel(rows, filters.reshape(weight.shape[0], -1), bias)
    images = found.transpose(1, 2).reshape(input.shape[0], weight.shape[0], *counts)
    return to_format(images, wants_last(input, weight))
