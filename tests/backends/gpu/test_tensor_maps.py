"""Tensor maps of a CUDA driver: those of equal tensors are encoded once, and moved."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

from tilewright.backends.gpu.cuda_driver import TENSOR_MAP_BYTES, CudaDriver

META = {"element_bytes": 2, "element_type": 6, "swizzle": 3, "box": [1, 64, 32]}


class Encoder(CudaDriver):
    """A driver without a GPU: a map holds its address, then the numbers that it describes."""

    def __init__(self) -> None:
        self.encoded = 0
        self._maps = {}
        self._lib = SimpleNamespace(cuTensorMapReplaceAddress=self._move)
        self._encode = self._describe

    def make_current(self) -> None:
        pass

    def _describe(self, into: Any, kind: int, rank: int, address: Any, *arrays: Any) -> int:
        self.encoded += 1
        numbers = [n for array in arrays[:4] for n in array]
        found = (ctypes.c_uint32 * (TENSOR_MAP_BYTES // 4 - 2))(*numbers)
        ctypes.memmove(into.value, ctypes.byref(ctypes.c_uint64(address.value)), 8)
        ctypes.memmove(into.value + 8, found, ctypes.sizeof(found))
        return 0

    def _move(self, at: Any, address: Any) -> int:
        ctypes.memmove(at.value, ctypes.byref(ctypes.c_uint64(address.value)), 8)
        return 0

    def map_of(self, address: int, shape: list[int], **more: Any) -> bytes:
        block = ctypes.create_string_buffer(TENSOR_MAP_BYTES)
        strides = [shape[1] * shape[2], shape[2], 1]
        self.encode(ctypes.addressof(block), META, address, shape, strides, **more)
        return block.raw


def test_a_tensor_of_a_known_shape_is_not_encoded_again() -> None:
    driver = Encoder()
    first, second = driver.map_of(1 << 20, [4, 128, 64]), driver.map_of(3 << 20, [4, 128, 64])
    assert driver.encoded == 1
    assert second == Encoder().map_of(3 << 20, [4, 128, 64]) != first
    other = driver.map_of(1 << 20, [8, 128, 64])
    boxed = driver.map_of(1 << 20, [4, 128, 64], box=[2, 32], steps=[1, 2])
    assert driver.encoded == 3
    assert len({first, second, other, boxed}) == 4
