"""The memo of prepared launches in C: calls that are found by their arguments as they are written."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from memo_calls import Calls, address_of, named, operands, record

import tilewright as tw
from tilewright.jit.memo import Memo


def product(*arguments: Any, **options: Any) -> None:
    """The function that the calls below belong to; the memo never calls it."""
    raise AssertionError


def kept(memo: Memo, calls: Calls, arguments: tuple[Any, ...], options: dict[str, Any], maker: Any = None) -> None:
    """Keep a call of `product` with two tensors and perhaps `out` under its arguments."""
    a, b = [x for x in arguments if isinstance(x, np.ndarray)]
    given = named(a, b, options.get("out"))
    assert memo.keep("choices", given, *record(calls, (a, b, options.get("out")), maker))
    assert memo.run("choices", given, product, arguments, options, "t2")


def test_a_call_is_found_by_its_arguments(memo: Memo) -> None:
    calls, (a, b, out) = Calls(), operands()
    assert memo.again(product, (a, b), {"out": out}) is None
    kept(memo, calls, (a, b), {"out": out})
    x, y, z = operands()
    assert memo.again(product, (x, y), {"out": z}) is z
    assert calls.seen[-1] == tuple(map(address_of, (x, y, z)))
    assert len(memo) == 2


@pytest.mark.parametrize(
    "other",
    [
        lambda a, b, out: ((a, b, out), {}),
        lambda a, b, out: ((b, a), {"out": out}),
        lambda a, b, out: ((a, b), {"result": out}),
        lambda a, b, out: ((a, b), {"out": out, "alpha": 1.0}),
        lambda a, b, out: ((a, b), {"out": None}),
        lambda a, b, out: ((a, b), {}),
        lambda a, b, out: ((a, 1), {"out": out}),
        lambda a, b, out: ((a, [b]), {"out": out}),
        lambda a, b, out: ((a, b), {"out": a[:, :1]}),
        lambda a, b, out: ((a, b, *[a[:i] for i in range(20)]), {"out": out}),
        lambda a, b, out: ((a, b), {"out": out, **{f"more{i}": i for i in range(30)}}),
    ],
)
def test_other_words_are_another_call(memo: Memo, other: Any) -> None:
    calls, (a, b, out) = Calls(), operands()
    kept(memo, calls, (a, b), {"out": out})
    seen = len(calls.seen)
    arguments, options = other(*operands())
    assert memo.again(product, arguments, options) is None
    assert memo.again(len, (a, b), {"out": out}) is None
    assert len(calls.seen) == seen


@pytest.mark.parametrize("count", [3, 16, 39, 40, 41, 63, 64, 65, 250, 2000])
@pytest.mark.parametrize("by_name", [False, True])
def test_one_tensor_may_be_given_any_number_of_times(memo: Memo, count: int, by_name: bool) -> None:
    """It is one of few tensors, and yet an argument of its own each time."""
    calls, (a, b, out) = Calls(), operands()
    kept(memo, calls, (a, b), {"out": out})
    seen = len(calls.seen)
    options = {f"more{i}": a for i in range(count)} if by_name else {}
    for arguments in ((a,) * count, (a, b) * count, (a, a, None) * count):
        assert memo.again(product, () if by_name else arguments, options) is None
        assert memo.run("choices", named(a, b, out), product, () if by_name else arguments, options, "t2")
    assert len(calls.seen) == seen + 3, "what cannot be a key is run, and not kept"


def test_a_function_refuses_too_many_arguments() -> None:
    a = np.ones((4, 4), np.float32)
    for _ in range(2):
        tw.gemm(a, a)
    for count in (3, 40, 64, 250, 2000):
        with pytest.raises(TypeError, match="positional arguments"):
            tw.gemm(*[a] * count)


SAME = [(1.0, 1.0), ("relu", "".join(["re", "lu"])), ((1, (2, 3)), (1, (2, 3))), (None, None), (np.float32, np.float32)]
OTHERS = [
    (1.0, True), (1.0, 1), (True, 1), (0.0, -0.0), ((1, 2), (1.0, 2)), ((1, 2), (1, 2, 3)), ("relu", "gelu"),
    ("relu", b"relu"), (1.0, np.float64(1.0)), (1, [1]), (None, 0), (1.5, 2.5), (1.5, float("nan")),
]  # fmt: skip


@pytest.mark.parametrize(("first", "then", "hit"), [(*p, True) for p in SAME] + [(*p, False) for p in OTHERS])
def test_constants_are_the_same_by_value_and_type(memo: Memo, first: Any, then: Any, hit: bool) -> None:
    calls, (a, b, out) = Calls(), operands()
    kept(memo, calls, (a, b), {"out": out, "option": first})
    assert (memo.again(product, (a, b), {"out": out, "option": then}) is out) == hit


DEEP: list[Any] = []
DEEP.append(DEEP)


@pytest.mark.parametrize("odd", [{1: 2}, object(), [object()], (np.ones(1),), [np.ones(1)], np.ones(1), DEEP, [[]] * 9])
def test_arguments_that_say_something_else_are_no_key(memo: Memo, odd: Any) -> None:
    calls, (a, b, out) = Calls(), operands()
    given, options = named(a, b, out), {"out": out, "odd": odd}
    assert memo.keep("choices", given, *record(calls, (a, b, out)))
    assert memo.run("choices", given, product, (a, b), options, "t2")
    assert memo.again(product, (a, b), options) is None
    assert len(memo) == 1


LISTS: dict[str, tuple[Any, Any, bool]] = {
    "a list": (lambda a, b: ([a, b],), lambda a, b: ([a, b],), True),
    "a list in a tuple": (lambda a, b: ((a, [b, 1]),), lambda a, b: ((a, [b, 1]),), True),
    "numbers": (lambda a, b: (a, b, [1, 2], []), lambda a, b: (a, b, [1, 2], []), True),
    "another number": (lambda a, b: (a, b, [1, 2]), lambda a, b: (a, b, [1, 3]), False),
    "a number of another type": (lambda a, b: (a, b, [1, 2]), lambda a, b: (a, b, [1, 2.0]), False),
    "a tuple for a list": (lambda a, b: ([a, b],), lambda a, b: ((a, b),), False),
    "a tuple of numbers": (lambda a, b: (a, b, [1, 2]), lambda a, b: (a, b, (1, 2)), False),
    "without a list": (lambda a, b: ([a, b],), lambda a, b: (a, b), False),
    "another length": (lambda a, b: ([a, b],), lambda a, b: ([a], b), False),
    "another order": (lambda a, b: ([a, b],), lambda a, b: ([b, a],), False),
    "another place": (lambda a, b: ([a], b), lambda a, b: (a, [b]), False),
    "a list more": (lambda a, b: ([a, b],), lambda a, b: ([[a, b]],), False),
    "a step": (lambda a, b: (a, [("add", b), "relu"]), lambda a, b: (a, [("add", b), "relu"]), True),
    "another step": (lambda a, b: (a, [("add", b), "relu"]), lambda a, b: (a, [("add", b), "silu"]), False),
}


@pytest.mark.parametrize("case", LISTS)
def test_lists_count_by_what_is_in_them(memo: Memo, case: str) -> None:
    first, then, hit = LISTS[case]
    calls, (a, b, out) = Calls(), operands()
    assert memo.keep("choices", named(a, b, out), *record(calls, (a, b, out)))
    assert memo.run("choices", named(a, b, out), product, first(a, b), {"out": out}, "t2")
    x, y, z = operands()
    assert (memo.again(product, then(x, y), {"out": z}) is z) == hit
    if hit:
        assert calls.seen[-1] == tuple(map(address_of, (x, y, z)))


def test_a_list_is_read_at_each_call(memo: Memo) -> None:
    calls, (a, b, out) = Calls(), operands()
    given = [a, b]
    assert memo.keep("choices", named(a, b, out), *record(calls, (a, b, out)))
    assert memo.run("choices", named(a, b, out), product, (given,), {"out": out}, "t2")
    given[0], _, _ = operands()
    assert memo.again(product, (given,), {"out": out}) is out
    assert calls.seen[-1][0] == address_of(given[0]) != address_of(a)
    given.append(a)
    assert memo.again(product, (given,), {"out": out}) is None


def test_an_object_that_is_given_twice_must_be_given_twice_again(memo: Memo) -> None:
    calls, square = Calls(), [np.ones((3, 3), np.float32) for _ in range(3)]
    given = named(square[0], square[0], square[2])
    assert memo.keep("choices", given, *record(calls, (square[0], square[0], square[2])))
    assert memo.run("choices", given, product, (square[0], square[0]), {"out": square[2]}, "t2")
    assert memo.again(product, (square[1], square[1]), {"out": square[2]}) is square[2]
    assert calls.seen[-1] == tuple(map(address_of, (square[1], square[1], square[2])))
    assert memo.again(product, (square[0], square[1]), {"out": square[2]}) is None


def test_results_are_made_and_returned_one_or_several(memo: Memo) -> None:
    calls, (a, b, _), made = Calls(), operands(), []

    def maker() -> Any:
        made.append(np.empty((2, 4), np.float32))
        return made[-1]

    kept(memo, calls, (a, b), {}, maker)
    result = memo.again(product, (a, b), {})
    assert result is made[-1]
    assert len(made) == 3  # for the example of the record, the first run and this one
    assert memo.run("choices", named(a, b, None), product, (a, b, "both"), {}, ("t0", "t2"))
    both = memo.again(product, (a, b, "both"), {})
    assert both == (a, made[-1])
    assert memo.run("choices", named(a, b, None), product, (a, b, "none"), {}, ("t7",))
    assert memo.again(product, (a, b, "none"), {}) is None


def test_overlap_and_lost_results_are_seen_by_arguments_too(memo: Memo) -> None:
    calls, memory = Calls(), np.ones(24, np.float32)
    a, b, out = memory[:6].reshape(2, 3), memory[6:18].reshape(3, 4), np.empty((2, 4), np.float32)
    kept(memo, calls, (a, b), {"out": out})
    assert memo.again(product, (a, b), {"out": memory[2:10].reshape(2, 4)}) is None
    memo.clear()
    assert memo.again(product, (a, b), {"out": out}) is None


def test_bad_uses_are_errors(memo: Memo) -> None:
    a, b, _ = operands()
    for wrong in [(product, (a, b)), (product, [a, b], {}), (product, (a, b), None)]:
        with pytest.raises(TypeError, match="again"):
            memo.again(*wrong)
    for bad in [("x",), ("x", [a]), ("x", {}, product), ("x", {}, product, [a], {}, "t2")]:
        with pytest.raises(TypeError, match="run"):
            memo.run(*bad)


def test_references_are_stable(memo: Memo) -> None:
    calls, first = Calls(), operands()
    options = {"out": first[2], "option": ("some", 1.5), "listed": [("multiply", 2.0)]}
    kept(memo, calls, first[:2], options)
    watched = (*first, calls, memo, first[0].dtype, NotImplemented, None, product, options["option"])
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(100):
        memo.again(product, first[:2], options)
        memo.again(product, (first[0], first[1], first[0]), {})
        memo.run("choices", named(*first), product, first[:2], options, "t2")
        calls.seen.clear()
    after = [sys.getrefcount(x) for x in watched]
    assert all(abs(x - y) < 20 for x, y in zip(before, after, strict=True))
    memo.clear()
    assert sys.getrefcount(options["option"]) < before[-1]
