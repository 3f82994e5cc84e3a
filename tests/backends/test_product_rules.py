"""Rules that backends share: a number of the epilogue that a kernel does not apply is refused, never ignored."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tilewright.arch import get_arch
from tilewright.backends import get_backend_op
from tilewright.backends.gemm_rules import unapplied_scalars
from tilewright.model.kernel import KernelSpec
from tilewright.model.rule import Subject
from tilewright.ops import problem_from_dict

# A name more in SCALARS, before any backend is loaded; prints the rules that refuse it.
NEW_SCALAR = """
from tilewright.ops.gemm import epilogue
epilogue.SCALARS += ("limit",)
from tilewright.backends import get_backend_op
for backend in ("cpu", "triton", "ck_tile", "vendor"):
    for op in ("gemm", "conv"):
        print(*(r.id for r in get_backend_op(backend, op).rules if r.formula == "limit has its default value"))
"""


@pytest.mark.parametrize(("beta", "refused"), [(1.0, False), (2.0, True)])
def test_a_scalar_that_kernels_do_not_apply_is_refused(beta: float, refused: bool) -> None:
    problem = problem_from_dict({"op": "gemm", "m": 2, "n": 2, "k": 2, "dtype": "fp32", "epilogue": {"beta": beta}})
    (rule,) = unapplied_scalars("some.gemm", ("alpha",))
    spec = KernelSpec("gemm", "cpu", "aarch64", problem.signature, get_backend_op("cpu", "gemm").algorithm())
    said = rule.check(Subject(spec, get_arch("aarch64"), problem))
    assert (said is not None) == refused
    assert said is None or "beta = 2; these kernels do not apply it" in said.message


def test_every_backend_refuses_a_new_scalar() -> None:
    done = subprocess.run([sys.executable, "-c", NEW_SCALAR], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        f"{backend}.{op}.unapplied" for backend in ("cpu", "triton", "ck_tile", "vendor") for op in ("gemm", "conv")
    ]
