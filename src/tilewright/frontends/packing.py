"""Pack weights ahead of time: the choice of the format, and the call that writes it."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import Any

import numpy as np

from ..backends.cpu.gemm.packed import packed_format
from ..backends.triton.gemm.algorithm import PACKED_FORMAT, packed_block
from ..dispatcher import Dispatcher
from ..errors import LaunchError, ProblemError, SelectionError, TensorError
from ..jit.loader import TwArgs, new_args
from ..model.fields import shown
from ..model.kernel import Candidate, KernelSpec
from ..model.layout import letter_of
from ..model.tensor import MAX_BYTES, PackedTensor, TensorView
from ..ops import get_op
from ..ops.gemm import GemmProblem
from ..ops.gemm.problem import usual_accumulator, usual_out
from ..ops.tensors import ALIGNMENT


def pack(b: TensorView, m_hint: int, dtype_a: str | None, dispatcher: Dispatcher) -> PackedTensor:
    """Return `b` in the format of the kernel that the dispatcher chooses for an m_hint x n x k product."""
    if type(m_hint) is not int or not 0 <= m_hint <= MAX_BYTES:
        raise ProblemError(f"m_hint is {shown(m_hint)}; it must be an integer >= 0")
    if len(b.shape) != 2:
        raise TensorError(
            f"b has shape {b.shape}; pack_weights packs one [k, n] matrix", remedy="pack each matrix of a batch"
        )
    a = dtype_a or b.dtype
    if b.device != "cpu":
        return _pack_on_gpu(b, m_hint, a, dispatcher)
    layout = "r" + letter_of(b.strides, *b.shape) + "r"
    problem = GemmProblem(
        max(m_hint, 1), b.shape[1], b.shape[0], a, b.dtype, usual_out(a), usual_accumulator(a), layout=layout
    )
    return pack_for(_best_packed(problem, dispatcher).spec, b, dispatcher)


def packed_candidate(problem: GemmProblem, dispatcher: Dispatcher) -> Candidate:
    """Return what the dispatcher runs for a CPU problem if its B is packed in the best format; nothing is built."""
    plain = replace(problem, strides={})
    format = _best_packed(plain, dispatcher).spec.signature.b_format
    return dispatcher.choose(_with_format(plain, format)).candidate


def pack_for(spec: KernelSpec, b: TensorView, dispatcher: Dispatcher) -> PackedTensor:
    """Return `b` in the format that a CPU kernel reads; the kernel is built if it is not."""
    return PackedTensor(spec.signature.b_format, b.dtype, b.shape, _write(spec, b, dispatcher))


def _pack_on_gpu(b: TensorView, m_hint: int, dtype_a: str, dispatcher: Dispatcher) -> PackedTensor:
    """Return B as [k / block, n, block], padded with zeros along k, so that a kernel's loads are contiguous."""
    k, n = b.shape
    out, acc = usual_out(dtype_a), usual_accumulator(dtype_a)
    problem = GemmProblem(max(m_hint, 1), n, k, dtype_a, b.dtype, out, acc, layout="rrr", b_format=PACKED_FORMAT,
                          device=b.device)  # fmt: skip
    considered = dispatcher.registry.consider(problem, dispatcher.device_for(problem))
    if not considered.legal:
        raise SelectionError(f"no GPU kernel reads packed weights for {problem.label()}", remedy="use the plain matrix")
    return PackedTensor(PACKED_FORMAT, b.dtype, (k, n), blocked(b.owner, packed_block(b.dtype)))


def blocked(b: Any, block: int) -> Any:
    """Return a torch matrix [k, n] rearranged to [k / block, n, block], with zeros after the last k.

    >>> import torch
    >>> blocked(torch.arange(6).reshape(3, 2), 2).tolist()
    [[[0, 2], [1, 3]], [[4, 0], [5, 0]]]
    """
    k, n = b.shape
    blocks = -(-k // block)
    out = b.new_zeros((blocks, n, block))
    # Whole blocks of k are filled a row of blocks at a time, the rest separately: no padded copy of B is made.
    whole = k // block
    out[:whole] = b[: whole * block].reshape(whole, block, n).transpose(1, 2)
    if whole < blocks:
        out[whole, :, : k - whole * block] = b[whole * block :].T
    return out


def _best_packed(problem: GemmProblem, dispatcher: Dispatcher) -> Candidate:
    """Return the best candidate over all packed formats that a legal kernel can read."""
    device = dispatcher.device_for(problem)
    plain = dispatcher.registry.consider(problem, device).legal
    formats = {packed_format(c.spec.signature, c.spec.algorithm) for c in plain if c.spec.backend == "cpu"}
    found: list[Candidate] = []
    for name in sorted(formats):
        found += dispatcher.registry.consider(_with_format(problem, name), device).legal
    if not found:
        raise SelectionError(f"no kernel reads packed weights for {problem.label()}", remedy="use the plain matrix")
    return dispatcher.selector.rank(problem, found, device)[0].candidate


def _with_format(problem: GemmProblem, format: str) -> GemmProblem:
    """Return the problem with a packed B. Panels do not depend on the layout of B, so its letter is always "r"."""
    return replace(problem, b_format=format, layout=f"{problem.layout[0]}r{problem.layout[2]}")


def _write(spec: KernelSpec, b: TensorView, dispatcher: Dispatcher) -> Any:
    kernel = dispatcher.load(spec)
    k, n = b.shape
    slots = get_op("gemm").abi
    args = new_args(sizes=(0, n, k, 1), launch=(1, 1), strides=[(), (0, *b.strides)])
    storage = aligned_bytes(_ask(kernel, "tw_pack_b_bytes", args, ctypes.c_int64))
    args.tensors[slots.slot("b")] = b.address
    args.tensors[slots.slot("out")] = storage.__array_interface__["data"][0]
    if _ask(kernel, "tw_pack_b", args, ctypes.c_int) != 0:
        raise LaunchError(f"packing failed: {args.error.decode(errors='replace')}")
    return storage


def aligned_bytes(count: int) -> Any:
    """Return `count` bytes (as int8) on a cache-line boundary.

    >>> aligned_bytes(3).size
    3
    """
    raw = np.zeros(count + ALIGNMENT, np.int8)
    start = -raw.__array_interface__["data"][0] % ALIGNMENT
    return raw[start : start + count]


def _ask(kernel: Any, name: str, args: TwArgs, result: Any) -> int:
    address = kernel.address(name)
    if address is None:
        raise LaunchError(f"kernel {kernel.path.name} exports no {name}", remedy="use a kernel that packs weights")
    return int(ctypes.CFUNCTYPE(result, ctypes.POINTER(TwArgs))(address)(ctypes.byref(args)))
