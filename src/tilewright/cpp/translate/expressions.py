"""Expressions of Python as nodes of the selection program: lists that begin with the name of what to do."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .natives import ANY_NAMED, NAMED, native_name
from .sources import TranslationError

if TYPE_CHECKING:
    from .program import Program

Node = list[Any]
BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
COMPARED = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not", ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=",
    ast.GtE: ">=", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
UNKNOWN = object()
LAZY: dict[Any, str] = {any: "any", all: "all", next: "first"}  # how functions stop a generator


class Scope:
    """The places of a function's local variables; `names` are those that are visible now."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.count = 0

    def add(self, name: str) -> int:
        """Return a new place for a variable of this name."""
        self.names[name] = self.count
        self.count += 1
        return self.names[name]


class Expressions:
    """Writes the expressions of one function. `static` is what names mean that are no local variables."""

    def __init__(self, program: Program, scope: Scope, static: dict[str, Any], where: str) -> None:
        self.program, self.scope, self.static, self.where = program, scope, static, where

    def fail(self, node: ast.AST, what: str) -> TranslationError:
        """Return the error for a part of the language that is not translated."""
        return TranslationError(f"{self.where}:{getattr(node, 'lineno', 0)}: {what} cannot be translated")

    def resolve(self, node: ast.expr) -> Any:
        """Return the Python object that an expression names already now; `UNKNOWN` if it is known only at run time."""
        if isinstance(node, ast.Name) and node.id not in self.scope.names:
            return self.static.get(node.id, UNKNOWN)
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value)
            if type(base).__name__ == "module":
                return getattr(base, node.attr)
            if base is object and node.attr == "__setattr__":
                return setattr
        if isinstance(node, ast.Subscript) and isinstance(self.resolve(node.value), type):
            return self.resolve(node.value)  # dict[str, int] is dict
        return UNKNOWN

    def value(self, node: ast.expr) -> Node:
        """Return the node of an expression."""
        known = self.resolve(node)
        if known is not UNKNOWN:
            return ["k", self.program.reference(known, f"{self.where}:{node.lineno}")]
        write: Callable[[Any], Node] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if write is None:
            raise self.fail(node, type(node).__name__)
        return write(node)

    def _name(self, node: ast.Name) -> Node:
        if node.id not in self.scope.names:
            raise self.fail(node, f"the name {node.id}")
        return ["v", self.scope.names[node.id]]

    def _constant(self, node: ast.Constant) -> Node:
        return ["k", self.program.reference(node.value, f"{self.where}:{node.lineno}")]

    def _binop(self, node: ast.BinOp) -> Node:
        return [BINARY[type(node.op)], self.value(node.left), self.value(node.right)]

    def _unaryop(self, node: ast.UnaryOp) -> Node:
        name = {ast.USub: "neg", ast.Invert: "inv", ast.Not: "not"}.get(type(node.op))
        if name is None:
            raise self.fail(node, "this sign")
        return [name, self.value(node.operand)]

    def _boolop(self, node: ast.BoolOp) -> Node:
        return ["and" if isinstance(node.op, ast.And) else "or", *(self.value(v) for v in node.values)]

    def _compare(self, node: ast.Compare) -> Node:
        values = [self.value(x) for x in (node.left, *node.comparators)]
        if len(values) == 2:
            return [COMPARED[type(node.ops[0])], *values]
        return ["compare", [COMPARED[type(op)] for op in node.ops], *values]

    def _ifexp(self, node: ast.IfExp) -> Node:
        return ["if", self.value(node.test), self.value(node.body), self.value(node.orelse)]

    def _namedexpr(self, node: ast.NamedExpr) -> Node:
        return ["walrus", self.scope.names[node.target.id], self.value(node.value)]

    def _attribute(self, node: ast.Attribute) -> Node:
        self.program.use(node.attr)
        return ["attr", node.attr, self.value(node.value)]

    def _subscript(self, node: ast.Subscript) -> Node:
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            none = ["k", self.program.reference(None)]
            return ["part", self.value(node.value), *(self.value(b) if b is not None else none for b in bounds)]
        return ["item", self.value(node.value), self.value(node.slice)]

    def values(self, nodes: list[ast.expr]) -> list[Node]:
        """Return the nodes of expressions, some of which may be spread."""
        return [["star", self.value(n.value)] if isinstance(n, ast.Starred) else self.value(n) for n in nodes]

    def _tuple(self, node: ast.Tuple) -> Node:
        return ["tuple", *self.values(node.elts)]

    def _list(self, node: ast.List) -> Node:
        return ["list", *self.values(node.elts)]

    def _set(self, node: ast.Set) -> Node:
        return ["set", *self.values(node.elts)]

    def _dict(self, node: ast.Dict) -> Node:
        pairs: list[Node] = []
        for key, value in zip(node.keys, node.values, strict=True):
            pairs += [["star", self.value(value)]] if key is None else [self.value(key), self.value(value)]
        return ["dict", *pairs]

    def _joinedstr(self, node: ast.JoinedStr) -> Node:
        return ["text", *(self._text_part(part) for part in node.values)]

    def _text_part(self, part: ast.expr) -> Node:
        if isinstance(part, ast.Constant):
            return ["k", self.program.reference(part.value)]
        assert isinstance(part, ast.FormattedValue)
        spec = ""
        if part.format_spec is not None:
            assert isinstance(part.format_spec, ast.JoinedStr)
            pieces = part.format_spec.values
            if not all(isinstance(v, ast.Constant) for v in pieces):
                raise self.fail(part, "a computed format")
            spec = "".join(str(v.value) for v in pieces if isinstance(v, ast.Constant))
        return ["format", spec, part.conversion == ord("r"), self.value(part.value)]

    def _listcomp(self, node: ast.ListComp) -> Node:
        return self._collected("list", node.generators, [node.elt])

    def _generatorexp(self, node: ast.GeneratorExp) -> Node:
        return self._collected("tuple", node.generators, [node.elt])

    def _setcomp(self, node: ast.SetComp) -> Node:
        return self._collected("set", node.generators, [node.elt])

    def _dictcomp(self, node: ast.DictComp) -> Node:
        return self._collected("dict", node.generators, [node.key, node.value])

    def _collected(self, kind: str, generators: list[ast.comprehension], result: list[ast.expr]) -> Node:
        outer, loops = dict(self.scope.names), []
        for generator in generators:
            iterated = self.value(generator.iter)
            for name in (n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name)):
                self.scope.add(name)
            loops.append([iterated, self.target(generator.target), *(self.value(test) for test in generator.ifs)])
        made = ["collect", kind, loops, *(self.value(r) for r in result)]
        self.scope.names = outer
        return made

    def target(self, node: ast.expr) -> Node:
        """Return the node of what is assigned to."""
        if isinstance(node, ast.Name):
            return ["v", self.scope.names[node.id]]
        if isinstance(node, (ast.Tuple, ast.List)):
            stars = [i for i, t in enumerate(node.elts) if isinstance(t, ast.Starred)]
            if len(stars) > 1:
                raise self.fail(node, "this assignment")
            parts = [self.target(t.value if isinstance(t, ast.Starred) else t) for t in node.elts]
            return ["unpack", stars[0] if stars else -1, *parts]
        if isinstance(node, ast.Subscript):
            return ["item", self.value(node.value), self.value(node.slice)]
        if isinstance(node, ast.Attribute):
            return ["attr", node.attr, self.value(node.value)]
        raise self.fail(node, "this assignment")

    def _call(self, node: ast.Call) -> Node:
        known = self.resolve(node.func)
        if callable(known) and known in (any, all, next) and node.args and isinstance(node.args[0], ast.GeneratorExp):
            # Only as much is evaluated as Python evaluates: what follows may not be legal any more.
            taken = self._collected(LAZY[known], node.args[0].generators, [node.args[0].elt])
            return ["call", self.value(node.func), [taken, *self.values(node.args[1:])], []] if known is next else taken
        self._check_native(node, known)
        arguments = self.values(node.args)
        named = [[k.arg, self.value(k.value)] for k in node.keywords]
        if _is_super(node.func):
            inherited = ["k", self.program.reference(self._inherited(node.func), f"{self.where}:{node.lineno}")]
            return ["call", inherited, [["v", 0], *arguments], named]
        if self.resolve(node.func) is UNKNOWN and isinstance(node.func, ast.Attribute):
            self.program.use(node.func.attr)
            return ["method", node.func.attr, self.value(node.func.value), arguments, named]
        return ["call", self.value(node.func), arguments, named]

    def _check_native(self, node: ast.Call, known: Any) -> None:
        """Raise for arguments that a function of the runtime would pass over."""
        name = None if known is UNKNOWN else native_name(known)
        if name is None or name in ANY_NAMED:
            return
        for keyword in node.keywords:
            if keyword.arg not in NAMED.get(name, ()):
                raise self.fail(node, f"{name}({keyword.arg}=...)")
        if name == "round" and len(node.args) > 1:
            raise self.fail(node, "round to digits")

    def _inherited(self, node: ast.expr) -> Any:
        """Return the function that `super().name` names: classes have one line of bases."""
        assert isinstance(node, ast.Attribute)
        for base in self.static["__class__"].__mro__[1:]:
            if node.attr in vars(base):
                return vars(base)[node.attr]
        raise self.fail(node, f"super().{node.attr}")

    def _lambda(self, node: ast.Lambda) -> Node:
        return self.program.nested(self, node, "lambda")


def _is_super(node: ast.expr) -> bool:
    called = node.value if isinstance(node, ast.Attribute) else None
    return isinstance(called, ast.Call) and isinstance(called.func, ast.Name) and called.func.id == "super"
