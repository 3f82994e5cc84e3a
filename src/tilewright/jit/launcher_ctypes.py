"""The launcher without a C extension: same interface over ctypes, for machines that lack a compiler or headers."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from .launch_checks import Operand, address_of, failed, find_mistakes, misplaced, placement_mistakes, refuse
from .launcher import TwArgs

_BLOCK_ALIGNMENT = 64


class CtypesCall:
    """A prepared launch; see `tilewright.jit.launcher.Call`."""

    _idle: list[npt.NDArray[Any]] = []  # workspace between launches, shared by all calls; list methods are atomic

    def __init__(
        self,
        run_address: int,
        args: bytes,
        operands: tuple[Operand, ...],
        out: int,
        release_gil: bool,
        keep: Any = None,
    ) -> None:
        prototype = ctypes.CFUNCTYPE if release_gil else ctypes.PYFUNCTYPE
        self._run = prototype(ctypes.c_int, ctypes.POINTER(TwArgs))(run_address)
        self._template = args
        self.run_address, self.operands, self.out = run_address, tuple(operands), out
        self.release_gil, self.keep = release_gil, keep
        self.workspace_bytes = int(TwArgs.from_buffer_copy(args).workspace_bytes)

    def __call__(self, *arrays: Any) -> Any:
        """Run on NumPy arrays and return the out array."""
        if find_mistakes(self.operands, arrays):
            refuse(self, arrays)
        self._launch([address_of(array) for array in arrays])
        return arrays[self.out]

    def run_pointers(self, *addresses: int) -> None:
        """Run on raw addresses, checked only for null and alignment."""
        if len(addresses) != len(self.operands):
            raise TypeError(f"run_pointers takes {len(self.operands)} addresses, got {len(addresses)}")
        if any(map(placement_mistakes, self.operands, addresses)):
            misplaced(self, addresses)
        self._launch(addresses)

    def _launch(self, addresses: Any) -> None:
        args = TwArgs.from_buffer_copy(self._template)
        for operand, address in zip(self.operands, addresses, strict=True):
            args.tensors[operand.slot] = address
        block = _take_block(self._idle, self.workspace_bytes)
        if block is not None:
            start = address_of(block)
            args.workspace = start + -start % _BLOCK_ALIGNMENT
        code = self._run(ctypes.byref(args))
        if block is not None:
            self._idle.append(block)
        if code != 0:
            failed(self, code, args.error.decode(errors="replace"))

    @classmethod
    def trim_scratch(cls) -> int:
        """Free idle workspace; return its bytes."""
        freed = 0
        while cls._idle:
            freed += cls._idle.pop().nbytes
        return freed


def _take_block(idle: list[npt.NDArray[Any]], bytes_needed: int) -> npt.NDArray[Any] | None:
    if bytes_needed <= 0:
        return None
    try:
        block = idle.pop()
    except IndexError:
        block = np.empty(0, np.uint8)
    if block.nbytes < bytes_needed + _BLOCK_ALIGNMENT:
        block = np.empty(bytes_needed + _BLOCK_ALIGNMENT, np.uint8)
    return block
