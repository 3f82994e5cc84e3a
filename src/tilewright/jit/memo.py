"""Prepared launches by what was asked for and by the looks of the tensors, so that a repeated call skips planning.

A look is everything that decides a plan: kind of tensor, dtype, shape, strides, device, and how an address on a GPU is
aligned. Overlap depends on the addresses and is checked at each call. The C launcher has the same table in C
(`native/launcher_memo.hpp`); `PythonMemo` stands in for it if the launcher cannot be built.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from .arrays import is_plain_torch
from .launcher import MISS, launcher

VECTOR = 16  # bytes: GPU kernels differ in the alignment they need, up to this
CAPACITY = 4096  # records; a program with more shapes than this loses the oldest


class Record(NamedTuple):
    """One prepared launch: `call` runs on addresses.

    `extents` are the bytes that each tensor reaches from its address, `written` the positions of the tensors that are
    written, `same` pairs (written, other) that are the very same memory. `makers` make the tensors that are not given;
    `results` are the positions of what is returned.
    """

    call: Any
    extents: tuple[tuple[int, int], ...]
    written: tuple[int, ...]
    same: tuple[tuple[int, int], ...]
    makers: tuple[Callable[[], Any] | None, ...]
    results: tuple[int, ...]


class Memo(Protocol):
    """Records by choices and looks; bounded; safe between threads."""

    def run(self, choices: Any, *tensors: Any) -> Any:
        """Run what is kept for such tensors (None: to be made) and return its result, or results; else `MISS`."""

    def keep(self, choices: Any, tensors: tuple[Any, ...], *record: Any) -> bool:
        """Keep the fields of a `Record` for such tensors; False if they cannot be a key."""

    def clear(self) -> None:
        """Forget every record."""

    def __len__(self) -> int:
        """How many records are kept."""


def make_memo(capacity: int = CAPACITY) -> Memo:
    """Return an empty memo: the one in C, or the Python one if the C launcher is not active.

    >>> len(make_memo())
    0
    """
    module = launcher().module
    memo: Memo = module.Memo(capacity) if module is not None else PythonMemo(capacity)
    return memo


def know_tensors(tensors: Sequence[Any]) -> None:
    """Let the C memo read the torch tensors among `tensors`, whose library it cannot import by itself."""
    module = launcher().module
    torch = sys.modules.get("torch")
    if module is None or torch is None:
        return
    for kind in {type(t) for t in tensors}:
        interface = getattr(kind, "__dlpack_c_exchange_api__", None)
        if kind in (torch.Tensor, torch.nn.Parameter) and interface is not None:
            module.know_type(kind, interface, torch.is_grad_enabled)


class PythonMemo:
    """The memo in Python: some microseconds per call."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._records: dict[Any, Record] = {}

    def __len__(self) -> int:
        return len(self._records)

    def clear(self) -> None:
        """Forget every record."""
        self._records.clear()

    def keep(self, choices: Any, tensors: tuple[Any, ...], *record: Any) -> bool:
        """Keep a record for such tensors; False if they cannot be a key."""
        looks = [look_of(t) for t in tensors]
        if None in looks:
            return False
        if len(self._records) >= self._capacity:
            self._records.clear()
        key = (choices, *(look[0] for look in looks if look))
        self._records[key] = Record(*record)
        return True

    def run(self, choices: Any, *tensors: Any) -> Any:
        """Run what is kept for such tensors and return its results, or `MISS`."""
        looks = [look_of(t) for t in tensors]
        if None in looks:
            return MISS
        try:
            record = self._records.get((choices, *(look[0] for look in looks if look)))
        except TypeError:  # a choice without a hash is wrong, which the whole way says in words
            return MISS
        given = [t is not None for t in tensors]
        addresses = [look[1] for look in looks if look]
        if record is None or not _lie_alike(record, addresses, given):
            return MISS
        held = list(tensors)
        for i, make in enumerate(record.makers):
            if held[i] is None and make is not None:
                held[i] = make()
                addresses[i] = address_of(held[i])
        record.call.run_pointers(*addresses)
        results = tuple(held[i] for i in record.results)
        return results[0] if len(results) == 1 else results


def _lie_alike(record: Record, addresses: Sequence[int], given: Sequence[bool]) -> bool:
    """Whether the given tensors lie in memory as those that the plan was made for."""
    for w in record.written:
        low, high = record.extents[w]
        if not given[w] or low == high:
            continue
        low, high = low + addresses[w], high + addresses[w]
        for i, (first, last) in enumerate(record.extents):
            if i == w or not given[i] or first == last:
                continue
            meets = addresses[i] + first < high and low < addresses[i] + last
            same = (w, i) in record.same
            if meets != same or (same and addresses[i] != addresses[w]):
                return False
    return True


def address_of(tensor: Any) -> int:
    """Return the address of a NumPy array or a torch tensor.

    >>> import numpy as np
    >>> address_of(np.zeros(3)) > 0
    True
    """
    if type(tensor).__module__ == "numpy":
        return int(tensor.__array_interface__["data"][0])
    return int(tensor.data_ptr())


def look_of(tensor: Any) -> tuple[Any, int] | None:
    """Return (everything that decides a plan, address) of a NumPy array, a torch tensor or None; else None.

    >>> import numpy as np
    >>> look_of(np.zeros((2, 3)))[0][2]
    (2, 3)
    """
    if tensor is None:
        return "to be made", 0
    kind = type(tensor)
    if kind.__module__ == "numpy":
        interface = tensor.__array_interface__
        address, readonly = interface["data"]
        return (kind, tensor.dtype, tensor.shape, tensor.strides, readonly), address
    if kind.__module__ in ("torch", "torch.nn.parameter") and hasattr(tensor, "data_ptr"):
        if not is_plain_torch(tensor):
            return None
        try:
            address = tensor.data_ptr()
        except RuntimeError:  # of a kind that has no address
            return None
        alignment = address & -address & VECTOR - 1 if tensor.is_cuda else 0
        return (kind, tensor.dtype, tensor.shape, tensor.stride(), tensor.device, alignment), address
    return None
