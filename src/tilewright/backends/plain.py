"""Kernel specs and kernel sets as plain data, for registry files, datasets and messages between processes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..arch import get_arch
from ..errors import SchemaError, SpecError
from ..model.canonical import canonical
from ..model.fields import Fields, check_fields, check_object, field_value, fields_from, shortened, shown
from ..model.kernel import SPEC_SCHEMA, KernelSpec
from ..model.kernel_set import WILDCARD, KernelSet, Range
from ..ops import get_op
from . import get_backend_op

SPEC_FIELDS = ("schema", "op", "backend", "arch", "signature", "algorithm")
SET_FIELDS = ("name", "op", "backend", "algorithms", "signature", "archs", "priority", "description")
OPTIONAL_SET_FIELDS = ("signature", "archs", "priority", "description")
TEXTS = ("op", "backend", "arch", "name", "description")
MAX_ALGORITHMS = 4096  # maps of one set
MAX_PRIORITY = (1 << 31) - 1


def spec_from_dict(data: Any) -> KernelSpec:
    """Return a kernel spec from its canonical form.

    >>> from tilewright.ops.gemm import GemmSignature
    >>> from tilewright.backends.cpu.gemm.algorithm import CpuGemm
    >>> s = KernelSpec("gemm", "cpu", "x86_64_v3", GemmSignature("fp32", "fp32", "fp32", "fp32"), CpuGemm(nr=16))
    >>> spec_from_dict(s.to_dict()) == s
    True
    """
    head = _head(data, "kernel spec", SPEC_FIELDS)
    if type(head["schema"]) is not int or head["schema"] != SPEC_SCHEMA:
        raise SchemaError(
            f"kernel spec schema {shown(head['schema'])} cannot be read; this version reads {SPEC_SCHEMA}"
        )
    op, backend = get_op(head["op"]), get_backend_op(head["backend"], head["op"])
    return KernelSpec(
        head["op"],
        head["backend"],
        get_arch(head["arch"]).name,
        op.signature_from_dict(head["signature"]),
        backend.algorithm_from_dict(head["algorithm"]),
    )


def _head(data: Any, what: str, known: Collection[str], optional: Collection[str] = ()) -> Mapping[str, Any]:
    """Return `data` if it is an object with these fields, whose names are text."""
    check_object(data, what, {name: name not in optional for name in known})
    for name in TEXTS:
        if name in data and type(data[name]) is not str:
            raise SchemaError(f"{what}: {name} is {shown(data[name])}; it must be text")
    found: Mapping[str, Any] = data
    return found


def check_spec(spec: KernelSpec) -> None:
    """Raise if a part of a spec that was made in Python would be refused in a file: names, types, bounds.

    >>> from tilewright.ops.gemm import GemmSignature
    >>> from tilewright.backends.cpu.gemm.algorithm import CpuGemm
    >>> types = ("fp32",) * 4
    >>> check_spec(KernelSpec("gemm", "cpu", "x86_64_v3", GemmSignature(*types), CpuGemm(nr=16)))
    """
    for name in ("op", "backend", "arch"):
        if type(getattr(spec, name)) is not str:
            raise SpecError(f"{name} of a kernel is {shown(getattr(spec, name))}; it must be text")
    get_arch(spec.arch)
    algorithm, signature = (
        get_backend_op(spec.backend, spec.op).algorithm,
        type(get_op(spec.op).plain_problem("fp32").signature),
    )
    for value, kind in ((spec.signature, signature), (spec.algorithm, algorithm)):
        if type(value) is not kind:
            raise SpecError(f"a {spec.backend} {spec.op} kernel has a {kind.__name__}, not {shown(value)}")
        check_fields(value, f"{spec.backend} {spec.op} {kind.__name__}")


def set_to_dict(kernel_set: KernelSet) -> Fields:
    """Return a kernel set as JSON data; `set_from_dict` reads it back.

    >>> small = KernelSet("small", "gemm", "cpu", ({"nr": [8, 16]},))
    >>> set_from_dict(set_to_dict(small)) == small
    True
    """
    return canonical(_plain(kernel_set))


def _plain(kernel_set: KernelSet) -> Fields:
    encoded = [{k: _pattern(v) for k, v in fields.items()} for fields in kernel_set.algorithms]
    signature = {k: _pattern(v) for k, v in kernel_set.signature.items()}
    return {**vars(kernel_set), "algorithms": encoded, "signature": signature}


def _pattern(value: Any) -> Any:
    """Return the JSON form of a pattern: a list means "any of"; a tuple is one value."""
    if isinstance(value, Range):
        return {"min": value.min, "max": value.max, "step": value.step}
    return {"values": value} if isinstance(value, list) else value


def set_from_dict(data: Any) -> KernelSet:
    """Return the kernel set that `set_to_dict` wrote."""
    head = dict(_head(data, "kernel set", SET_FIELDS, OPTIONAL_SET_FIELDS))
    what, op = f"kernel set {shortened(head['name'])!r}", get_op(head["op"])
    algorithm = get_backend_op(head["backend"], head["op"]).algorithm
    priority = head.get("priority", 0)
    if type(priority) is not int or abs(priority) > MAX_PRIORITY:
        raise SchemaError(f"{what}: priority is {shown(priority)}; it must be a whole number of 32 bits")
    archs = head.get("archs", [WILDCARD])
    if not isinstance(archs, list) or not all(type(a) is str for a in archs):
        raise SchemaError(f"{what}: archs is {shown(archs)}; it must be a list of names")
    maps = head["algorithms"]
    if not isinstance(maps, list) or not 1 <= len(maps) <= MAX_ALGORITHMS:
        raise SchemaError(f"{what}: algorithms must be a list of 1 to {MAX_ALGORITHMS:,} objects; it is {shown(maps)}")
    known: dict[tuple[str, type, Any], Any] = {}  # thousands of patterns repeat a few values

    def read(name: str, value: Any) -> Any:
        if type(value) not in (int, str, bool):
            return field_value(algorithm, name, value, what)
        key = (name, type(value), value)
        if key not in known:
            known[key] = field_value(algorithm, name, value, what)
        return known[key]

    head["algorithms"] = tuple(_patterns(m, read, what) for m in maps)
    head["signature"] = _patterns(head.get("signature", {}), op.signature_value, what)
    head["archs"] = tuple(archs)
    return KernelSet(**head)


def _patterns(table: Any, read: Callable[[str, Any], Any], what: str) -> Fields:
    if not isinstance(table, Mapping):
        raise SchemaError(f"{what}: {shown(table)} must be an object of fields")
    return {name: _unpattern(name, value, read, what) for name, value in table.items()}


def _unpattern(name: str, value: Any, read: Callable[[str, Any], Any], what: str) -> Any:
    if not isinstance(value, Mapping):
        return value if value == WILDCARD else read(name, value)
    what = f"{what}: {name}"
    if set(value) == {"values"}:
        if not isinstance(value["values"], list):
            raise SchemaError(f"{what}: values is {shown(value['values'])}; it must be a list")
        return [read(name, v) for v in value["values"]]
    if set(value) == {"min", "max", "step"}:
        found = Range(**fields_from(Range, value, what))
        found.values()
        read(name, found.min), read(name, found.max)
        return found
    raise SchemaError(f'{what} is {shown(value)}; a pattern has "values", or "min", "max" and "step"')
