"""The list tells indices apart: what is given for each sequence, head, group or block differs, and a mix-up shows."""

from __future__ import annotations

import numpy as np
import pytest
from contract_axes import Axis, axes, misread, notices, operands, unnoticed
from contract_run import Case
from contract_targets import SPACES, TARGETS

SLOPES = Case("slopes", "fmha", {**SPACES["fmha"].plain(), "bias": "alibi", "bias_batch": "all"}, 1)
# What may be given once or for each of something. Operands that are always whole (q, k, a, images, ...) are left to
# `--exhaustive`, which asks for every axis of every operand.
OFTEN_SHARED = ("bias", "scale_a", "scale_b", "scale_q", "scale_k", "scale_v", "seqlens_k", "page_table", "d")


def often_shared(axis: Axis) -> bool:
    return axis[1].split()[0] in OFTEN_SHARED


def test_slopes_of_each_sequence_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ("fwd", "bias alibi", -2) in axes(SLOPES)
    assert notices(SLOPES, "bias", 0)
    problem, tensors = operands(SLOPES)
    tensors["bias"][:] = tensors["bias"][0]
    monkeypatch.setattr("contract_axes.operands", lambda case: (problem, tensors))
    assert not notices(SLOPES, "bias", 0)


def test_an_operand_is_misread() -> None:
    x = np.arange(6).reshape(2, 3)
    assert misread("a", x, 0).tolist() == [[0, 1, 2], [0, 1, 2]]
    assert misread("a", x, 1).tolist() == [[0, 0, 0], [3, 3, 3]]
    assert misread("cu_seqlens_q", np.array([0, 5, 6]), 0).tolist() == [0, 1, 6]
    assert misread("ends", np.array([5, 6, 9]), 0).tolist() == [3, 8, 9]


@pytest.mark.exhaustive
@pytest.mark.parametrize("op", SPACES)
def test_no_operand_is_the_same_for_all(op: str) -> None:
    assert unnoticed(op, TARGETS, often_shared) == {target.name: [] for target in TARGETS}


@pytest.mark.exhaustive
@pytest.mark.parametrize("op", SPACES)
def test_every_axis_of_every_operand(op: str) -> None:
    assert unnoticed(op, TARGETS) == {target.name: [] for target in TARGETS}
