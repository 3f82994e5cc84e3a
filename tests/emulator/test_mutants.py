"""Kernels broken on purpose: each is reported, or gives a wrong answer. None passes in silence."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import pytest
from ck_gemm import run_gemm, text_of
from mutants import Mutant, mutants_of

from tilewright.errors import EmulatorError

PROBLEM = (192, 256, 256)
# Lines whose loss changes nothing. A mutant here that is noticed after all fails the test, too.
HARMLESS = {
    ("gfx942", 594): "no access to LDS lies between this barrier and the one before",
    ("gfx1201", 475): "the register holds a small integer before: as a float it is next to 0",
    ("gfx942", 435): "the register is overwritten before it is read",
}
KINDS = {"barrier", "wait", "weak-wait", "offset", "initialisation", "layout", "descriptor", "workgroup"}


@lru_cache(maxsize=2)
def chosen(arch: str, share: int) -> list[Mutant]:
    """Every `share`-th mutant of each kind."""
    seen: Counter[str] = Counter()
    found = []
    for mutant in mutants_of(text_of(arch)):
        if seen[mutant.kind] % share == 0:
            found.append(mutant)
        seen[mutant.kind] += 1
    return found


def noticed(arch: str, mutant: Mutant) -> bool:
    """Whether the sanitizer reports the mutant, or its answer is wrong."""
    try:
        report, right = run_gemm(mutant.apply(text_of(arch)), *PROBLEM)
    except EmulatorError:
        return True
    return not (right and report.clean)


CASES = [(arch, mutant) for arch, share in (("gfx942", 2), ("gfx1201", 5)) for mutant in chosen(arch, share)]
# `make test` runs every third, with all that are harmless and one of each kind; `make test-all` runs the others too.
FIRSTS = {arch + mutant.kind: number for number, (arch, mutant) in reversed(list(enumerate(CASES)))}
QUICK = {n for n, (arch, m) in enumerate(CASES) if n % 3 == 0 or (arch, m.line) in HARMLESS} | set(FIRSTS.values())
MARKED = [pytest.param(*c, marks=() if n in QUICK else pytest.mark.exhaustive) for n, c in enumerate(CASES)]


def test_there_are_enough_mutants() -> None:
    assert len(CASES) - len(HARMLESS) >= 40
    assert {mutant.kind for _, mutant in CASES} == {CASES[n][1].kind for n in QUICK} == KINDS
    assert set(HARMLESS) <= {(arch, mutant.line) for arch, mutant in CASES}


@pytest.mark.parametrize(("arch", "mutant"), MARKED, ids=lambda x: str(x))
def test_a_mutant_is_noticed(arch: str, mutant: Mutant) -> None:
    harmless = HARMLESS.get((arch, mutant.line))
    assert noticed(arch, mutant) == (harmless is None), harmless or f"{mutant.old} -> {mutant.new}"
