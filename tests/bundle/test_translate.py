"""The translator and the evaluator: Python's semantics for the part of the language that definitions use."""

from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tilewright.cpp.translate import Program, TranslationError, translate
from tilewright.errors import ProblemError, UnknownNameError

pytestmark = pytest.mark.xdist_group("bundle")


@dataclass(frozen=True)
class Box:
    rows: int
    cols: int = 2
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.rows < 0:
            raise ProblemError(f"rows is {self.rows!r}; it must be >= 0", remedy="give rows")

    @property
    def area(self) -> int:
        return self.rows * self.cols

    @cached_property
    def label(self) -> str:
        return f"{self.rows}x{self.cols:,} {self.area / 3:.2f} {1.5!r} {self.names}"

    @classmethod
    def square(cls, size: int) -> Box:
        return cls(size, cols=size)

    def scaled(self, by: int, *more: int, **named: int) -> tuple[int, ...]:
        return (self.rows * by, *more, *named.values())


class Corner(NamedTuple):
    x: int
    y: int = 5


class Base:
    def name(self, word: str) -> str:
        return f"base {word}"


class Derived(Base):
    def name(self, word: str) -> str:
        return super().name(word) + "!"


make_box = lru_cache(maxsize=4)(Box)
rows_and_cols = attrgetter("rows", "cols")


def of_classes(rows: int) -> Any:
    """Named tuples, inherited methods, memos of classes, getters, chains, keywords of inner functions."""
    corner = Corner(rows)._replace(y=7)
    first, second = corner

    def noted(word: str, **further: int) -> Any:
        return [word, *further.values(), rows]

    chained = [*chain((1, 2), (rows,))]
    made = {"a": 1}
    made.update(zip(("b",), (2,), strict=True), c=3)
    return [first, second, corner[1], Corner(1).y, Derived().name("x"), rows_and_cols(make_box(rows, 4)),
            noted("w", z=3), chained, made, round(2.5), round(3.5), pow(3, -1, 7)]  # fmt: skip


def fail(x: int) -> int:
    raise ValueError(str(x))


def twice(x: int) -> int:
    return 2 * x


def add(a: int, b: int = 10) -> int:
    return a + b


def stops(values: list[int]) -> Any:
    """Generators are evaluated only as far as Python does."""
    first = next((x for x in values if x > 1 or fail(x)), None) if values[0] > 1 else None
    return [first, any(x > 1 or fail(x) for x in values[:1]), all(x < 0 and fail(x) for x in values)]


def grown(rows: list[int]) -> Any:
    """What grows stays the same object, for all that hold it."""
    also, table, seen = rows, {"a": 1}, {1}
    same, more = table, seen

    def held() -> Any:
        return [table["a"], len(table)]

    rows += [7]
    rows += (8, 9)
    table |= {"a": 2, "b": 3}
    seen |= {2}
    fixed = pair = (1, 2)
    pair += (3,)
    number = 5
    number |= 2
    return [also, sorted(same.items()), sorted(more), fixed, pair, held(), number]


def tried(name: str) -> str:
    table = {"a": 1}
    try:
        return f"found {table[name]}"
    except (KeyError, TypeError):
        return "missing"


def walk(data: dict[str, Any]) -> Any:
    box = Box.square(data["size"])
    total, found = 0, []
    for i, (x, y) in enumerate(zip(data["xs"], reversed(data["xs"]), strict=True), 1):
        if x == 99:
            continue
        total += i * x - y // 2
        found.append(x if 0 <= x < 5 else -x)
    first, *rest = data["xs"]
    best = min(data["xs"], key=lambda v: abs(v - data["size"]))
    grown = {k: v**2 for k, v in {"p": 2, **data["more"]}.items() if v}
    partly = partial(add, 5)
    return {
        "area": box.area, "label": box.label, "scaled": list(box.scaled(2, 7, z=1)), "total": total, "found": found,
        "first": first, "rest": rest, "best": best, "grown": grown, "sum": sum(map(twice, rest)), "add": add(b=1, a=2),
        "partly": partly(), "sorted": sorted({3, 1, 2} - {2}), "slice": data["xs"][1:3] + data["xs"][::-1][:1],
        "text": ", ".join(str(x) for x in rest) or "none", "tried": [tried("a"), tried("b")], "stops": stops([4, 0]),
        "mods": [-7 % 3, -7 // 3, 7 // -2, 2**10, 6 & 3, 6 | 1, ~5, 1 << 4], "chain": 1 < 2 <= 2 != 3,
        "floats": [0.1 + 0.2, 1e-7, 1e16, 2.0, 1 / 3], "bool": [True, not [], None], "kind": int is int,
        "replaced": "a-b".replace("-", "_").startswith(("x", "a_")), "default": data.get("none", {}).get("x", 4),
    }  # fmt: skip


def unknown(data: dict[str, Any]) -> Any:
    if data["kind"] == "box":
        return Box(-1).area
    raise UnknownNameError("colour", data["kind"], ["red", "green", "blue"])


def run(function: Any, data: Any, library: Path) -> tuple[bool, Any]:
    """(whether it answered, the answer) of the translated function."""
    program = {**translate({"load": list_of, "describe": function}), "formulas": {}}
    lib, handle, answer = ctypes.CDLL(str(library)), ctypes.c_void_p(), ctypes.c_char_p()
    text = json.dumps(program).encode()
    assert not lib.tw_selection_open(text, b"[]", ctypes.byref(handle), ctypes.byref(answer)), answer.value
    failed = lib.tw_selection_call(handle, b"describe", json.dumps(data).encode(), ctypes.byref(answer))
    lib.tw_selection_close(handle)
    assert answer.value is not None
    return not failed, json.loads(answer.value)


def list_of(rows: Any) -> Any:
    return list(rows)


DATA = {"size": 3, "xs": [4, 99, 1, 7], "more": {"q": 0, "r": 3}}


def test_values_are_those_of_python(selection_library: Path) -> None:
    assert run(walk, DATA, selection_library) == (True, json.loads(json.dumps(walk(DATA))))


def test_what_grows_in_place_is_that_of_python(selection_library: Path) -> None:
    assert run(grown, [1], selection_library) == (True, json.loads(json.dumps(grown([1]))))


def test_classes_are_those_of_python(selection_library: Path) -> None:
    assert run(of_classes, 3, selection_library) == (True, json.loads(json.dumps(of_classes(3))))


@pytest.mark.parametrize("kind", ["box", "gren", "violet"])
def test_errors_are_those_of_python(kind: str, selection_library: Path) -> None:
    with pytest.raises((ProblemError, UnknownNameError)) as raised:
        unknown({"kind": kind})
    error = raised.value
    assert run(unknown, {"kind": kind}, selection_library) == (
        False,
        {"type": type(error).__name__, "message": error.message, "remedy": error.remedy or ""},
    )


def yields(x: int) -> Any:
    yield x


def has_else(x: list[int]) -> int:
    for i in x:
        if i:
            break
    else:
        return 0
    return 1


def takes_later(x: int) -> Any:
    inner = lambda: later  # noqa: E731
    later = x
    return inner()


def calls_later(x: int) -> Any:
    def inner() -> int:
        return later()

    def later() -> int:
        return x

    return inner()


def computes_twice(x: list[int]) -> Any:
    x[twice(0)] += 1
    return x


def sorts_backwards(x: list[int]) -> Any:
    return sorted(x, reverse=True)


def sums_from(x: list[int]) -> Any:
    return sum(x, start=1)


def rounds_to(x: float) -> Any:
    return round(x, 2)


added = partial(add, b=1)


def adds(x: int) -> Any:
    return added(x)


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (yields, "Yield"),
        (has_else, "a loop with else"),
        (takes_later, "a function that takes later, which is assigned after it,"),
        (calls_later, "a function that takes later, which is assigned after it,"),
        (computes_twice, "a target that is computed twice"),
        (sorts_backwards, r"sorted\(reverse=...\)"),
        (sums_from, r"sum\(start=...\)"),
        (rounds_to, "round to digits"),
        (adds, "partial with b="),
    ],
)
def test_what_cannot_be_translated_is_named_with_its_place(function: Any, what: str) -> None:
    with pytest.raises(TranslationError, match=rf"test_translate.py:\d+: {what}"):
        translate({"f": function})


def test_only_members_that_are_used_are_translated() -> None:
    program = Program()
    data = program.to_dict({"walk": walk})
    boxes = [o[1] for o in data["objects"] if o[0] == "class" and o[1]["name"] == "Box"]
    assert {"area", "label", "square", "scaled", "__post_init__"} == set(boxes[0]["members"])
    assert program.skipped == []


@pytest.mark.parametrize("text", [b"", b"{", b"[1,", b'{"schema": 2}', b'{"schema": 1}', b"[" * 1000, b"nul"])
def test_a_damaged_program_is_refused(text: bytes, selection_library: Path) -> None:
    lib, handle, answer = ctypes.CDLL(str(selection_library)), ctypes.c_void_p(), ctypes.c_char_p()
    assert lib.tw_selection_open(text, b"[]", ctypes.byref(handle), ctypes.byref(answer))
    assert not handle
    assert "message" in json.loads(answer.value or b"{}")
