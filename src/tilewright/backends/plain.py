"""Kernel specs and kernel sets as plain data, for registry files, datasets and messages between processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..arch import get_arch
from ..errors import SchemaError
from ..model.canonical import canonical
from ..model.kernel import KernelSpec
from ..model.kernel_set import WILDCARD, KernelSet, Range
from ..ops import get_op
from . import get_backend_op


def spec_from_dict(data: Mapping[str, Any]) -> KernelSpec:
    """A kernel spec from its canonical form.

    >>> from tilewright.ops.gemm import GemmSignature
    >>> from tilewright.backends.cpu.gemm.algorithm import CpuGemm
    >>> s = KernelSpec("gemm", "cpu", "x86_64_v3", GemmSignature("fp32", "fp32", "fp32", "fp32"), CpuGemm(nr=16))
    >>> spec_from_dict(s.to_dict()) == s
    True
    """
    if data.get("schema") != 1:
        raise SchemaError(f"kernel spec schema {data.get('schema')!r} cannot be read; this version reads 1")
    op, backend = get_op(data["op"]), get_backend_op(data["backend"], data["op"])
    return KernelSpec(
        data["op"],
        data["backend"],
        get_arch(data["arch"]).name,
        op.signature_from_dict(data["signature"]),
        backend.algorithm_from_dict(data["algorithm"]),
    )


def set_to_dict(kernel_set: KernelSet) -> dict[str, Any]:
    """A kernel set as JSON data; `set_from_dict` reads it back.

    >>> small = KernelSet("small", "gemm", "cpu", ({"nr": [8, 16]},))
    >>> set_from_dict(set_to_dict(small)) == small
    True
    """
    data: dict[str, Any] = canonical(_plain(kernel_set))
    return data


def _plain(kernel_set: KernelSet) -> dict[str, Any]:
    encoded = [{k: _pattern(v) for k, v in fields.items()} for fields in kernel_set.algorithms]
    signature = {k: _pattern(v) for k, v in kernel_set.signature.items()}
    return {**vars(kernel_set), "algorithms": encoded, "signature": signature}


def _pattern(value: Any) -> Any:
    """A list means "any of" and is written as such; a tuple is one value."""
    if isinstance(value, Range):
        return {"min": value.min, "max": value.max, "step": value.step}
    return {"values": value} if isinstance(value, list) else value


def set_from_dict(data: Mapping[str, Any]) -> KernelSet:
    """The kernel set that `set_to_dict` wrote."""
    fields, op = dict(data), get_op(data["op"])
    fields["algorithms"] = tuple({k: _unpattern(v) for k, v in m.items()} for m in data["algorithms"])
    fields["signature"] = {k: _unpattern(v, partial(op.signature_value, k)) for k, v in data["signature"].items()}
    fields["archs"] = tuple(data["archs"])
    return KernelSet(**fields)


def _unpattern(value: Any, read: Callable[[Any], Any] = lambda value: value) -> Any:
    if isinstance(value, Mapping) and "values" in value:
        return [read(v) for v in value["values"]]
    if isinstance(value, Mapping) and "step" in value:
        return Range(**value)
    return value if value == WILDCARD else read(value)
