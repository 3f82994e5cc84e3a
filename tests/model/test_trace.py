"""Traced numbers: the code of a function is the function, for every size, or there is no code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.model.expr import UntraceableError
from tilewright.model.trace import Trace, settled

Function = Callable[[Any, Any], Any]
SIZES = st.integers(0, 300)


def code_of(function: Function, m: int, n: int) -> Callable[[int, int], Any]:
    trace = Trace(["m", "n"])
    return trace.code(function(trace.number("m", m), trace.number("n", n)))


def tiles(m: Any, n: Any) -> Any:
    rows = -(-m // 64)
    programs = min(rows * (-(-n // 128)), 132)
    return (programs, rows * 64 - m, max(m, n) * 2.0, (abs(m - n), n % 7 & 3))


def guarded_division(m: Any, n: Any) -> Any:
    if m == n:
        return (0,)
    return (1000 // (m - n), m % (m - n), n / (n - m))


def by_results(m: Any, n: Any) -> Any:
    side = settled(lambda sizes: (1 << min(sizes[0], 7),), (m, 3))[0]
    return (side, (m * n).bit_length())


FUNCTIONS = [tiles, guarded_division, by_results]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@given(SIZES, SIZES, SIZES, SIZES)
def test_the_code_is_the_function(function: Function, m: int, n: int, other_m: int, other_n: int) -> None:
    code = code_of(function, m, n)
    assert code(m, n) == function(m, n)
    assert code(other_m, other_n) in (None, function(other_m, other_n))


def test_what_a_guard_keeps_out_is_not_computed() -> None:
    code = code_of(guarded_division, 5, 3)
    assert code(4, 4) is None
    assert code(9, 7) == guarded_division(9, 7)


def test_sizes_that_take_another_way_have_no_code() -> None:
    code = code_of(tiles, 100, 100)
    assert code(120, 110) == tiles(120, 110)
    assert code(120, 130) is None


@pytest.mark.parametrize(
    "function",
    [
        lambda m, n: ({m: 1}[m],),
        lambda m, n: (int(m),),
        lambda m, n: (float(m),),
        lambda m, n: ([0] * 400)[m],
        lambda m, n: tuple(range(m)),
        lambda m, n: (m + "1",),
        lambda m, n: (str(n),),
    ],
)
def test_what_cannot_be_written_down_is_refused(function: Function) -> None:
    with pytest.raises((UntraceableError, TypeError)):
        code_of(function, 3, 4)


def test_a_settled_result_is_asked_for_once_by_all_traces() -> None:
    asked = []

    def side(size: int) -> int:
        asked.append(size)
        return 8 if size > 50 else 4

    codes = [code_of(lambda m, n: (settled(side, m), n), size, 1) for size in (20, 100)]
    asked.clear()
    assert [code(70, 3) for code in codes] == [None, (8, 3)]
    assert [code(20, 5) for code in codes] == [(4, 5), None]
    assert asked == [70, 20]
