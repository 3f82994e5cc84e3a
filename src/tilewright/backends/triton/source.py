"""Source: what is compiled for a kernel spec, whatever the op."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Source:
    """A function with everything that `triton.compile` asks for.

    `signature` maps each argument to its type ("constexpr" for constants); tuples nest. `hints` gives the divisibility
    of arguments, by path into the argument list. `cluster` programs share the copies through the tensor maps `shared`.
    """

    function: Any
    signature: dict[str, Any]
    constants: dict[Any, Any]
    hints: dict[tuple[int, ...], int]
    options: dict[str, Any]
    cluster: int = 1
    shared: tuple[str, ...] = ()


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
    """The source of a function whose last argument is its config `C`; arguments that are not given are None."""
    signature = {name: given.get(name, "constexpr") for name in function.arg_names}
    constants: dict[Any, Any] = {n: None for n, t in signature.items() if t == "constexpr"}
    constants["C"] = config
    return Source(function, signature, constants, hints, options)
