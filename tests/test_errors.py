"""Errors: what they say, and that they survive the way between processes."""

from __future__ import annotations

import pickle

import pytest

from tilewright.errors import (
    MAX_NAMES,
    BuildError,
    MissingExtraError,
    ProblemError,
    SpecError,
    TensorError,
    TilewrightError,
    UnknownNameError,
)

ERRORS = [
    TilewrightError("got 1, need 2", remedy="give 2"),
    UnknownNameError("dtype", "fp61", ["fp16", "fp32"]),
    ProblemError.of("gemm problem", ["m is -1", "n is -1"]),
    TensorError("out is read-only"),
    SpecError("breaks a rule", rejections=("rule",), remedy="change it"),
    BuildError("did not compile", command="g++", log="error: x"),
    MissingExtraError("triton", extra="triton", why="to compile"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_an_error_is_the_same_in_another_process(error: TilewrightError) -> None:
    came = pickle.loads(pickle.dumps(error))
    assert type(came) is type(error)
    assert (str(came), came.args, vars(came)) == (str(error), error.args, vars(error))


def test_a_long_list_of_names_is_cut_to_those_that_may_be_meant() -> None:
    names = [f"{kind}_{i}" for kind in ("cpu", "gpu") for i in range(MAX_NAMES)]
    said = str(UnknownNameError("set", "gpu_", names))
    assert "Known: gpu_0, gpu_1, " in said
    assert "cpu_" not in said
    assert f"({2 * MAX_NAMES} in all)" in said
