"""Tensor maps of a CUDA driver: those of equal tensors are encoded once, and moved."""

from __future__ import annotations

import ctypes
import os
from types import SimpleNamespace
from typing import Any

from tilewright.backends.gpu.cuda_driver import TENSOR_MAP_BYTES, CudaDriver

META = {"element_bytes": 2, "element_type": 6, "swizzle": 3, "box": [1, 64, 32]}


class Encoder(CudaDriver):
    """A driver without a GPU: a map holds its address, then the numbers that it describes."""

    def __init__(self) -> None:
        self.encoded = 0
        self.pid = os.getpid()
        self._maps = {}
        self._lib = SimpleNamespace(cuTensorMapReplaceAddress=self._move)
        self._encode = self._describe

    def make_current(self) -> None:
        pass

    def _describe(self, into: int, kind: int, rank: int, address: int, *places: int) -> int:
        self.encoded += 1
        kinds = (ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint32)
        arrays = zip(kinds, (rank, rank - 1, rank, rank), places[:4], strict=True)
        self.described = [[*(number * count).from_address(at)] for number, count, at in arrays]
        found = (ctypes.c_uint32 * (TENSOR_MAP_BYTES // 4 - 2))(*[n for row in self.described for n in row])
        ctypes.memmove(into, ctypes.byref(ctypes.c_uint64(address)), 8)
        ctypes.memmove(into + 8, found, ctypes.sizeof(found))
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


def test_a_tensor_is_described_fastest_dimension_first() -> None:
    driver = Encoder()
    driver.map_of(1 << 20, [4, 128, 64], box=[2, 32], steps=[1, 2])
    assert driver.described == [[64, 128, 4], [2 * 64, 2 * 64 * 128], [32, 32, 2], [1, 2, 1]]


def test_a_new_map_is_the_same_and_not_kept() -> None:
    driver, block = Encoder(), ctypes.create_string_buffer(TENSOR_MAP_BYTES)
    for _ in range(2):
        driver.encode_new(ctypes.addressof(block), META, 1 << 20, (4, 128, 64), (128 * 64, 64, 1))
    assert driver.encoded == 2
    assert block.raw == driver.map_of(1 << 20, [4, 128, 64])
    assert driver.encoded == 3
