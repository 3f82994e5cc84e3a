"""KernelTree: what it answers is what each kernel alone would be told, with fewer questions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.model.kernel import KernelSpec, kept_by_kernel
from tilewright.model.kernel_tree import KernelTree, UnknownField, partial_algorithm, seen_as


@dataclass(frozen=True)
class Tile:
    rows: int = 1
    cols: int = 1
    kind: str = "plain"
    wide: bool = False

    def area(self) -> int:
        return self.rows * self.cols

    def label(self) -> str:
        return f"{self.kind}_{self.rows}x{self.cols}_{self.wide}"


TILES = [Tile(*fields) for fields in product((16, 32, 64), (8, 16), ("plain", "strip", "box"), (False, True))]


def tree_of(tiles: list[Tile] = TILES) -> KernelTree:
    return KernelTree([KernelSpec("gemm", "cpu", "x86_64_v3", None, t) for t in tiles])


def answers(tree: KernelTree, question: Any, ask: Any, among: int | None = None) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for answer, members in tree.answers(question, ask, tree.everything if among is None else among):
        assert not found.keys() & set(tree.indices(members)), "a kernel was answered twice"
        found.update(dict.fromkeys(tree.indices(members), answer))
    return found


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 80), st.integers(0, 40), st.integers(0, 2**36 - 1)), min_size=1, max_size=12))
def test_every_kernel_gets_its_own_answer_problem_after_problem(problems: list[tuple[int, int, int]]) -> None:
    tree = tree_of()
    for rows, cols, among in problems:

        def ask(spec: KernelSpec, rows: int = rows, cols: int = cols) -> Any:
            a = spec.algorithm
            if rows % 3 == 0:  # which fields are read, and in which order, depends on the problem
                return "none"
            if a.kind == "box" and rows < 40:
                return a.area()
            return a.cols > cols if rows % 2 else (a.wide, a.rows > rows and a.cols)

        expected = {i: ask(s) for i, s in enumerate(tree.specs) if among >> i & 1}
        assert answers(tree, "question", ask, among) == expected


def test_kernels_that_cannot_be_told_apart_are_asked_about_once() -> None:
    tree, asked = tree_of(), []

    def ask(spec: KernelSpec) -> bool:
        asked.append(spec)
        return bool(spec.algorithm.kind == "strip")

    for _ in range(2):
        asked.clear()
        assert len(tree.indices(tree.those("strips", ask, tree.everything))) == 12
    assert len(asked) == 3  # once for each kind; all kernels together are not asked about any more


def test_a_question_that_read_a_field_is_put_to_the_parts_from_then_on() -> None:
    tree, asked = tree_of(), []

    def ask(known: bool, spec: KernelSpec) -> bool:
        asked.append(spec)
        return known or bool(spec.algorithm.wide)

    for known, count in ((True, 1), (False, 3), (False, 2), (True, 2)):
        asked.clear()
        found = answers(tree, "wide", lambda spec, known=known: ask(known, spec))
        assert found == {i: known or tile.wide for i, tile in enumerate(TILES)}
        assert len(asked) == count


def test_what_all_kernels_have_in_common_is_known() -> None:
    tree = tree_of([Tile(rows=n, kind="box") for n in (16, 32)])
    assert answers(tree, "kind", lambda spec: spec.algorithm.kind) == {0: "box", 1: "box"}
    assert answers(tree, "all", lambda spec: replace(spec.algorithm, wide=True).area()) == {0: 16, 1: 32}


def test_a_partial_algorithm_is_one_of_its_kind_but_for_what_is_unknown() -> None:
    some = partial_algorithm(Tile, {"rows": 4})
    assert isinstance(some, Tile)
    assert (some.rows, some.label()) == (4, "")
    assert len({some, some, partial_algorithm(Tile, {"rows": 4})}) == 2  # two that know the same may not be the same
    with pytest.raises(UnknownField, match="cols"):
        some.area()


def test_an_algorithm_seen_as_another_says_by_its_own_name_what_is_unknown() -> None:
    @dataclass(frozen=True)
    class Window(Tile):
        inner: str = "fma"

    seen = seen_as(partial_algorithm(Window, {"rows": 4, "kind": "box"}), Tile, {"kind": "inner"}, wide=True)
    assert (seen.rows, seen.wide) == (4, True)
    with pytest.raises(UnknownField, match="inner"):
        _ = seen.kind
    assert seen_as(Window(rows=2, inner="amx"), Tile, {"kind": "inner"}) == Tile(rows=2, kind="amx")


def test_what_a_kernel_keeps_is_not_kept_of_an_unknown_one() -> None:
    tree = tree_of()

    @kept_by_kernel
    def area(spec: KernelSpec) -> int:
        return int(spec.algorithm.area())

    for _ in range(2):
        assert answers(tree, "area", area) == {i: t.area() for i, t in enumerate(TILES)}
