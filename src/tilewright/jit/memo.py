"""The C launcher's memo: from choices and the keys of tensors straight to a prepared launch, without Python between.

`native/launcher_key.hpp` says what a key is, `native/launcher_memo.hpp` what is checked at each call, and
`native/launcher_written.hpp` how a call is found by the arguments of its function.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, NamedTuple, Protocol

from .launch_checks import address_of
from .launcher import launcher_at_once

CAPACITY = 4096  # records; a program with more shapes than this loses old ones


class Record(NamedTuple):
    """A prepared launch as the memo keeps it. Tensors are named by their position among those of the call.

    `call` runs on addresses: a `Call`, `GpuLaunches`, or an object with `run_pointers`; or on tensors: one with
    `run_tensors`. `extents` are the bytes that each tensor reaches from its address, `written` the tensors that are
    written, `same` the pairs (written, other) that may be the very same memory. `makers` make what is not given;
    `order` lists the tensors that the call takes.
    """

    call: Any
    extents: tuple[tuple[int, int], ...]
    written: tuple[int, ...]
    same: tuple[tuple[int, int], ...]
    makers: tuple[Callable[[], Any] | None, ...]
    order: tuple[int, ...]


class Series(NamedTuple):
    """Launches on tensors that differ in one size, which grows by one from member to member.

    The record is that of the first of `span` members. `steps` says for each tensor which dimension grows, and what the
    stride of each dimension grows by; None for others. `more` has (call, extents) of the second member and of the last.
    All numbers of a launch must be on a line through these three.
    """

    span: int
    steps: tuple[tuple[int, tuple[int, ...]] | None, ...]
    more: tuple[tuple[Any, tuple[tuple[int, int], ...]], ...]


class Memo(Protocol):
    """Records by choices and tensor keys; bounded; safe between threads."""

    def run(self, choices: Any, tensors: dict[str, Any], *written: Any) -> bool:
        """Run what is kept for such tensors, and fill in those that it makes; False if nothing is kept.

        `written` is (function, arguments, options, results): the call is then kept for `again` too, and `results` has
        the roles of what the function returns, a tuple or one.
        """

    def again(self, function: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Return the result of a call in words that are kept; None if they are not."""

    def run_quiet(self, choices: Any, tensors: dict[str, Any]) -> bool:
        """Do as `run`; False unless everything is off that `set_guards` names, and for fp32 on a GPU."""

    def run_layer(self, attributes: dict[str, Any], input: Any) -> Any:
        """Return the result of a linear layer of torch; None if no such call of it is kept, or a guard is on.

        `attributes` is its `__dict__`. Its calls are kept by `keep_as` under the value of `tilewright_calls`.
        """

    def run_as(self, name: Any, result: int, *tensors: Any) -> Any:
        """Return the tensor at position `result` of a call that `keep_as` knows by this name; None if it knows none, if
        a guard is on, and for fp32 on a GPU.
        """

    def run_norm(self, attributes: dict[str, Any], input: Any, empty_like: Callable[[Any], Any]) -> Any:
        """Return the result of a layer norm of torch for few numbers on the host; None if torch has to compute it.

        `attributes` is its `__dict__`, `empty_like` makes the memory of the result.
        """

    def run_gelu(self, input: Any, by_tanh: bool, empty_like: Callable[[Any], Any]) -> Any:
        """Return GELU of few numbers of torch on the host; None if torch has to compute it."""

    def keep_as(self, choices: Any, other: Any, tensors: Mapping[str, Any]) -> bool:
        """Keep for the choices `other` the record or series of `choices` and such tensors; False if there is none."""

    def keep(self, choices: Any, tensors: Mapping[str, Any], *record: Any) -> bool:
        """Keep the fields of a `Record` for such tensors; False if they cannot be a key."""

    def keep_series(self, choices: Any, tensors: Mapping[str, Any], *series: Any) -> bool:
        """Keep the fields of a `Record` and of a `Series` for tensors of several sizes; False if that is no series."""

    def clear(self) -> None:
        """Forget every record."""

    def __len__(self) -> int:
        """How many records are kept."""


_guards: tuple[tuple[Any, ...], ...] = ()


def set_guards(
    functions: tuple[Callable[[], Any], ...],
    values: tuple[tuple[dict[str, Any], str, Any], ...],
    empty: tuple[dict[Any, Any], ...],
) -> None:
    """Set what must be off in torch for `Memo.run_quiet` and `Memo.run_layer`, before torch's tensors are registered.

    `functions` must return something false, `values` are names in dictionaries with the very value that they must have,
    and `empty` are dictionaries that must be empty.
    """
    global _guards
    _guards = functions, values, empty


def make_memo(capacity: int = CAPACITY, deterministic: bool = False) -> Memo | None:
    """Return an empty memo; None if the C launcher is not active, or not yet.

    Its calls are known only while torch's deterministic mode is as `deterministic` says.

    >>> make_memo(16).run("nothing is kept", {"a": None})
    False
    """
    module = launcher_at_once().module
    return module.Memo(capacity, deterministic) if module is not None else None


def is_host_call(call: Any) -> bool:
    """Return whether a launch is one of the C launcher on the host.

    >>> is_host_call(None)
    False
    """
    module = launcher_at_once().module
    return module is not None and type(call) is module.Call


def register_tensor_types(tensors: Iterable[Any]) -> None:
    """Let the memo read the torch tensors among `tensors`: it cannot import torch by itself."""
    module, torch = launcher_at_once().module, sys.modules.get("torch")
    if module is None or torch is None:
        return
    kinds: set[Any] = {type(t) for t in tensors}
    for kind in kinds:
        _register(module, torch, kind)


def watch_memory(tensors: Sequence[Any]) -> Callable[[], int]:
    """Return a function that returns the position of the first tensor whose memory has moved since, or -1.

    Tensors keep their memory alive, but torch can replace it: `resize_`, `set_`, an assignment to `.data`.

    >>> import numpy as np
    >>> watch_memory([np.zeros(2)])()
    -1
    """
    known = tuple(tensors)
    addresses = tuple(map(_address_of, known))
    module = launcher_at_once().module
    if module is not None:
        register_tensor_types(known)
        moved = partial(module.moved, known, addresses)
        with suppress(TypeError, RuntimeError, BufferError):  # of another type, or torch before 2.10
            if moved() == -1:
                return moved
    return lambda: next((i for i, t in enumerate(known) if _address_of(t) != addresses[i]), -1)


def _address_of(tensor: Any) -> int:
    address = getattr(tensor, "data_ptr", None)
    return int(address()) if address is not None else address_of(tensor)


@lru_cache(maxsize=64)
def _register(module: Any, torch: Any, kind: type) -> None:
    """Let the memo read tensors of a type, if they are torch's: once is enough."""
    interface = getattr(kind, "__dlpack_c_exchange_api__", None)  # torch has it from 2.10 on
    if kind in (torch.Tensor, torch.nn.Parameter) and interface is not None:
        module.register_type(kind, interface, torch.is_grad_enabled)
        if _guards:
            module.register_guards(*_guards)
