"""`TW_KERNEL_SET(name)`: op, backend, archs and signature of a set, and `add` with the fields of an algorithm.

TW_KERNEL_SET(my_gemm).op("gemm").backend("cpu").arch("x86_64_v3").signature(dtype_a("fp32"), layout("rcr"))
    .add(inner("fma"), mr(4, 6), nr(16), kc(range(256, 512, 256)), mc(0), pack_a(ANY));
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from ...backends import backend_names, get_backend, get_backend_op
from ...errors import UnknownNameError
from ...model.fields import Fields, shown
from ...model.kernel_set import KernelSet, Range
from ...ops import get_op, op_names
from ...registry.collection import unknown_names
from .parse import Call, Declaration, Value

DEFAULTS: Fields = {"op": "gemm", "backend": "cpu", "priority": 0, "description": ""}
SETTERS = (*DEFAULTS, "arch", "signature", "add")


def own_set(declared: Declaration) -> KernelSet:
    """Return the kernel set of a declaration; an unknown name is an error at its place."""
    given: Fields = dict(DEFAULTS)
    archs: list[str] = []
    signature: Fields = {}
    adds: list[Call] = []
    for call in declared.calls:
        known_name(call, SETTERS, "setter")
        if call.name == "add":
            adds.append(call)
        elif call.name == "arch":
            archs += (named := [str(constant(a)) for a in call.arguments])
            _refuse(call, KernelSet(declared.name, DEFAULTS["op"], DEFAULTS["backend"], (), archs=tuple(named)))
        elif call.name == "signature":
            signature |= _fields(call, _signature_names(given["op"], call), "signature field")
        else:
            given[call.name] = value = single(call)
            if type(value) is not type(DEFAULTS[call.name]):
                kind = "a whole number" if call.name == "priority" else "text"
                raise call.token.fail(f"{call.name} is {shown(value)}; it must be {kind}")
    if not adds:
        raise declared.token.fail(f"kernel set {declared.name} has no .add(...)", "add at least one algorithm")
    if given["op"] not in op_names() or given["backend"] not in backend_names():
        kind = "op" if given["op"] not in op_names() else "backend"
        known = op_names() if kind == "op" else backend_names()
        raise declared.token.fail(UnknownNameError(kind, given[kind], known).message)
    names = [t.name for t in _tunables(declared, given["backend"], given["op"])]
    algorithms = tuple(_fields(call, names, "algorithm field") for call in adds)
    for call, algorithm in zip(adds, algorithms, strict=True):
        for field in (argument for argument in call.arguments if isinstance(argument, Call)):
            only = {field.name: algorithm[field.name]}
            _refuse(field, KernelSet(declared.name, given["op"], given["backend"], (only,)))
    return KernelSet(
        declared.name, given["op"], given["backend"], algorithms, signature, tuple(archs) or ("*",), given["priority"],
        given["description"],
    )  # fmt: skip


def _refuse(call: Call, part: KernelSet) -> None:
    """Raise an error at the place of a call if its part of a set has unknown names."""
    for mistake in unknown_names(part):
        raise call.token.fail(mistake)


def _tunables(declared: Declaration, backend: str, op: str) -> Any:
    if op not in get_backend(backend).op_names():
        raise declared.token.fail(f"{backend} does not compute {op}")
    return get_backend_op(backend, op).tunables()


def _signature_names(op: str, call: Call) -> list[str]:
    if op not in op_names():
        raise call.token.fail(UnknownNameError("op", op, op_names()).message)
    return [f.name for f in fields(get_op(op).plain_problem("fp32").signature)]


def _fields(call: Call, known: list[str], what: str) -> Fields:
    found: Fields = {}
    for field in call.arguments:
        if isinstance(field, Value):
            raise field.token.fail(f"{field.token.text} has no name", f"write a {what} and its values: mr(4, 6)")
        known_name(field, known, what)
        values = [_pattern(a) for a in field.arguments]
        if not values:
            raise field.token.fail(f"{field.name} has no value")
        found[field.name] = values[0] if len(values) == 1 else values
    return found


def _pattern(argument: Value | Call) -> Any:
    if isinstance(argument, Value):
        return argument.value
    if argument.name != "range" or len(argument.arguments) != 3:
        raise argument.token.fail(f"{argument.name}(...) is no value", "write range(min, max, step)")
    limits = [constant(a) for a in argument.arguments]
    if any(type(limit) is not int for limit in limits):
        raise argument.token.fail(f"range takes whole numbers; got {shown(limits)}")
    return Range(*limits)


def known_name(call: Call, known: Any, what: str) -> None:
    """Raise an error at the place of a call whose name is not known."""
    if call.name not in known:
        raise call.token.fail(UnknownNameError(what, call.name, known).message)


def constant(argument: Value | Call) -> Any:
    """Return a constant argument; a call is an error at its place."""
    if isinstance(argument, Call):
        raise argument.token.fail(f"{argument.name}(...) was found where a constant belongs")
    return argument.value


def single(call: Call) -> Any:
    """Return the only argument of a call."""
    if len(call.arguments) != 1:
        raise call.token.fail(f"{call.name} takes one value; it has {len(call.arguments)}")
    return constant(call.arguments[0])
