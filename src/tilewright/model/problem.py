"""The common interface of problems, whose fields belong to each op, and their shape classes.

A shape class is all of a problem but the extents that change from call to call. Problems of one class whose sizes are
equal after rounding up share a decision. Rows of one matrix instruction cost the same whether they are used or not, and
a few rows more in a thousand do not change which kernel is best. Steps are powers of two, so that a step holds whole
tiles, or lies within one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from operator import attrgetter, itemgetter
from typing import Any, ClassVar, Protocol, TypeGuard, TypeVar

from .locks import new_lock
from .tensor import VECTOR

P = TypeVar("P", bound="Problem")
T = TypeVar("T")
MAX_SHAPE_CLASSES = 4096
MAX_TEMPLATES = 1024  # of calls, and of the launches of one kernel
EXACT_ROWS = 8  # so few rows have kernels of their own
INSTRUCTION_ROWS = 16
ROW_STEPS = 32  # from a power of two to the next
COUNT_STEPS = 8
CPU_STEPS = 16
Strides = Callable[[Mapping[str, Any]], Mapping[str, tuple[Any, ...]] | None]
SHAPE_CLASS = "_shape_class"  # where a problem keeps it
_shape_classes: dict[Any, ShapeClass] = {}
_lock = new_lock()


class Problem(Protocol):
    """Everything that decides whether a result is correct. A frozen dataclass owned by its op."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def op(self) -> str:
        """The op's name."""
        ...

    @property
    def variant(self) -> str:
        """Which of the op's computations it is, if each has models of its own: the direction of a convolution,
        forward, decode or backward of an attention."""
        ...

    @property
    def device(self) -> str:
        """The place of its tensors: cpu, cuda:0."""
        ...

    @property
    def deterministic(self) -> bool:
        """Whether every run must give the same bits."""
        ...

    @property
    def roles(self) -> tuple[str, ...]:
        """Its tensors, in order."""
        ...

    @property
    def operand_dtype(self) -> str:
        """The dtype of its first operand."""
        ...

    @property
    def strides(self) -> Mapping[str, tuple[int, ...]]:
        """The strides in elements of each role whose tensor is not dense."""
        ...

    @property
    def alignment(self) -> Mapping[str, int]:
        """The pointer alignment class in bytes of each role where it is known."""
        ...

    @property
    def signature(self) -> Any:
        """What is computed, without the sizes; a frozen dataclass owned by the op."""
        ...

    @property
    def summation(self) -> str:
        """The order in which its kernels sum: any, the same for every batch, or one by its name (`summation`)."""
        ...

    @property
    def flops(self) -> int:
        """Multiplications and additions."""
        ...

    @property
    def bytes(self) -> int:
        """The fewest bytes that must move: each tensor once."""
        ...

    @property
    def exact_key(self) -> str:
        """Identity for the plan cache: strides, pointer-alignment class and device included."""
        ...

    @property
    def tuning_key(self) -> str:
        """Identity for measurements and models: layout, leading-dimension alignment, sizes."""
        ...

    def shape(self, role: str) -> tuple[int, ...]:
        """The shape of a role."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of problem files."""
        ...

    def label(self) -> str:
        """Return a short readable text for tables."""
        ...


def is_problem(value: object) -> TypeGuard[Problem]:
    """Return whether `value` is a problem; a call may give a tensor of any library in its place.

    >>> is_problem([1.0, 2.0])
    False
    """
    return hasattr(type(value), "exact_key")


def needed_alignment(problem: Problem, role: str, scalar_roles: Sequence[str]) -> int:
    """Return the bytes of which the address of a tensor on a GPU must be a multiple: kernels read and write vectors.

    What is read number by number may be anywhere: tensors of `scalar_roles` (see `Op`), and a factor of a whole tensor.

    >>> from types import SimpleNamespace
    >>> problem = SimpleNamespace(alignment={"a": 4})
    >>> [needed_alignment(problem, role, ["ends"]) for role in ("a", "b", "ends")]
    [4, 16, 1]
    """
    if role in scalar_roles or (role.startswith("scale") and problem.shape(role) == (1,)):
        return 1
    return int(problem.alignment.get(role, VECTOR))


def kept_by_problem(make: Callable[[P], T]) -> Callable[[P], T]:
    """Return a memo of `make`: it is called once for each problem, which keeps the result; rules ask for every kernel.

    >>> from types import SimpleNamespace
    >>> asked, problem = [], SimpleNamespace(m=3)
    >>> size = kept_by_problem(lambda p: asked.append(p) or p.m)
    >>> size(problem), size(problem), len(asked)
    (3, 3, 1)
    """
    name = f"_{make.__module__}.{make.__qualname__}"

    @wraps(make)
    def answer(problem: P) -> T:
        kept: dict[str, T] = problem.__dict__
        try:
            return kept[name]
        except KeyError:
            found = kept[name] = make(problem)
            return found

    return answer


def note(problem: Problem, name: str, value: object) -> None:
    """Keep something that is known of a problem with it, as `kept_by_problem` does; it is no part of the problem.

    >>> from types import SimpleNamespace
    >>> problem = SimpleNamespace(m=3)
    >>> note(problem, "_shape_class", "many")
    >>> problem._shape_class
    'many'
    """
    problem.__dict__[name] = value


def identity_of(problem: Problem, but: tuple[str, ...] = ()) -> tuple[Any, ...]:
    """Return all fields of a problem (those in `but` left out) as a key of this process; cheaper than `exact_key`.

    >>> from tilewright.ops import problem_from_dict
    >>> a, b = (problem_from_dict({"op": "gemm", "m": m, "n": 8, "k": 8, "dtype": "fp16"}) for m in (2, 3))
    >>> identity_of(a) == identity_of(b), identity_of(a, ("m",)) == identity_of(b, ("m",))
    (False, True)
    """
    kind = type(problem)
    read, maps = _readers(kind, but)
    return (kind, *read(problem), *(tuple(sorted(held.items())) if held else () for held in maps(problem)))


def refitted(problem: P, kept: tuple[str, ...] = (), **changed: Any) -> P:
    """Return a copy of a problem with other values of some fields, which the caller has checked.

    Properties that `kept` names do not depend on these fields: the copy has them too, if they are known. Values may be
    of any type, such as traced numbers.

    >>> from tilewright.ops import problem_from_dict
    >>> p = problem_from_dict({"op": "gemm", "m": 2, "n": 8, "k": 8, "dtype": "fp16"})
    >>> refitted(p, strides={"a": (0, 16, 1)}).stride("a")
    (0, 16, 1)
    """
    return copies_of(problem, kept)(changed)


def copies_of(problem: P, kept: tuple[str, ...] = ()) -> Callable[[Mapping[str, Any]], P]:
    """Return a function that makes such copies of one problem: all are given other values of the same fields.

    >>> from tilewright.ops import problem_from_dict
    >>> copy = copies_of(problem_from_dict({"op": "gemm", "m": 2, "n": 8, "k": 4, "dtype": "fp16"}))
    >>> copy({"m": 3}).shape("a"), copy({"m": 5}).shape("a")
    ((3, 4), (5, 4))
    """
    kind, held = type(problem), problem.__dict__
    names, read = _fields(kind)
    base = dict(zip(names, read(held), strict=True))
    base.update((name, held[name]) for name in kept if name in held)
    new = object.__new__

    def copy(changed: Mapping[str, Any]) -> P:
        made: P = new(kind)
        made.__dict__.update(base, **changed)
        return made

    return copy


def resized(problem: P, names: Sequence[str], sizes: Sequence[int]) -> P:
    """Return a copy of a problem with other sizes, by name, which the caller has checked.

    >>> from tilewright.ops import problem_from_dict
    >>> resized(problem_from_dict({"op": "gemm", "m": 2, "n": 8, "k": 4, "dtype": "fp16"}), ("m",), (3,)).shape("a")
    (3, 4)
    """
    return refitted(problem, (), **dict(zip(names, sizes, strict=True)))


@cache
def _fields(kind: type[Problem]) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """Return the names of all fields, and a function that reads their values from a problem's dictionary."""
    names = tuple(kind.__dataclass_fields__)
    return names, itemgetter(*names)


@cache
def _readers(kind: type[Problem], but: tuple[str, ...]) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Return functions that read the plain fields and the mappings (strides, alignments) of a kind of problem."""
    held = {name: f for name, f in kind.__dataclass_fields__.items() if name not in but}
    maps = [name for name, f in held.items() if str(f.type).startswith("Mapping")]
    return attrgetter(*(name for name in held if name not in maps)), attrgetter(*maps)


class ShapeClass:
    """One object for all problems of a process that differ only in `extents`; compared by identity.

    `strides` returns the strides of a problem with these extents (by name) if they follow from them; None if it cannot.
    """

    __slots__ = ("extents", "sizes_of", "strides")

    def __init__(self, extents: tuple[str, ...], strides: Strides | None = None) -> None:
        self.extents, self.strides = extents, strides
        self.sizes_of: Callable[[Any], tuple[int, ...]] = _reader(extents)

    def fields(self, sizes: Iterable[Any]) -> dict[str, Any] | None:
        """Return the fields that differ between members of the class, for one of these sizes; None if not known."""
        fields = dict(zip(self.extents, sizes, strict=True))
        if self.strides is None:
            return fields
        strides = self.strides(fields)
        return None if strides is None else {**fields, "strides": strides}

    def __reduce__(self) -> Any:
        """Return None to other processes: a problem that is sent there finds its shape class again."""
        return (type(None), ())


def shape_class_of(problem: Problem, extents: tuple[str, ...]) -> ShapeClass:
    """Return the shape class of a problem whose op has these `extents`.

    >>> from tilewright.ops import problem_from_dict
    >>> a, b, c = (problem_from_dict({"op": "gemm", "m": m, "n": n, "k": 8, "dtype": "fp16"})
    ...            for m, n in ((2, 8), (3, 8), (2, 4)))
    >>> shape_class_of(a, ("m",)) is shape_class_of(b, ("m",)), shape_class_of(a, ("m",)) is shape_class_of(c, ("m",))
    (True, False)
    """
    found: ShapeClass | None = problem.__dict__.get(SHAPE_CLASS)
    if found is None:
        found = shape_class_for(identity_of(problem, extents), extents)
        note(problem, SHAPE_CLASS, found)
    return found


def shape_class_for(key: Any, extents: tuple[str, ...], strides: Strides | None = None) -> ShapeClass:
    """Return the shape class of a key, all that its problems share.

    >>> shape_class_for(("rows",), ("m",)) is shape_class_for(("rows",), ("m",))
    True
    """
    with _lock:
        found = _shape_classes.get(key)
        if found is None:
            if len(_shape_classes) >= MAX_SHAPE_CLASSES:
                _shape_classes.clear()
            found = _shape_classes[key] = ShapeClass(extents, strides)
        return found


def key_of(problem: Problem, extents: tuple[str, ...]) -> tuple[Any, ...]:
    """Return a key of this process for a problem whose op has these `extents`: cheap if its shape class is known.

    >>> from tilewright.ops import problem_from_dict
    >>> a, b, c = (problem_from_dict({"op": "gemm", "m": m, "n": 8, "k": 8, "dtype": "fp16"}) for m in (2, 2, 3))
    >>> key_of(a, ("m",)) == key_of(b, ("m",)), key_of(a, ("m",)) == key_of(c, ("m",))
    (True, False)
    """
    if not extents:
        return identity_of(problem)
    shape_class = shape_class_of(problem, extents)
    return (shape_class, *shape_class.sizes_of(problem))


def _reader(extents: tuple[str, ...]) -> Callable[[Any], tuple[int, ...]]:
    """Return a function that reads the extents, always as a tuple."""
    if len(extents) != 1:
        return attrgetter(*extents) if extents else lambda problem: ()
    read = attrgetter(*extents)
    return lambda problem: (read(problem),)


def round_rows(rows: int) -> int:
    """Return a number of rows or tokens rounded up.

    >>> [round_rows(n) for n in (0, 1, 7, 9, 17, 500, 520, 1000, 5000)]
    [0, 1, 7, 16, 32, 512, 528, 1008, 5120]
    """
    return rows if rows <= EXACT_ROWS else _up(rows, INSTRUCTION_ROWS, ROW_STEPS)


def round_count(count: int) -> int:
    """Return a number of images or sequences rounded up.

    >>> [round_count(n) for n in (0, 1, 15, 17, 33, 64, 100)]
    [0, 1, 15, 18, 36, 64, 104]
    """
    return count if count <= 2 * COUNT_STEPS else _up(count, 1, COUNT_STEPS)


def round_on_cpu(size: int) -> int:
    """Return any size rounded up for a CPU, whose tiles have odd numbers of rows.

    >>> [round_on_cpu(n) for n in (0, 1, 31, 33, 65, 100, 1000)]
    [0, 1, 31, 34, 68, 100, 1024]
    """
    return size if size <= 2 * CPU_STEPS else _up(size, 1, CPU_STEPS)


def _up(size: int, step: int, steps: int) -> int:
    while 2 * step * steps < size:
        step *= 2
    return -(-size // step) * step
