"""Program: everything that is reached from some roots, as plain data that a small evaluator in C++ runs.

A name that Python resolves when a module is loaded is resolved here too: functions and classes are translated, data is
written as it is. Of a class only those members are translated whose name occurs in translated code.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import inspect
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MethodType, ModuleType
from typing import Any

from ...model.json_text import Json
from .expressions import Expressions, Node, Scope
from .natives import FUNCTION_TYPES, NATIVES, TYPES
from .sources import TranslationError, assigned_names, captured_late, free_names, node_of, plain_function
from .statements import Statements

ALWAYS = ("__post_init__", "__str__", "__getattr__", "__init__", "__call__")
PROGRAM_SCHEMA = 1


@dataclasses.dataclass(frozen=True)
class Native:
    """A function of the evaluator that replaces a Python object."""

    name: str


class Program:
    """Collects functions and objects. `instead` maps Python objects to the objects that replace them.

    An object is a list: what it is, then its parts. Parts are the places of other objects.
    """

    def __init__(self, instead: Mapping[Any, Any] | None = None, used: Sequence[str] = ()) -> None:
        """Replace objects by `instead`; `used` are members that code names only at run time."""
        self._instead = {id(k): v for k, v in (instead or {}).items()}
        self._keep: list[Any] = [instead]  # ids stay unique
        self._places: dict[Any, int] = {}
        self._waiting: list[Callable[[], None]] = []
        self._classes: list[tuple[type | ModuleType, dict[str, Any], set[str]]] = []
        self._used: set[str] = {*ALWAYS, *used}
        self._members_only: set[int] = set()  # functions that are reached only by the name of a member
        self.objects: list[Node] = []
        self.functions: list[dict[str, Any]] = []
        self.skipped: list[str] = []  # members that cannot be translated; calling one raises

    def use(self, name: str) -> None:
        """Note that a member of this name is used."""
        self._used.add(name)

    def run(self) -> None:
        """Translate everything that is reached."""
        while True:
            while self._waiting:
                self._waiting.pop()()
            for kind, made, done in list(self._classes):
                for name in sorted(self._used - done):
                    done.add(name)
                    self._member(kind, made, name)
            if not self._waiting and not any(self._used - done for _, _, done in self._classes):
                return

    def reference(self, value: Any, where: str = "") -> int:
        """Return the place of a Python object that is known now."""
        value = _without_memo(self._instead.get(id(value), value))
        key = (type(value), value) if isinstance(value, (str, int, float, type(None))) else id(value)
        if key not in self._places:
            self._keep.append(value)
            self._places[key] = place = len(self.objects)
            self.objects.append([])
            try:
                self.objects[place] = self._object(value, where)
            except TranslationError:
                del self._places[key]  # the next one that needs it gets the same error
                self.objects[place] = ["constant", None]
                raise
        return self._places[key]

    def _object(self, value: Any, where: str) -> Node:
        if value is None or isinstance(value, (str, int, float)):
            return ["constant", value]
        native = _native(value)
        if native is not None:
            return native
        if isinstance(value, type):
            if _of_python(value):
                raise TranslationError(f"{where}: the class {value.__qualname__} belongs to Python")
            return ["class", self._class(value)]
        if isinstance(value, ModuleType):
            return ["module", self._module(value)]
        function = plain_function(value)
        if function is not None:
            return ["function", self._function(function)]
        if isinstance(value, functools.partial):
            if value.keywords:
                raise TranslationError(f"{where}: partial with {', '.join(value.keywords)}= cannot be translated")
            return ["partial", *(self.reference(x, where) for x in (value.func, *value.args))]
        if isinstance(value, operator.attrgetter):
            return ["partial", *(self.reference(x, where) for x in (Native("attributes"), *value.__reduce__()[1]))]
        if isinstance(value, MethodType):
            return ["partial", *(self.reference(x, where) for x in (value.__func__, value.__self__))]
        return self._literal(value, where)

    def _literal(self, value: Any, where: str) -> Node:
        def all_of(items: Any) -> list[int]:
            return [self.reference(x, where) for x in items]

        if isinstance(value, (tuple, list)):
            return ["tuple" if isinstance(value, tuple) else "list", *all_of(value)]
        if isinstance(value, (set, frozenset)):
            return ["set", *all_of(sorted(value))]
        if isinstance(value, Mapping):
            return ["dict", *(x for k, v in value.items() for x in all_of((k, v)))]
        if dataclasses.is_dataclass(value):
            held = all_of(getattr(value, f.name) for f in dataclasses.fields(value))
            return ["new", self.reference(type(value), where), *held]
        if type(value).__module__.startswith("tilewright"):
            kept = {name: held for name, held in vars(value).items() if _is_kept(type(value), name)}
            if len(kept) == len(vars(value)):
                pairs = [x for name, held in sorted(kept.items()) for x in (name, self.reference(held, where))]
                return ["kept", self.reference(type(value), where), *pairs]
        raise TranslationError(f"{where}: {type(value).__name__} {value!r:.60} cannot be written as data")

    def _function(self, function: FunctionType) -> int:
        if _of_python(function):
            self._members_only.add(id(function))  # not translated: calling it raises
        place = len(self.functions)
        self.functions.append({})
        where = function.__code__.co_filename.split("/tilewright/")[-1]
        self.functions[place] = self._signature(function, where)
        self._waiting.append(lambda: self._body(function, place, where))
        return place

    def _signature(self, function: FunctionType, where: str) -> Json:
        parameters = inspect.signature(function).parameters.values()
        named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        kinds = {p.kind for p in parameters}
        return {
            "name": function.__name__,
            "names": [p.name for p in named],
            "positional": sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in named),
            "defaults": [self.reference(p.default, where) for p in named if p.default is not p.empty],
            "rest": inspect.Parameter.VAR_POSITIONAL in kinds,
            "named": inspect.Parameter.VAR_KEYWORD in kinds,
        }

    def _body(self, function: FunctionType, place: int, where: str) -> None:
        static = {**vars(builtins), **function.__globals__, **free_names(function)}
        made = self.functions[place]
        try:
            if _of_python(function):
                raise TranslationError(f"{where}: {function.__qualname__} belongs to Python")
            scope = Scope()
            made["body"] = self._inside(node_of(function), scope, static, where)
            made["locals"] = scope.count
        except TranslationError as error:
            if id(function) not in self._members_only:
                raise
            self.skipped.append(error.message)
            reason = self.reference(f"{function.__qualname__} is not translated")
            made["body"], made["locals"] = (
                [["raise", ["call", ["k", self.reference(RuntimeError)], [["k", reason]], []]]],
                8,
            )

    def _inside(
        self, node: ast.FunctionDef | ast.Lambda, scope: Scope, static: dict[str, Any], where: str
    ) -> list[Node]:
        """Return the statements of a function; its parameters have the first places."""
        arguments = node.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        parameters += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
        for parameter in parameters:
            scope.add(parameter.arg)
        body: list[ast.stmt] = node.body if isinstance(node, ast.FunctionDef) else [_returned(node)]
        for name in dict.fromkeys(assigned_names(body)):
            if name not in {p.arg for p in parameters}:
                scope.add(name)
        writer = Statements(self, scope, static, where)
        for inner, name in captured_late(body):
            raise writer.fail(inner, f"a function that takes {name}, which is assigned after it,")
        return writer.block(body)

    def nested(self, writer: Expressions, node: ast.FunctionDef | ast.Lambda, name: str) -> Node:
        """Return the node of a function inside another; it copies the variables around it when it is made."""
        arguments = node.args
        if arguments.vararg or arguments.kwonlyargs or arguments.defaults:
            raise writer.fail(node, "a function with such parameters inside another")
        positional, outer = [a.arg for a in arguments.args], dict(writer.scope.names)
        names = [*positional, *([arguments.kwarg.arg] if arguments.kwarg else [])]
        scope = Scope()
        scope.count = len(names)  # parameters come first, then what is copied
        held = [(place, scope.add(known)) for known, place in outer.items() if known not in names]
        captured, scope.count, total = dict(scope.names), 0, scope.count
        for parameter in names:
            scope.add(parameter)
        scope.names, scope.count = {**captured, **scope.names}, total
        body: list[ast.stmt] = node.body if isinstance(node, ast.FunctionDef) else [_returned(node)]
        for own in dict.fromkeys(assigned_names(body)):
            if own not in names:
                scope.add(own)
        for inner, late in captured_late(body):
            raise writer.fail(inner, f"a function that takes {late}, which is assigned after it,")
        statements = Statements(self, scope, writer.static, writer.where).block(body)
        place = len(self.functions)
        self.functions.append({
            "name": name, "names": positional, "positional": len(positional), "defaults": [], "rest": False,
            "named": arguments.kwarg is not None, "body": statements, "locals": scope.count,
        })  # fmt: skip
        return ["closure", place, [list(pair) for pair in held]]

    def _module(self, module: ModuleType) -> Json:
        """Return a module as a class without instances: its functions and data are constants."""
        made: Json = {"name": module.__name__, "data": False, "fields": [], "bases": [], "members": {}}
        self._classes.append((module, made, set()))
        return made

    def _class(self, kind: type) -> Json:
        if _is_named_tuple(kind):
            return self._named_tuple(kind)
        data = dataclasses.is_dataclass(kind)
        bases = [b for b in kind.__mro__[1:] if b.__module__.startswith("tilewright") and not _is_protocol(b)]
        made: Json = {
            "name": kind.__name__,
            "data": data,
            "fields": [self._field(f) for f in dataclasses.fields(kind)] if data else [],
            "bases": [self.reference(b) for b in bases],
            "members": {},
        }
        self._classes.append((kind, made, set()))
        return made

    def _named_tuple(self, kind: Any) -> Json:
        """Return a named tuple as a data class whose objects are also sequences of their fields."""
        defaults = kind._field_defaults
        fields = [
            [n, "value", self.reference(defaults[n], n)] if n in defaults else [n, "none", 0] for n in kind._fields
        ]
        made = {"name": kind.__name__, "data": True, "sequence": True, "fields": fields, "bases": [], "members": {}}
        self._classes.append((kind, made, {"__init__", "__getattr__", "__str__", *kind._fields}))
        return made

    def _field(self, f: dataclasses.Field[Any]) -> list[Any]:
        """Return the name of a field and its default: none, a value, or a call."""
        if f.default is not dataclasses.MISSING:
            return [f.name, "value", self.reference(f.default, f.name)]
        if f.default_factory is not dataclasses.MISSING:
            return [f.name, "call", self.reference(f.default_factory, f.name)]
        return [f.name, "none", 0]

    def _member(self, kind: type | ModuleType, made: Json, name: str) -> None:
        found = inspect.getattr_static(kind, name, None)
        if isinstance(kind, ModuleType):
            self._module_member(made, name, found)
            return
        if dataclasses.is_dataclass(kind) and (name == "__init__" or name in kind.__dataclass_fields__):
            return
        how, target = _described(found)
        if target is None or (isinstance(target, FunctionType) and _of_python(target)):
            return
        if isinstance(target, FunctionType) and id(target) not in self._places:
            self._members_only.add(id(target))
        self._waiting.append(lambda: self._add(made, name, how, target))

    def _module_member(self, made: Json, name: str, found: Any) -> None:
        function = plain_function(found)
        if function is not None and id(function) not in self._places:
            self._members_only.add(id(function))
        if function is not None or (found is not None and _is_data(found)):
            self._waiting.append(lambda: self._add(made, name, "constant", found))

    def _add(self, made: Json, name: str, how: str, target: Any) -> None:
        made["members"][name] = [how, self.reference(target, f"{made['name']}.{name}")]

    def to_dict(self, roots: Mapping[str, Any]) -> Json:
        """Return the whole program as plain data; `roots` are the functions that can be called by name."""
        places = {name: self.reference(root, name) for name, root in roots.items()}
        self.run()
        return {"schema": PROGRAM_SCHEMA, "roots": places, "objects": self.objects, "functions": self.functions}


def _described(found: Any) -> tuple[str, Any]:
    """Return how a member is used and the function or data behind it; None if it is neither."""
    if isinstance(found, property):
        return "property", found.fget
    if isinstance(found, functools.cached_property):
        return "kept", found.func
    if isinstance(found, classmethod):
        return "class", found.__func__
    if isinstance(found, staticmethod):
        return "constant", found.__func__
    if isinstance(found, FunctionType):
        return "method", found
    return "constant", found if found is not None and _is_data(found) else None


def _without_memo(value: Any) -> Any:
    """Return the class behind a memo of its objects; other values as they are."""
    inner = getattr(value, "__wrapped__", None) if callable(value) and not isinstance(value, type) else None
    return inner if isinstance(inner, type) else value


def _is_kept(kind: type, name: str) -> bool:
    return isinstance(inspect.getattr_static(kind, name, None), functools.cached_property)


def _is_named_tuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_field_defaults")


def _returned(node: ast.Lambda) -> ast.Return:
    return ast.copy_location(ast.Return(node.body), node.body)


def _native(value: Any) -> Node | None:
    """Return what the evaluator itself provides."""
    if isinstance(value, Native):
        return ["native", value.name]
    if isinstance(value, type):
        if value in FUNCTION_TYPES:
            return ["native", FUNCTION_TYPES[value]]
        name = TYPES.get(value)
        if name is None and issubclass(value, BaseException):
            name = value.__name__
        return ["type", name] if name else None
    try:
        known = NATIVES.get(value)
    except TypeError:
        return None
    return ["native", known] if known else None


def _is_protocol(kind: type) -> bool:
    return bool(getattr(kind, "_is_protocol", False)) or kind.__name__ == "Generic"


def _of_python(what: FunctionType | type) -> bool:
    """Return whether a function or a class belongs to Python itself."""
    return what.__module__.partition(".")[0] in sys.stdlib_module_names


def _is_data(value: Any) -> bool:
    plain = (str, int, float, bool, tuple, list, dict, frozenset, set)
    return isinstance(value, plain) or (dataclasses.is_dataclass(value) and not isinstance(value, type))


def translate(roots: Mapping[str, Any], instead: Mapping[Any, Any] | None = None) -> Json:
    """Return the program of `roots`, functions by name, as plain data.

    >>> translate({"which": _is_protocol})["functions"][0]["name"]
    '_is_protocol'
    """
    return Program(instead).to_dict(roots)
