"""Source: what is compiled for a kernel spec of any op."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import SpecError
from .target import TRITON_DTYPE


@dataclass(frozen=True)
class Source:
    """A function with everything that `triton.compile` asks for.

    `signature` maps each argument to its type ("constexpr" for constants); tuples nest. `hints` gives the divisibility
    of arguments, by path into the argument list. `cluster` programs share the copies through the tensor maps `shared`.
    `lines`: asynchronous copies bring whole lines of 128 bytes into L2. `columns`: (name of a tensor map, the columns
    of its blocks; the columns that products are compiled for, those that they have), see `columns.py`. `loose`: groups
    of 4 warps that hand stages back by themselves, see `loose.py`; 0: all warps meet first.
    """

    function: Any
    signature: dict[str, Any]
    constants: dict[Any, Any]
    hints: dict[tuple[int, ...], int]
    options: dict[str, Any]
    cluster: int = 1
    shared: tuple[str, ...] = ()
    lines: bool = False
    columns: tuple[str, int, int, int] | None = None
    loose: int = 0


def triton_types(names: tuple[str, ...]) -> dict[str, Any]:
    """Triton's own value of each dtype (imports triton)."""
    import triton.language as tl

    table = {"fp64": tl.float64, "fp32": tl.float32, "fp16": tl.float16, "bf16": tl.bfloat16, "fp8": tl.float8e4nv,
             "bf8": tl.float8e5, "fp8_fnuz": tl.float8e4b8, "bf8_fnuz": tl.float8e5b16, "int8": tl.int8,
             "int32": tl.int32}  # fmt: skip
    return {n: table[n] for n in names}


def finish(
    function: Any, given: dict[str, Any], config: Any, hints: dict[tuple[int, ...], int], **options: Any
) -> Source:
    """Return the source of a function whose last argument is its config `C`; arguments that are not given are None."""
    signature = {name: given.get(name, "constexpr") for name in function.arg_names}
    constants: dict[Any, Any] = {n: None for n, t in signature.items() if t == "constexpr"}
    constants["C"] = config
    return Source(function, signature, constants, hints, options)


def descriptor(dtype: str, block: Sequence[int], layout: Any = None) -> str:
    """Return the type of a tensor map of blocks; Gluon also asks for their layout in shared memory.

    >>> descriptor("fp16", [1, 64])
    'tensordesc<fp16[1,64]>'
    """
    if not all(type(n) is int and n > 0 for n in block):
        raise SpecError(f"a tensor map of blocks {list(block)!r}; extents are whole numbers >= 1")
    shape = ",".join(str(n) for n in block)
    return f"tensordesc<{TRITON_DTYPE[dtype]}[{shape}]" + (f",{layout!r}>" if layout is not None else ">")


def set_to_one(source: Source, paths: Iterable[tuple[int, int]]) -> None:
    """Make members of tuples of strides, given as (argument, member), the constant 1."""
    for argument, member in paths:
        name = source.function.arg_names[argument]
        kinds = source.signature[name]
        source.signature[name] = (*kinds[:member], "constexpr", *kinds[member + 1 :])
        source.constants[(argument, member)] = 1


def leave_out(source: Source, name: str) -> None:
    """Make an argument None, with what was promised of it."""
    at = source.function.arg_names.index(name)
    for promises in (source.hints, source.constants):
        for path in [p for p in promises if isinstance(p, tuple) and p[0] == at]:
            del promises[path]
    source.signature[name] = "constexpr"
    source.constants[name] = None


def precision(asked: str, dtype: str) -> str:
    """The precision of products: only fp32 operands know more than one, and not every target knows the name tf32.

    >>> precision("tf32", "fp32"), precision("tf32", "fp16")
    ('tf32', 'ieee')
    """
    return asked if dtype == "fp32" else "ieee"
