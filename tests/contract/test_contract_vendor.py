"""What libraries take is right: pairs of values of the contract, on the CPU and on a GPU."""

from __future__ import annotations

import json

import pytest
from contract_run import Runner, run_cases
from contract_targets import SPACES, Target
from contract_vendor import pair_cases

SAMPLE = {"gemm": 71, "conv": 67, "fmha": 37}  # one of so many pairs
ON_GPU = {"gemm": 11, "conv": 11, "fmha": 7}


def run_sample(op: str, place: str, stride: int) -> None:
    pytest.importorskip("torch")
    rows = list(run_cases(Runner(Target(f"vendor {place}", "vendor", "", place)), pair_cases(op, place)[::stride]))
    bad = [row for row in rows if row["state"] not in ("right", "refused")]
    assert not bad, "\n".join(json.dumps(row) for row in bad)
    assert sum(row["state"] == "right" for row in rows) > 10
    assert all(row["rule"].split(".")[0] in ("vendor", "problem", "torch") or "contract" in row["rule"]
               for row in rows if row["state"] == "refused")  # fmt: skip


@pytest.mark.parametrize("op", SPACES)
def test_a_sample_is_right_on_the_cpu(op: str) -> None:
    run_sample(op, "cpu", SAMPLE[op])


@pytest.mark.gpu
@pytest.mark.parametrize("op", SPACES)
def test_a_sample_is_right_on_a_gpu(op: str) -> None:
    """`python tests/contract/contract_vendor.py --device cuda:0` runs all of them."""
    run_sample(op, "cuda:0", ON_GPU[op])
