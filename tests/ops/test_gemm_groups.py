"""Products whose rows are in groups: the problem, its tensors, the reference and the checks of results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.arch import get_arch
from tilewright.backends import get_backend_op
from tilewright.backends.base import BackendOp
from tilewright.errors import ProblemError, VerificationError
from tilewright.model.kernel import KernelSpec
from tilewright.ops import get_op
from tilewright.ops.gemm import GemmProblem
from tilewright.ops.gemm.features import numbers

GEMM = get_op("gemm")
FIELDS: dict[str, Any] = {"op": "gemm", "m": 50, "n": 16, "k": 24, "dtype": "fp32", "groups": 4}


def problem(**changes: Any) -> GemmProblem:
    found = tw.problem_from_dict({**FIELDS, **changes})
    assert isinstance(found, GemmProblem)
    return found


def test_groups_are_part_of_the_problem() -> None:
    p = problem()
    assert p.roles == ("a", "b", "out", "ends")
    assert (p.shape("ends"), p.dtype("ends"), p.matrices("b"), p.matrices("a")) == ((4,), "int32", 4, 1)
    assert p.bytes == 4 * (50 * 24 + 4 * 24 * 16 + 50 * 16 + 4)
    assert tw.problem_from_dict(p.to_dict()) == p
    assert p.label() == "gemm 50x16x24 fp32_rcr 4-groups"
    plain = problem(groups=0)
    assert "groups" not in plain.to_dict()
    assert len({p.tuning_key, plain.tuning_key, problem(groups=5).tuning_key}) == 3


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"batch": 2}, "batch is 2; groups are rows of one product"),
        ({"scale_b": "row"}, "scale_b is row; products in groups have no scales"),
        ({"b_format": "cpu_panels_8"}, "the matrices of groups are plain"),
        ({"groups": -1}, "groups is -1; it must be an integer >= 0"),
        ({"groups": True}, "groups is True; it must be an integer >= 0"),
        ({"groups": 1 << 60}, "overflow"),
    ],
)
def test_what_groups_do_not_have_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ProblemError, match=said.replace("(", r"\(")):
        problem(**changes)


def test_the_reference_multiplies_each_group_by_its_own_matrix() -> None:
    p = problem(epilogue={"activation": "relu", "alpha": 0.5}, d=[{"dtype": "fp32", "broadcast": "row"}])
    tensors = GEMM.random_tensors(p, 3)
    tensors["ends"][:] = (10, 10, 37, 50)
    a, b = (tensors[r].astype(np.float64) for r in "ab")
    parts = [a[:10] @ b[0], a[10:37] @ b[2], a[37:] @ b[3]]
    want = np.maximum(0.5 * np.concatenate(parts) + tensors["d0"], 0)
    assert np.allclose(GEMM.expected(p, tensors).value, want)


@pytest.mark.parametrize("tier", ["float64", "rows"])
def test_a_row_by_the_matrix_of_another_group_is_noticed(tier: str) -> None:
    p = problem(m=16)
    tensors = GEMM.random_tensors(p, 0)
    tensors["ends"][:] = (4, 8, 12, 16)
    right = GEMM.expected(p, tensors).value.astype(np.float32)
    assert GEMM.verify(p, tensors, right, tier=tier).ok
    wrong = right.copy()
    wrong[8] = tensors["a"][8] @ tensors["b"][1]
    assert not GEMM.verify(p, tensors, wrong, tier=tier).ok


def test_sums_over_columns_say_nothing_about_groups() -> None:
    large = problem(m=4096, n=1024, k=1024)
    tensors = GEMM.random_tensors(problem(), 0)
    with pytest.raises(VerificationError, match="groups have many"):
        GEMM.verify(problem(), tensors, tensors["out"], tier="projection")
    from tilewright.ops.gemm.verify import choose_tier

    assert choose_tier(large) == "rows"


def test_new_ends_hold_all_rows_and_fit() -> None:
    for seed in range(8):
        p = problem(m=seed * 7)
        ends = GEMM.random_tensors(p, seed)["ends"]
        assert ends.dtype == np.int32
        assert ends[-1] == p.m
        assert GEMM.content_mistakes(p, {"ends": ends}) == []


def test_models_see_groups_as_a_batch_of_equal_products() -> None:
    seen, batch = numbers(problem(m=48)), numbers(problem(m=12, batch=4, groups=0))
    assert {name for name, v in seen.items() if v != batch[name]} == {"bytes"}  # of the ends
    assert seen["bytes"] == batch["bytes"] + 16


@pytest.mark.parametrize(("backend", "arch"), [("cpu", "x86_64_v3"), ("triton", "sm_90"), ("ck_tile", "gfx942")])
def test_kernels_of_one_product_are_refused_by_a_rule(backend: str, arch: str) -> None:
    op: BackendOp[Any] = get_backend_op(backend, "gemm")
    spec = KernelSpec("gemm", backend, arch, problem().signature, op.algorithm())
    said = {r.rule: r for r in op.check_problem(spec, get_arch(arch), problem())}
    assert "4 groups" in said[f"{backend}.gemm.groups"].message
    assert said[f"{backend}.gemm.groups"].remedy
    assert f"{backend}.gemm.groups" not in {r.rule for r in op.check_problem(spec, get_arch(arch), problem(groups=0))}
