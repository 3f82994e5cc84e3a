"""The call path has one class of expressions, and no handler that turns a defect into a slower call."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "tilewright"
ARITHMETIC = {f"__{side}{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod") for side in ("", "r")}
ROOMS = ("model", "registry", "plan", "select", "dispatcher", "frontends")
ANYTHING = {"Exception", "BaseException"}
# A damaged model file raises a dozen kinds of errors; each becomes a `SchemaError`.
RAISES_LATER = {"select/model_file.py: read_model"}


def sources(*rooms: str) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE)
        if "emulator" not in name.parts and (not rooms or name.parts[0] in rooms):
            yield name.as_posix(), ast.parse(path.read_text())


def overloads(node: ast.ClassDef) -> set[str]:
    made = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    for part in node.body:
        if isinstance(part, ast.Assign):
            made |= {target.id for target in part.targets if isinstance(target, ast.Name)}
    return made & ARITHMETIC


def broad_handlers(function: ast.AST) -> list[int]:
    """Lines that catch any error and do not raise it, or another one, again."""
    found = []
    for node in ast.walk(function):
        if isinstance(node, ast.ExceptHandler):
            caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            is_broad = any(kind is None or ast.unparse(kind) in ANYTHING for kind in caught)
            if is_broad and not isinstance(node.body[-1], ast.Raise):
                found.append(node.lineno)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
            found += [node.lineno for kind in node.args if ast.unparse(kind) in ANYTHING]
    return found


def test_one_class_overloads_arithmetic() -> None:
    found = [
        f"{name}: {c.name}"
        for name, tree in sources()
        for c in ast.walk(tree)
        if isinstance(c, ast.ClassDef) and overloads(c)
    ]
    assert found == ["model/expr.py: Expr"]


def test_no_handler_of_the_call_path_hides_a_defect() -> None:
    found = {
        f"{name}: {function.name}"
        for name, tree in sources(*ROOMS)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and broad_handlers(function)
    }
    assert found == RAISES_LATER


def test_a_handler_that_hides_a_defect_is_found() -> None:
    hidden = "try:\n    run()\nexcept (ValueError, Exception):\n    slow()"
    raised = "try:\n    run()\nexcept BaseException:\n    tidy()\n    raise"
    assert broad_handlers(ast.parse(hidden)) == [3]
    assert broad_handlers(ast.parse(f"{raised}\nwith suppress(Exception):\n    run()")) == [6]
    assert not broad_handlers(ast.parse(raised))
