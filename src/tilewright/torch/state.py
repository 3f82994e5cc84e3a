"""What a fused forward pass depends on: attributes, hooks, classes, global variables, and versions of weights.

`watch` lists all of that for a module, and `compare` of the result says at each call whether it is still so. The
comparison runs in C (`native/launcher_watch.hpp`, which defines a box); `PythonWatch` does the same if that could not
be built.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from types import CellType, CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any, Protocol

import torch
from torch import nn

from ..jit.launcher import launcher
from .layer_turns import LEFT
from .ways import GLOBAL_HOOKS

Tensor = torch.Tensor
OBJECT, DICT, LIST, SET, CELL, NAMES = range(6)
TENSORS = (Tensor, nn.Parameter)
PLAIN = (int, float, str, bytes, complex)
ABSENT = NotImplemented  # the value of a name that must not be there
TENSOR_FUNCTIONS = ("_ZNK2at10TensorBase8_versionEv", "aoti_torch_get_data_ptr", "aoti_torch_delete_tensor_object")
MAX_BOXES = 20_000  # a comparison of so many takes a millisecond
# Attributes of modules that no forward pass reads, or that other attributes imply.
SKIPPED = frozenset(
    {"forward", "tilewright_report", "tilewright_calls", LEFT, "_tilewright_packed", "_non_persistent_buffers_set"}
)
SKIPPED_ENDS = ("state_dict_hooks", "state_dict_pre_hooks", "state_dict_post_hooks", "_with_kwargs", "_always_called")
FORWARDS = ("forward", "_conv_forward", "__call__")  # what is watched of torch's own classes
Change = int | tuple[int, Any]  # 0: none, 1: values of tensors, (box, key): structure
Box = tuple[int, Any, Any]  # kind, container, items


class Watch(Protocol):
    """Objects and tensors, and what they were."""

    def compare(self) -> Change:
        """Return 0 if all is as it was, 1 if tensors have other values, else (box, key or None)."""


class TooLargeError(Exception):
    """A module refers to more objects than a call should look at."""


class State:
    """The state of a module when it was fused.

    `live` are the submodules that the fused forward pass calls as they are, which may change. Of `sources`, the
    tensors from which others were computed, the values count. Raises `TooLargeError`.

    >>> layer = nn.Linear(2, 2)
    >>> state = State(layer, (), (layer.weight,))
    >>> _ = nn.init.zeros_(layer.weight)
    >>> state.compare(), nn.init.zeros_(layer.bias) is layer.bias
    (1, True)
    >>> layer.scale = 2.0
    >>> state.explain(state.compare())
    'an attribute of the model has changed'
    """

    def __init__(self, module: nn.Module, live: Collection[nn.Module], sources: Iterable[Tensor]) -> None:
        walk = _Walk(live)
        walk.enter(module, "")
        for hooks in GLOBAL_HOOKS:
            walk.add(DICT, hooks, (), "the hooks of all modules")
        self.boxes, self.names, self.read = walk.boxes, walk.names, walk.read
        self.sources = tuple(sources)
        self._held = [t.detach() for t in self.sources]  # their memory cannot become that of other values
        self.compare = _watch(tuple(self.boxes), self.sources).compare

    def review(self, change: Change) -> Change:
        """Return a change again, or 1 if modules only have new attributes that no function of the model reads.

        torch and others mark modules so.
        """
        found = change
        while isinstance(found, tuple) and self._accepts(found[0]):
            self.compare = _watch(tuple(self.boxes), self.sources).compare
            found = self.compare() or 1  # values may have changed too
        return found

    def _accepts(self, box: int) -> bool:
        kind, container, items = self.boxes[box]
        if kind != OBJECT or not isinstance(container, nn.Module):
            return False
        new = vars(container).keys() - set(items[::2])
        if not new or new & self.read:
            return False
        self.boxes[box] = kind, container, (*items, *(x for key in new for x in (key, vars(container)[key])))
        return True

    def explain(self, change: Any) -> str:
        """Return what has changed, for the report."""
        box, key = change
        what = ".".join(part for part in (self.names[box], key) if part and isinstance(part, str))
        return f"{what or 'an attribute of the model'} has changed"


def _watch(boxes: tuple[Box, ...], sources: tuple[Tensor, ...]) -> Watch:
    module = launcher().module
    if module is None:
        return PythonWatch(boxes, sources)
    base = torch._C.TensorBase.__dict__
    functions = _functions() if all(type(t) in TENSORS for t in sources) else None
    handles = tuple(torch._C._aoti.unsafe_alloc_void_ptrs_from_tensors(list(sources))) if functions else ()
    return module.Watch(boxes, sources, TENSORS, base["_version"], base["data_ptr"], handles, functions or (0, 0, 0))


@cache
def _functions() -> tuple[int, ...] | None:
    """Return the addresses of torch's functions on C++ tensors: version, address, release. None if it lacks one."""
    path = os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so")
    try:
        library = ctypes.CDLL(path, os.RTLD_NOLOAD | os.RTLD_NOW)
        found = [ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in TENSOR_FUNCTIONS]
    except (AttributeError, OSError):
        return None
    has_handles = hasattr(torch._C, "_aoti") and hasattr(torch._C._aoti, "unsafe_alloc_void_ptrs_from_tensors")
    return tuple(address or 0 for address in found) if has_handles else None


class PythonWatch:
    """The comparison of `native/launcher_watch.hpp` in Python."""

    def __init__(self, boxes: tuple[Box, ...], sources: tuple[Tensor, ...]) -> None:
        self.boxes = [(*box, type(box[1]), vars(box[1]) if box[0] == OBJECT else None) for box in boxes]
        self.sources = [(t, t._version, t.data_ptr()) for t in sources]

    def compare(self) -> Change:
        """Return 0 if all is as it was, 1 if tensors have other values, else (box, key or None)."""
        worst = 0
        for i, (kind, container, items, was, attributes) in enumerate(self.boxes):
            if kind == OBJECT and (type(container) is not was or vars(container) is not attributes):
                return i, None
            found, key = _COMPARED[kind](attributes if kind == OBJECT else container, items)
            if found == 2:
                return i, key
            worst = max(worst, found)
        return worst or int(any(stamp_of(t) != (version, address) for t, version, address in self.sources))


def stamp_of(tensor: Tensor) -> tuple[int, int] | None:
    """Return the version and address of a tensor; None if it has none, as in inference mode or under a transform."""
    try:
        return tensor._version, tensor.data_ptr()
    except RuntimeError:
        return None


def _compare_values(expected: Any, found: Any) -> int:
    if expected is found:
        return 0
    if type(expected) in TENSORS and type(found) in TENSORS:
        return 1
    if type(expected) is not type(found):
        return 2
    if type(expected) in PLAIN:
        return 0 if expected == found else 2
    if type(expected) is not tuple or len(expected) != len(found):
        return 2
    return max(map(_compare_values, expected, found), default=0)


def _compare_names(container: Any, items: Any) -> tuple[int, Any]:
    worst, culprit = 0, None
    found = vars(container) if isinstance(container, type) else container
    for key, expected in zip(items[::2], items[1::2], strict=True):
        change = _compare_values(expected, found.get(key, ABSENT))
        if change > worst:
            worst, culprit = change, key
    return worst, culprit


def _compare_dict(found: Any, items: Any) -> tuple[int, Any]:
    return _compare_names(found, items) if len(found) * 2 == len(items) else (2, None)


def _compare_list(found: Any, items: Any) -> tuple[int, Any]:
    return _compare_values(items, tuple(found)), None


def _compare_set(found: Any, items: Any) -> tuple[int, Any]:
    return 0 if found == items else 2, None


def _compare_cell(found: Any, items: Any) -> tuple[int, Any]:
    try:
        return _compare_values(items[0], found.cell_contents), None
    except ValueError:  # it is empty now
        return 2, None


_COMPARED = {
    OBJECT: _compare_dict, DICT: _compare_dict, LIST: _compare_list, SET: _compare_set, CELL: _compare_cell,
    NAMES: _compare_names,
}  # fmt: skip


class _Walk:
    """Collects boxes from a module down: attributes, containers, other objects, classes, and variables of functions."""

    def __init__(self, live: Collection[nn.Module]) -> None:
        self.boxes: list[Box] = []
        self.names: list[str] = []
        self.read = {"forward"}  # names in functions of the model
        self._seen = {id(m) for m in live}
        self._kept: list[Any] = []  # ids stay those of the objects that were seen

    def add(self, kind: int, container: Any, items: Any, name: str) -> None:
        """Add one box."""
        if len(self.boxes) == MAX_BOXES:
            raise TooLargeError(f"it refers to more than {MAX_BOXES} objects, too many to compare at each call")
        self.boxes.append((kind, container, items))
        self.names.append(name)

    def enter(self, value: Any, name: str) -> None:
        """Collect what a value consists of."""
        kind = type(value)
        if value is None or kind in PLAIN or kind is bool or id(value) in self._seen:
            return
        self._seen.add(id(value))
        self._kept.append(value)
        if isinstance(value, Tensor):
            return
        if isinstance(value, nn.Module):
            self._object(value, name)
        elif isinstance(value, dict):
            self.add(DICT, value, tuple(x for item in value.items() for x in item), name)
            self._all((f"{name}.{key}".lstrip("."), v) for key, v in value.items())
        elif isinstance(value, (list, tuple)):
            if isinstance(value, list):
                self.add(LIST, value, tuple(value), name)
            self._all((name, v) for v in value)
        elif isinstance(value, set):
            if all(type(v) in PLAIN for v in value):
                self.add(SET, value, frozenset(value), name)
        elif isinstance(value, MethodType):
            self._all(((name, value.__func__), (name, value.__self__)))
        elif isinstance(value, FunctionType):
            self._function(value)
        elif kind is SimpleNamespace or (hasattr(value, "__dict__") and not _is_foreign(kind)):
            self._object(value, name)

    def _all(self, values: Iterable[tuple[str, Any]]) -> None:
        for name, value in values:
            self.enter(value, name)

    def _object(self, value: Any, name: str) -> None:
        if isinstance(value, (ModuleType, type)):
            return
        attributes = vars(value)
        self.add(OBJECT, value, tuple(x for item in attributes.items() for x in item), name)
        self._class(type(value))
        for key, held in list(attributes.items()):
            if isinstance(value, nn.Module) and (key in SKIPPED or key.endswith(SKIPPED_ENDS)):
                continue
            inner = key in ("_modules", "_parameters", "_buffers")  # whose keys are names in the model
            self.enter(held, name if inner else f"{name}.{key}".lstrip("."))

    def _class(self, kind: type) -> None:
        for base in kind.__mro__:
            if base in (object, nn.Module) or id(base) in self._seen:
                continue
            self._seen.add(id(base))
            self.read |= vars(base).keys()
            own = {k: v for k, v in vars(base).items() if _is_watched(base, k)}
            self._names(base, {**dict.fromkeys(FORWARDS, ABSENT), **own}, f"class {base.__name__}")
            if not _is_foreign(base):
                self._all((f"class {base.__name__}.{k}", _unwrapped(v)) for k, v in own.items())

    def _names(self, space: Any, items: dict[str, Any], name: str) -> None:
        """Add some variables of a namespace, or attributes of a class."""
        if items:
            self.add(NAMES, space, tuple(x for item in items.items() for x in item), name)

    def _function(self, function: FunctionType) -> None:
        """Collect the global variables and cells that a function reads."""
        if _is_foreign(function):
            return
        for cell in function.__closure__ or ():
            self._cell(cell, f"a variable of {function.__qualname__}")
        names = set(_names_of(function.__code__))
        self.read |= names
        for space in _namespaces(function.__globals__, names):
            read = {n: space[n] for n in names if n in space and not isinstance(space[n], (ModuleType, type))}
            self._names(space, read, "globals")
            self._all((f"globals.{n}", v) for n, v in read.items())

    def _cell(self, cell: CellType, name: str) -> None:
        try:
            held = cell.cell_contents
        except ValueError:  # empty
            return
        self.add(CELL, cell, (held,), name)
        self.enter(held, name)


def _is_foreign(thing: Any) -> bool:
    """Return whether a class or function belongs to torch, tilewright, NumPy or Python: it has no state of a model."""
    package = str(getattr(thing, "__module__", "")).partition(".")[0]
    return package in ("torch", "tilewright", "numpy", "builtins") or package in sys.stdlib_module_names


def _is_watched(base: type, name: str) -> bool:
    if _is_foreign(base):
        return name in FORWARDS
    return name == "__call__" or not name.startswith("__")


def _unwrapped(value: Any) -> Any:
    """Return the function of a property, a static method or a class method."""
    return getattr(value, "fget", None) or getattr(value, "__func__", value)


def _names_of(code: CodeType) -> Iterator[str]:
    """Return the names in a function: variables, attributes, and texts, which may be those of attributes."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_of(constant)
        elif isinstance(constant, str):
            yield constant


def _namespaces(variables: dict[str, Any], names: Collection[str]) -> Iterator[dict[str, Any]]:
    """Return the variables of a function's module, and those of other modules that it names."""
    yield variables
    for name in names:
        value = variables.get(name)
        if isinstance(value, ModuleType) and not _is_foreign(SimpleNamespace(__module__=value.__name__)):
            yield vars(value)
