"""The macros of the CK dispatcher as kernel sets of `ck_tile`.

Each `.add(SIGNATURE, ALGORITHM, "gfx942")` becomes one set. Fields that a declaration leaves out are filled in with the
original's defaults; kernels that break rules are replaced by the nearest legal one. Both are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...arch import get_arch, get_supported_archs
from ...backends.corrections import nearest_legal
from ...backends.expansion import expansion_of
from ...errors import TilewrightError, UnknownNameError
from ...model.arch import AmdArch
from ...model.kernel_set import KernelSet
from .ck_fields import CONV, FMHA, GEMM, Words
from .notes import Note
from .own import constant, known_name
from .parse import CK_MACROS, Call, Declaration, Value

DEFAULT_ARCH = "gfx942"
WORDS: Mapping[str, Words] = {"gemm": GEMM, "conv": CONV, "fmha": FMHA}
AddNoteAt = Callable[[Any, str, str], None]


def ck_sets(declared: Declaration) -> tuple[list[KernelSet], list[Note]]:
    """Return the sets of a declaration, one for each `.add`, and what was filled in, corrected, removed or not used."""
    notes: list[Note] = []

    def add_note(place: Any, kind: str, text: str) -> None:
        t = place.token
        notes.append(Note(t.path, t.line, t.column, kind, f"{declared.name}: {text}"))

    words = WORDS[CK_MACROS[declared.macro]]
    adds = declared.calls
    for call in adds:
        known_name(call, ("add",), "call")
    if not adds:
        raise declared.token.fail(f"kernel set {declared.name} has no .add(...)", "add at least one kernel")
    found = []
    for number, call in enumerate(adds, 1):
        name = declared.name if len(adds) == 1 else f"{declared.name}.{number}"
        try:
            found.append(_checked(_set_of(name, call, words, add_note), call, add_note))
        except (TypeError, ValueError, LookupError) as error:  # too few values, or values of another type
            raise call.token.fail(f"kernel set {name} has values that cannot be read: {error}") from None
    return found, notes


def _set_of(name: str, call: Call, words: Words, add_note: AddNoteAt) -> KernelSet:
    arguments = list(call.arguments)
    last = arguments[-1] if arguments else None
    long = bool(arguments) and isinstance(arguments[0], Call)
    arch = DEFAULT_ARCH
    if (
        isinstance(last, Value)
        and isinstance(last.value, str)
        and len(arguments) - 1 in ((2,) if long else words.short)
    ):
        arch = last.value
        arguments.pop()
        if arch not in get_supported_archs():
            raise last.token.fail(UnknownNameError("arch", arch, get_supported_archs()).message)
    else:
        add_note(call, "filled in", f"arch {arch}")
    if long:
        signature, algorithm = _long(call, arguments, words)
    else:
        signature, algorithm = words.shortened(call, [constant(a) for a in arguments])
    for setter in words.unused:
        if setter in signature:
            add_note(call, "not used", f"{setter}: no kernel of ck_tile depends on it")
    try:
        made = words.signature(signature, lambda text: add_note(call, "filled in", text))
        made |= _own_floats(made, arch, lambda text: add_note(call, "corrected", text))
        fields = words.algorithm(
            algorithm,
            signature,
            lambda text: add_note(call, "filled in", text),
            lambda text: add_note(call, "not used", text),
        )
    except TilewrightError as error:
        raise call.token.fail(error.message, error.remedy) from None
    fields |= words.stage(signature)
    return KernelSet(name, words.op, "ck_tile", (fields,), made, (arch,), description="declared in C++")


def _own_floats(signature: Mapping[str, Any], arch: str, add_note: Callable[[str], None]) -> dict[str, str]:
    """Return the dtypes that an arch has under another name: CK calls fp8_fnuz and bf8_fnuz of gfx942 fp8 and bf8."""
    facts = get_arch(arch)
    if not isinstance(facts, AmdArch) or "fp8" in facts.dtypes or "fp8_fnuz" not in facts.dtypes:
        return {}
    found = {name: f"{value}_fnuz" for name, value in signature.items() if value in ("fp8", "bf8")}
    for name, value in found.items():
        add_note(f"{name} {value}: the 8-bit floats of {arch}")
    return found


def _long(call: Call, arguments: list[Value | Call], words: Words) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the setters of a signature and an algorithm, by name."""
    if len(arguments) != 2 or not all(isinstance(a, Call) for a in arguments):
        raise call.token.fail(".add takes a signature, an algorithm and an arch")
    found = []
    for builder, names, setters in zip(arguments, words.builders, words.setters, strict=True):
        assert isinstance(builder, Call)
        known_name(builder, names, "builder")
        values: dict[str, Any] = {}
        for setter in builder.chain:
            known_name(setter, setters, f"setter of {builder.name}")
            values[setter.name] = [constant(a) for a in setter.arguments]
        found.append(values)
    return found[0], found[1]


KEPT = ("stage",)  # a kernel of another stage computes something else


def _checked(made: KernelSet, call: Call, add_note: AddNoteAt) -> KernelSet:
    """Return the set with its kernel replaced by the nearest legal one if it breaks rules; report what was removed."""
    expansion = expansion_of(made, made.archs[0])
    if expansion.specs:
        if expansion.rejected:
            rules = ", ".join(f"{rule} {count}" for rule, count in sorted(expansion.counts().items()))
            add_note(call, "removed", f"{len(expansion.rejected)} combinations that break rules ({rules})")
        return made
    if not expansion.rejected:
        raise call.token.fail(f"kernel set {made.name} has no kernels")
    spec, rejections = expansion.rejected[0]
    corrected = nearest_legal(spec, keep=KEPT)
    if corrected is None:
        raise call.token.fail(f"no legal kernel is near {spec.name}: {rejections[0]}")
    add_note(call, "corrected", f"{corrected} ({', '.join(dict.fromkeys(r.rule for r in corrected.mended))})")
    own = {**made.algorithms[0], **{name: new for name, (_, new) in corrected.changes.items()}}
    return KernelSet(made.name, made.op, made.backend, (own,), made.signature, made.archs, description=made.description)
