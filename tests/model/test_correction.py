"""The nearest legal spec: right, nearest, deterministic, bounded, and never applied."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.arch import get_arch
from tilewright.errors import SpecError
from tilewright.model.correction import nearest_legal
from tilewright.model.kernel import KernelSpec
from tilewright.model.rule import Subject, broken, judge, rule
from tilewright.model.tunable import tunable, tunables_of

SIZES = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Toy:
    rows: int = tunable(4, SIZES, "rows")
    cols: int = tunable(4, SIZES, "columns")
    kind: str = tunable("plain", ("plain", "packed", "split"), "kind")
    wide: bool = tunable(False, (False, True), "wide")

    def __post_init__(self) -> None:
        if self.kind == "split" and self.rows == 16:
            raise SpecError("16 rows cannot be split")

    @property
    def area(self) -> int:
        return self.rows * self.cols

    @cached_property
    def doubled(self) -> int:
        return 2 * self.rows

    def rest(self, by: int) -> int:
        return self.cols % by

    def label(self) -> str:
        return "toy"


@dataclass(frozen=True)
class Sig:
    def label(self) -> str:
        return "sig"


@rule("toy.area", "hardware", "rows * cols <= 16")
def area(s: Subject):
    return broken("too large") if s.spec.algorithm.area > 16 else None


@rule("toy.packed", "compile", "packed needs wide and cols % 4 == 0")
def packed(s: Subject):
    a = s.spec.algorithm
    return broken("not wide") if a.kind == "packed" and not (a.wide and a.rest(4) == 0) else None


@rule("toy.wide", "compile", "wide needs 2 * rows >= 8")
def wide(s: Subject):
    a = s.spec.algorithm
    return broken("too few rows") if a.wide and a.doubled < 8 else None


@rule("toy.never", "semantic", "false")
def never(s: Subject):
    return broken("never")


RULES = (area, packed, wide)
TUNABLES = tunables_of(Toy)
ARCH = get_arch("x86_64_v3")


def spec_of(**fields) -> KernelSpec:
    return KernelSpec("toy", "toy", ARCH.name, Sig(), Toy(**fields))


def every_legal(rows):
    for values in product(sorted({*SIZES, rows}), SIZES, ("plain", "packed", "split"), (False, True)):
        try:
            spec = spec_of(**dict(zip(("rows", "cols", "kind", "wide"), values, strict=True)))
        except SpecError:
            continue
        if not judge(RULES, Subject(spec, ARCH)):
            yield spec


def distance(one: Toy, other: Toy) -> float:
    return sum(t.distance(getattr(one, t.name), getattr(other, t.name)) for t in TUNABLES)


@given(
    rows=st.one_of(st.sampled_from(SIZES), st.integers(1, 40)),
    cols=st.sampled_from(SIZES),
    kind=st.sampled_from(("plain", "packed")),
    is_wide=st.booleans(),
)
def test_finds_a_legal_spec_at_the_smallest_distance_there_is(rows, cols, kind, is_wide):
    asked = spec_of(rows=rows, cols=cols, kind=kind, wide=is_wide)
    found = nearest_legal(asked, ARCH, RULES, TUNABLES)
    assert found is not None
    assert not judge(RULES, Subject(found.spec, ARCH))
    best = min(distance(asked.algorithm, s.algorithm) for s in every_legal(rows))
    assert found.distance == pytest.approx(best)
    assert found.distance == pytest.approx(distance(asked.algorithm, found.spec.algorithm))


def test_the_answer_is_a_diff_and_the_spec_asked_for_stays_as_it_was():
    asked = spec_of(rows=16, cols=4)
    found = nearest_legal(asked, ARCH, RULES, TUNABLES)
    assert found.changes == {"rows": (16, 4)} or found.changes == {"rows": (16, 8), "cols": (4, 2)}
    assert asked.algorithm.rows == 16
    assert found.asked is asked
    assert [r.rule for r in found.mended] == ["toy.area"]
    assert " -> " in str(found)


def test_a_legal_spec_needs_no_change():
    found = nearest_legal(spec_of(), ARCH, RULES, TUNABLES)
    assert (found.changes, found.distance, found.evaluations) == ({}, 0.0, 1)
    assert "nothing to change" in str(found)


def test_the_same_question_has_the_same_answer():
    answers = {nearest_legal(spec_of(rows=16, cols=16), ARCH, RULES, TUNABLES).spec.digest for _ in range(5)}
    assert len(answers) == 1


def test_fields_to_keep_are_kept():
    asked = spec_of(rows=16, cols=4)
    assert nearest_legal(asked, ARCH, RULES, TUNABLES, keep=["rows"]).changes == {"cols": (4, 1)}
    assert nearest_legal(asked, ARCH, RULES, TUNABLES, keep=["rows", "cols"]) is None


def test_a_rule_that_reads_no_field_ends_the_search_at_once():
    assert nearest_legal(spec_of(), ARCH, (*RULES, never), TUNABLES) is None


def test_the_number_of_judged_specs_is_bounded():
    judged = []

    @rule("toy.count", "compile", "counts")
    def count(s: Subject):
        a = s.spec.algorithm
        judged.append(a)
        return broken("no") if a.rows + a.cols + len(a.kind) + a.wide >= 0 else None

    assert nearest_legal(spec_of(), ARCH, [count], TUNABLES, limit=7) is None
    assert len(judged) <= 2 * 7 + 1  # each spec once plainly and once recorded, and the first judgement


def test_combinations_that_the_algorithm_refuses_are_stepped_over():
    @rule("toy.split16", "compile", "split, and area == 16 by 8 columns or more")
    def split16(s: Subject):
        a = s.spec.algorithm
        return broken("no") if not (a.kind == "split" and a.cols >= 8) else None

    found = nearest_legal(spec_of(rows=16, cols=1), ARCH, (area, split16), TUNABLES)
    assert found.spec.algorithm.kind == "split"
    assert found.spec.algorithm.rows <= 2


@pytest.mark.parametrize("arch", ["x86_64_v3", "x86_64_v4"])
@settings(max_examples=5, deadline=None)
@given(st.data())
def test_works_for_the_cpu_backend_too(arch, data):
    from tilewright.backends import get_backend_op
    from tilewright.ops.gemm.signature import GemmSignature

    op = get_backend_op("cpu", "gemm")
    values = {t.name: data.draw(st.sampled_from(t.choices), label=t.name) for t in op.tunables()}
    try:
        algorithm = op.algorithm(**values)
    except SpecError:
        return
    spec = KernelSpec("gemm", "cpu", arch, GemmSignature("fp32", "fp32", "fp32", "fp32"), algorithm)
    found = nearest_legal(spec, get_arch(arch), op.rules, op.tunables(), limit=300)
    if found is not None:
        assert not op.check(found.spec, get_arch(arch))
        assert bool(found.changes) == bool(op.check(spec, get_arch(arch)))
