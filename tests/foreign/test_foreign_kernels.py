"""Kernels of the other kind of CPU, built by its compiler and run in an emulator, against the reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from emulated_machine import Machine
from foreign_cases import Case

from tilewright.backends import get_backend_op
from tilewright.jit.arrays import view_of
from tilewright.jit.artifact import BuildFailure
from tilewright.ops import get_op
from tilewright.plan import make_plan


@pytest.mark.foreign
@pytest.mark.usefixtures("launched_elsewhere")
def test_kernel_agrees_with_the_reference(case: Case, foreign: Any, machine_of: Callable[[str], Machine]) -> None:
    problem, spec = case.problem, case.candidate.spec
    artifact = foreign.built[spec.digest]
    if isinstance(artifact, BuildFailure):
        raise artifact.error()
    kernel = machine_of(spec.arch).load(artifact.file(), artifact.spec_digest)
    op = get_op(problem.op)
    tensors = op.random_tensors(problem, seed=7)
    plan = make_plan(problem, case.candidate, kernel, foreign.settings)
    out = plan.bind({role: view_of(tensor, role) for role, tensor in tensors.items()})()
    allowed = get_backend_op(spec.backend, spec.op).product_error(spec)
    op.verify(problem, tensors, out, product_error=allowed).require(case.label)
