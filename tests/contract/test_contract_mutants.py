"""Mutants: each kernel that is broken on purpose is noticed by a case of the list; six of them by `make test`."""

from __future__ import annotations

import pytest
from amd_toolchain import needs_toolchain
from contract_mutants import PACKAGE, Mutant, noticed_by
from mutants_ck import MUTANTS as CK_TILE
from mutants_cpu import MUTANTS, QUICK
from mutants_triton import MUTANTS as TRITON

EVERY = (*MUTANTS, *TRITON, *CK_TILE)


def test_there_are_enough() -> None:
    assert len(MUTANTS) >= 20
    assert len(TRITON) >= 20
    assert len(CK_TILE) >= 20
    assert len(QUICK) == 6
    assert set(QUICK) <= {m.name for m in MUTANTS}


@pytest.mark.parametrize("mutant", EVERY, ids=str)
def test_the_text_of_a_mutant_is_there_and_cases_reach_it(mutant: Mutant) -> None:
    assert (PACKAGE / mutant.file).read_text().count(mutant.old) == 1, f"{mutant.file}: {mutant.old!r}"
    assert mutant.cases(), mutant.where


@pytest.mark.parametrize(
    "mutant",
    [pytest.param(m, marks=() if m.name in QUICK else pytest.mark.exhaustive) for m in MUTANTS],
    ids=str,
)
def test_a_mutant_of_the_cpu_is_noticed(mutant: Mutant) -> None:
    assert noticed_by(mutant, "cpu") is not None, f"{mutant.old!r} -> {mutant.new!r}"


@pytest.mark.exhaustive
@pytest.mark.parametrize("mutant", TRITON, ids=str)
def test_a_mutant_of_triton_is_noticed_in_the_emulator(mutant: Mutant) -> None:
    pytest.importorskip("triton", reason="Triton is not installed: its kernels are not compiled")
    assert noticed_by(mutant, "emu:gfx942") is not None, f"{mutant.old!r} -> {mutant.new!r}"


@pytest.mark.gpu
@pytest.mark.exhaustive
@pytest.mark.parametrize("mutant", TRITON, ids=str)
def test_a_mutant_of_triton_is_noticed_on_a_gpu(mutant: Mutant) -> None:
    assert noticed_by(mutant, "cuda:0") is not None, f"{mutant.old!r} -> {mutant.new!r}"


@needs_toolchain
@pytest.mark.exhaustive
@pytest.mark.parametrize("mutant", CK_TILE, ids=str)
def test_a_mutant_of_ck_tile_is_noticed_in_the_emulator(mutant: Mutant) -> None:
    assert noticed_by(mutant, "emu:gfx942") is not None, f"{mutant.old!r} -> {mutant.new!r}"
