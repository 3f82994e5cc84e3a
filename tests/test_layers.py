"""The layout is the architecture: a room imports only itself and rooms above it in this list.

Imports inside functions and under TYPE_CHECKING count as well: a dependency is one wherever it is written.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright.backends import backend_names

PACKAGE = Path(__file__).parent.parent / "src" / "tilewright"
ROOMS = (
    "errors", "settings", "model", "arch", "ops", "jit", "emulator", "backends", "registry", "plan", "store", "select",
    "dispatcher", "cpp", "bundle", "tune", "codegen", "frontends", "torch", "report", "cli",
)  # fmt: skip
FACADE = ("__init__", "__main__")  # the doors of the house: they name every room


def room_of(module: str) -> str:
    """The room of a module named relative to the package, such as `jit.cache`."""
    return module.split(".")[0]


def imports_of(source: str, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """(line, module relative to the package) of every import of the package's own modules in `source`."""
    base = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "tilewright" and alias.name != "tilewright":
                    yield node.lineno, alias.name.removeprefix("tilewright.")
        elif isinstance(node, ast.ImportFrom):
            absolute = (node.module or "").split(".")
            if node.level == 0 and absolute[0] == "tilewright":
                target = absolute[1:]
            elif node.level > 0:
                target = base[: len(base) - (node.level - 1)] + (node.module.split(".") if node.module else [])
            else:
                continue
            # `from . import x` names the module x itself
            for name in [".".join(target)] if target else [alias.name for alias in node.names]:
                yield node.lineno, name


def upward_imports(source: str, module: str, is_package: bool = False) -> list[str]:
    """A sentence for each import of a room that is not above the module's own."""
    own = ROOMS.index(room_of(module))
    found = []
    for line, target in imports_of(source, module, is_package):
        room = room_of(target)
        if room in ROOMS and ROOMS.index(room) > own:
            found.append(f"{module}, line {line}: {ROOMS[own]} imports {room}, which lies below it in the list")
    return found


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts), path


def test_every_module_belongs_to_a_room() -> None:
    unknown = sorted({room_of(name) for name, _ in modules()} - {*ROOMS, *FACADE})
    assert not unknown, f"{unknown} are no rooms of the house: {ROOMS}"


def test_no_room_imports_a_later_one() -> None:
    found = [
        sentence
        for name, path in modules()
        if name not in FACADE
        for sentence in upward_imports(path.read_text(), name, path.name == "__init__.py")
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("module", "is_package", "source"),
    [
        ("model.kernel", False, "from ..arch import get_arch"),
        ("model.kernel", False, "def f():\n    from tilewright.jit import Cache"),
        ("ops", True, "from ..registry import Registry"),
        ("ops.gemm.problem", False, "from ...dispatcher import Dispatcher"),
        ("registry", False, "from . import dispatcher"),
        ("registry", False, "import tilewright.cli.app"),
        ("tune.bench", False, "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..cli import main"),
    ],
)
def test_an_upward_import_is_found(module: str, is_package: bool, source: str) -> None:
    assert upward_imports(source, module, is_package)


@pytest.mark.parametrize(
    ("module", "is_package", "source"),
    [
        ("jit.cache", False, "from ..model import kernel\nfrom .files import x\nfrom ..errors import CacheError"),
        ("jit", True, "from .cache import Cache\nimport numpy\nfrom rich.table import Table"),
        ("dispatcher", False, "from .registry import Registry\nfrom . import plan"),
    ],
)
def test_downward_imports_are_allowed(module: str, is_package: bool, source: str) -> None:
    assert not upward_imports(source, module, is_package)


MAKES = ("nvidia", "x86")
# Rooms that know archs by their make: the facts themselves, and how each backend computes.
OF_ARCHS = ("arch", "backends", "model")


def test_generic_code_asks_the_backends_for_devices_and_names_no_make() -> None:
    """What is generic would otherwise take every GPU for one make's, and every CPU for another's."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] in OF_ARCHS:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and node.value in MAKES:
                found.append(f"{path.relative_to(PACKAGE)}:{node.lineno}: {node.value!r}")
    assert found == []


def test_backends_are_named_in_generic_code_only_where_that_is_the_point() -> None:
    """A backend is found by its place or arch, never by its name; the demo shows the CPU by choice."""
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] in ("backends", "codegen"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            named = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("get_backend", "get_backend_op")
            if named and isinstance(node.args[0], ast.Constant):
                found.add(str(path.relative_to(PACKAGE)))
    assert found <= {"cli/demo.py"}


def strings_that_import_a_backend(source: str) -> list[str]:
    """Every string in `source` that is, or begins, the name of a module of one backend; docstrings aside."""
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        f"line {node.lineno}: {node.value!r}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
        if re.match(rf"(tilewright|\.*)\.?backends\.(({'|'.join(backend_names())})\b|$)", node.value)
    ]


def test_no_backend_is_imported_by_a_string() -> None:
    """Backends are found by `get_backend`; what one of them offers is a method of the classes in `backends.base`."""
    found = [
        f"{name}, {sentence}"
        for name, path in modules()
        if room_of(name) != "backends"
        for sentence in strings_that_import_a_backend(path.read_text())
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        'import_module("tilewright.backends.cpu.gemm.features")',
        'find_spec(f"tilewright.backends.{backend}.{op}.features")',
        'import_module("..backends.triton", __package__)',
        'PUBLIC = {"nearest": "backends.ck_tile.space"}',
    ],
)
def test_a_string_that_imports_a_backend_is_found(source: str) -> None:
    assert strings_that_import_a_backend(source)


def test_other_strings_are_allowed() -> None:
    source = '"""See tilewright.backends.cpu."""\nPUBLIC = {"nearest_legal": "backends.corrections", "x": "backends"}'
    assert not strings_that_import_a_backend(source)


def test_generic_code_does_not_probe_for_methods_of_ops_and_backends() -> None:
    """What generic code asks is in the protocols; `problem: Any` and `hasattr(op, ...)` would hide what is missing."""
    probe = re.compile(r"problem: Any\b|(?:has|get)attr\((?:\w+\.)*_?(?:problem|op|backend|stage|own|features), \"")
    found = [
        f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if probe.search(line) and path.relative_to(PACKAGE).parts[0] != "jit"  # problems there are errors of the system
    ]
    assert found == []
