"""Statements of Python as nodes of the selection program."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from typing import Any

from .expressions import BINARY, Expressions, Node

IN_PLACE: dict[type, str] = {ast.Add: "+=", ast.BitOr: "|="}  # lists, dictionaries and sets stay the same objects


class Statements(Expressions):
    """Writes the statements of one function."""

    def block(self, body: list[ast.stmt]) -> list[Node]:
        """Return the nodes of statements."""
        return [made for made in (self.statement(s) for s in body) if made]

    def statement(self, node: ast.stmt) -> Node:
        """Return the node of one statement; empty if it does nothing."""
        write: Callable[[Any], Node] | None = getattr(self, f"_on_{type(node).__name__.lower()}", None)
        if write is None:
            raise self.fail(node, type(node).__name__)
        return write(node)

    def _on_pass(self, node: ast.Pass) -> Node:
        return []

    def _on_assert(self, node: ast.Assert) -> Node:
        return []

    def _on_expr(self, node: ast.Expr) -> Node:
        return [] if isinstance(node.value, ast.Constant) else ["do", self.value(node.value)]

    def _on_return(self, node: ast.Return) -> Node:
        return ["return", self.value(node.value) if node.value is not None else ["k", self.program.reference(None)]]

    def _on_assign(self, node: ast.Assign) -> Node:
        return ["let", self.value(node.value), *(self.target(t) for t in node.targets)]

    def _on_annassign(self, node: ast.AnnAssign) -> Node:
        return ["let", self.value(node.value), self.target(node.target)] if node.value is not None else []

    def _on_augassign(self, node: ast.AugAssign) -> Node:
        if any(isinstance(part, (ast.Call, ast.NamedExpr)) for part in ast.walk(node.target)):
            raise self.fail(node, "a target that is computed twice")
        old = ast.parse(ast.unparse(node.target), mode="eval").body
        for part in ast.walk(old):
            ast.copy_location(part, node)
        return [
            "let",
            [IN_PLACE.get(type(node.op)) or BINARY[type(node.op)], self.value(old), self.value(node.value)],
            self.target(node.target),
        ]

    def _on_if(self, node: ast.If) -> Node:
        return ["when", self.value(node.test), self.block(node.body), self.block(node.orelse)]

    def _on_for(self, node: ast.For) -> Node:
        if node.orelse:
            raise self.fail(node, "a loop with else")
        return ["for", self.value(node.iter), self.target(node.target), self.block(node.body)]

    def _on_while(self, node: ast.While) -> Node:
        return ["while", self.value(node.test), self.block(node.body)]

    def _on_continue(self, node: ast.Continue) -> Node:
        return ["continue"]

    def _on_break(self, node: ast.Break) -> Node:
        return ["break"]

    def _on_raise(self, node: ast.Raise) -> Node:
        if node.exc is None:
            raise self.fail(node, "raise without an error")
        return ["raise", self.value(node.exc)]

    def _on_with(self, node: ast.With) -> Node:
        if len(node.items) != 1 or node.items[0].optional_vars is not None:
            raise self.fail(node, "this with statement")
        return ["with", self.value(node.items[0].context_expr), self.block(node.body)]

    def _on_try(self, node: ast.Try) -> Node:
        if node.finalbody or node.orelse or any(h.name or h.type is None for h in node.handlers):
            raise self.fail(node, "this try statement")
        handlers = [[self.value(h.type), self.block(h.body)] for h in node.handlers if h.type is not None]
        return ["try", self.block(node.body), handlers]

    def _on_functiondef(self, node: ast.FunctionDef) -> Node:
        made = self.program.nested(self, node, node.name)
        return ["let", made, ["v", self.scope.names[node.name]]]

    def _on_importfrom(self, node: ast.ImportFrom) -> Node:
        found = importlib.import_module("." * node.level + (node.module or ""), self.static["__package__"])
        for alias in node.names:
            known = getattr(found, alias.name, None)
            self.static[alias.asname or alias.name] = (
                known if known is not None else importlib.import_module(f"{found.__name__}.{alias.name}")
            )
        return []
