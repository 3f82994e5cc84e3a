"""Ceilings are measured once and named, and the slower one bounds a problem."""

from __future__ import annotations

import pytest
from host_cpu_kernels import gemm_tile

from tilewright.dispatcher import Dispatcher
from tilewright.errors import DeviceError
from tilewright.model.kernel import KernelSpec
from tilewright.ops import problem_from_dict
from tilewright.settings import Settings
from tilewright.tune.bench.ceilings import Bound, Ceilings


@pytest.fixture(scope="module")
def ceilings() -> Ceilings:
    return Ceilings(Settings.from_env(threads=1))


@pytest.mark.timing
def test_multiply_adds_are_counted_in_a_sane_range(ceilings: Ceilings) -> None:
    lanes = ceilings.arch.vector_bits / 32
    per_cycle = 2 * lanes * ceilings.arch.fma_ports
    assert 0.05e9 * per_cycle < ceilings.rate("fma") < 8e9 * per_cycle  # 0.05 to 8 GHz: load on the machine included


@pytest.mark.timing
def test_small_memory_is_read_faster_than_large(ceilings: Ceilings) -> None:
    assert ceilings.read_rate(1 << 18) > ceilings.read_rate(128 << 20)


def test_a_rate_is_measured_once(ceilings: Ceilings) -> None:
    assert ceilings.rate("fma") == ceilings.rate("fma")
    assert ceilings.read_rate(3 << 20) == ceilings.read_rate((3 << 20) + 5)


def test_the_slower_of_both_bounds_a_problem(ceilings: Ceilings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceilings, "rate", lambda inner: 1e11)
    monkeypatch.setattr(ceilings, "read_rate", lambda size: 1e10)
    spec = Dispatcher().plan(problem_from_dict({"op": "gemm", "m": 8, "n": 8, "k": 8, "dtype": "fp32"})).candidate
    assert spec is not None
    square = problem_from_dict({"op": "gemm", "m": 2048, "n": 2048, "k": 2048, "dtype": "fp32"})
    row = problem_from_dict({"op": "gemm", "m": 1, "n": 4096, "k": 4096, "dtype": "fp32"})
    assert ceilings.bound(square, spec.spec).name == "fp32 FMA"
    assert ceilings.bound(row, spec.spec).name == "memory"
    bound = ceilings.bound(square, spec.spec)
    assert bound.seconds == pytest.approx(square.flops / 1e11)
    assert ceilings.bound(row, spec.spec).seconds == pytest.approx(row.bytes / 1e10)
    assert Bound("x", 1.0).share(4.0) == 0.25


def test_an_unknown_instruction_is_an_error(ceilings: Ceilings) -> None:
    with pytest.raises(DeviceError, match="abacus"):
        ceilings.rate("abacus")


def test_every_ceiling_of_this_machine_can_be_measured(ceilings: Ceilings) -> None:
    rates = ceilings.summary()
    assert rates["fp32 FMA"] > 0
    assert all(rate > 0 for rate in rates.values())


def test_a_ceiling_that_a_kernel_beat_is_measured_again(ceilings: Ceilings, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = iter([1e9, 5e9, 2e10, 3e10])
    monkeypatch.setattr(ceilings, "_rates", {})
    monkeypatch.setattr(ceilings, "_measure_operations", lambda name: next(measured))
    monkeypatch.setattr(ceilings, "_measure_reading", lambda size: 1e12)
    problem = problem_from_dict({"op": "gemm", "m": 1000, "n": 1000, "k": 1000, "dtype": "fp32"})
    spec = KernelSpec("gemm", "cpu", ceilings.arch.name, problem.signature, gemm_tile())
    bound = ceilings.bound_above(problem, spec, problem.flops / 1e10)
    assert bound.share(problem.flops / 1e10) == pytest.approx(0.5), "the third measurement is above the kernel's rate"
    monkeypatch.setattr(ceilings, "_measure_operations", lambda name: 1e9)
    beaten = ceilings.bound_above(problem, spec, problem.flops / 1e11)
    assert beaten.share(problem.flops / 1e11) == pytest.approx(5.0)
    assert ceilings.rate("fma") == 2e10, "a slower measurement replaces no faster one"


def test_products_of_arm_have_ceilings_of_their_own(ceilings: Ceilings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceilings, "rate", lambda inner: 1e11)
    monkeypatch.setattr(ceilings, "read_rate", lambda size: 1e12)
    problem = problem_from_dict({"op": "gemm", "m": 1000, "n": 1000, "k": 1000, "dtype": "int8"})
    spec = KernelSpec("gemm", "cpu", "aarch64_dot", problem.signature, gemm_tile(inner="dot"))
    bound = ceilings.bound(problem, spec)
    assert (bound.name, bound.seconds) == ("int8 dot", pytest.approx(problem.flops / 4e11))
