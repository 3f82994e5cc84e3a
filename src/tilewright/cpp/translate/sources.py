"""The syntax tree of a function: found in its module's source by name and line."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from ...errors import TilewrightError


class TranslationError(TilewrightError):
    """A definition uses a part of Python that is not translated."""


FunctionNode = ast.FunctionDef | ast.Lambda


@cache
def _tree(path: str) -> ast.Module:
    with open(path, encoding="utf-8") as stream:
        return ast.parse(stream.read(), path)


def node_of(function: FunctionType) -> FunctionNode:
    """Return the syntax tree of a function or lambda.

    >>> node_of(node_of).name
    'node_of'
    """
    code = function.__code__
    if code.co_filename.startswith("<"):
        raise TranslationError(f"{function.__qualname__} is generated and has no source")
    found = [node for node in _by_line(code.co_filename).get(code.co_firstlineno, ()) if _is(node, code)]
    if len(found) != 1:
        raise TranslationError(f"{code.co_filename}:{code.co_firstlineno}: {len(found)} functions {code.co_name}")
    return found[0]


@cache
def _by_line(path: str) -> dict[int, list[FunctionNode]]:
    """Return the functions of a file by their first lines, as code objects name them."""
    found: dict[int, list[FunctionNode]] = {}
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
        elif isinstance(node, ast.FunctionDef):
            found.setdefault(min([node.lineno, *(d.lineno for d in node.decorator_list)]), []).append(node)
    return found


def _is(node: FunctionNode, code: CodeType) -> bool:
    return code.co_name == ("<lambda>" if isinstance(node, ast.Lambda) else node.name)


def free_names(function: FunctionType) -> dict[str, Any]:
    """Return the variables that a function took from the functions around it, by name."""
    cells = function.__closure__ or ()
    return {name: cell.cell_contents for name, cell in zip(function.__code__.co_freevars, cells, strict=True)}


def plain_function(value: Any) -> FunctionType | None:
    """Return the function behind memos and wrappers; None if the value is no Python function.

    >>> from functools import cache
    >>> plain_function(cache(node_of)) is node_of
    True
    """
    found = inspect.unwrap(value) if callable(value) and not isinstance(value, type) else value
    return found if isinstance(found, FunctionType) else None


def assigned_names(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements assign, without those of functions and comprehensions inside them."""
    for statement in body:
        yield from _assigned(statement)


def captured_late(body: list[ast.stmt]) -> Iterator[tuple[ast.AST, str]]:
    """Yield inner functions with a variable that they take and that is assigned after them.

    The runtime copies variables when it makes a function; Python reads them when it is called.

    >>> late = ast.parse("f = lambda: n" + chr(10) + "n = 2").body
    >>> [name for _, name in captured_late(late)]
    ['n']
    """
    own = set(assigned_names(body))
    last = dict.fromkeys(own, 0)
    walked = [n for statement in body for n in ast.walk(statement)]
    in_place = {n.target for n in walked if isinstance(n, ast.AugAssign) and isinstance(n.op, ast.BitOr)}
    for node in walked:
        if node in in_place:
            continue  # the object stays the same
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in own:
            last[node.id] = max(last[node.id], node.lineno)
        if isinstance(node, ast.FunctionDef) and node.name in own:
            last[node.name] = max(last[node.name], node.lineno)
    for inner in (n for n in walked if isinstance(n, FunctionNode)):
        used = {n.id for n in ast.walk(inner) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        hidden = {a.arg for a in ast.walk(inner.args) if isinstance(a, ast.arg)}
        if isinstance(inner, ast.FunctionDef):
            hidden |= set(assigned_names(inner.body))
        yield from ((inner, name) for name in sorted(used & own - hidden) if last[name] > (inner.end_lineno or 0))


def _assigned(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
        return
    if isinstance(node, (ast.Lambda, ast.Import, ast.ImportFrom)):
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    inside = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    for child in ast.iter_child_nodes(node):
        if not isinstance(node, inside):
            yield from _assigned(child)
        else:  # only `:=` leaves a comprehension
            yield from (n.target.id for n in ast.walk(child) if isinstance(n, ast.NamedExpr))
