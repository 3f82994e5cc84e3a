"""From a spec to C++: a pure function of the spec and of the header revision, for every op of this backend.

An op has a module `<op>/generate.py` with `generate(spec, ck) -> Unit`: the template and its values. Generated text
only instantiates; common code is in `include/`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import SpecError
from ...model.kernel import KernelSpec
from ..cpp_text import CppText, cpp, cpp_digest, cpp_label, cpp_render, cpp_replace, cpp_value
from .ck_revision import CkRevision

if TYPE_CHECKING:
    from jinja2 import Environment, Template

HERE = Path(__file__).parent
INCLUDE_DIRS = (HERE / "include", HERE.parents[1] / "jit" / "native")
WRAPPER_TEMPLATE = "kernel.cpp.j2"
ARGUMENTS_TEMPLATE = "arguments.cpp.j2"
GEMM_ENTRY = cpp("tilewright_ck/entry.hpp")


@dataclass(frozen=True)
class Unit:
    """The result of an op's generator: its template, the values for it, and the kernels it instantiates.

    `arguments` is the C++ type that every kernel takes; an @ in it is replaced by the kernel's namespace.
    """

    template: str
    values: dict[str, Any]
    instances: tuple[CppText, ...]
    arguments: CppText
    block_per_cu: int | CppText = 1  # or the C++ constant that holds it
    own_arguments: dict[CppText, CppText] = field(default_factory=dict)  # of kernels that take another type
    entry: CppText = GEMM_ENTRY  # what makes the host entry
    arguments_entry: CppText | None = None  # what makes the kernels' arguments, if only CK's host code can


@dataclass(frozen=True)
class GeneratedSource:
    """One generated kernel: `name`.hpp holds the types, `name`.cpp the explicit instantiations.

    `digest` is the spec's; `instances` are the C++ names of the device kernels, the main one first. `arguments_text` is
    host code that makes their arguments; empty if Python packs them.
    """

    name: str
    header_text: str
    wrapper_text: str
    digest: str
    instances: tuple[str, ...] = field(default=())
    arguments_text: str = ""


def lower(spec: KernelSpec, ck: CkRevision) -> GeneratedSource:
    """Return the C++ of one kernel. Equal arguments give equal bytes; only the templates are read.

    >>> from tilewright.backends.ck_tile.ck_revision import REFERENCE
    >>> from tilewright.backends.ck_tile.gemm import preselected_kernels
    >>> source = lower(preselected_kernels("fp16_rcr_essential", "gfx942")[0], REFERENCE)
    >>> "template __global__ void ck_tile::kentry" in source.wrapper_text
    True
    """
    if spec.backend != "ck_tile":
        raise SpecError(f"{spec.name} is a kernel of backend {spec.backend}, not of ck_tile")
    unit: Unit = _generator(spec.op).generate(spec, ck)
    common = {
        "name": cpp_label(spec.name),
        "digest": cpp_digest(spec.digest),
        "space": namespace(spec),
        "arch": cpp_label(spec.arch),
        "revision": cpp_label(ck.name),
        "instances": unit.instances,
        "arguments": {name: _type(unit, name, spec) for name in unit.instances},
        "entry": unit.entry,
        "block_per_cu": unit.block_per_cu,
    }
    header = cpp_render(_template(unit.template), {**common, **unit.values})
    wrapper = cpp_render(_template(WRAPPER_TEMPLATE), common)
    arguments = ""
    if unit.arguments_entry is not None:
        values = {**common, "arguments_entry": unit.arguments_entry, "main": unit.instances[0]}
        arguments = cpp_render(_template(ARGUMENTS_TEMPLATE), values)
    return GeneratedSource(spec.name, header, wrapper, spec.digest, unit.instances, arguments)


def namespace(spec: KernelSpec) -> CppText:
    """Return the C++ namespace of a kernel; it is part of every symbol, so kernels never collide in one library.

    >>> from tilewright.backends.ck_tile.gemm import preselected_kernels
    >>> len(namespace(preselected_kernels("fp16_rcr_essential", "gfx942")[0]))
    19
    """
    return cpp("tw_{}", cpp_digest(spec.digest[:16]))


def _type(unit: Unit, name: CppText, spec: KernelSpec) -> CppText:
    """Return the C++ type of a kernel's argument."""
    return cpp_replace(unit.own_arguments.get(name, unit.arguments), "@", namespace(spec))


@lru_cache(maxsize=16)
def _generator(op: str) -> Any:
    try:
        return import_module(f".{op}.generate", __package__)
    except ModuleNotFoundError as error:
        if error.name != f"{__package__}.{op}.generate" and error.name != f"{__package__}.{op}":
            raise
        raise SpecError(f"ck_tile generates no code for the op {op!r}") from None


@lru_cache(maxsize=64)
def _template(name: str) -> Template:
    return _environment().get_template(name)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    import jinja2

    folders = [HERE / "templates", *sorted(HERE.glob("*/templates"))]
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader([str(f) for f in folders]),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        finalize=cpp_value,  # every value of a template is checked where it is written
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
