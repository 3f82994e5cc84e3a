"""PyTorch's own samples of the functions that `tilewright.torch` has: right, or left to torch with a reason."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: its samples are not run")
pytest.importorskip("expecttest", reason="expecttest is not installed: torch's samples need it")

from opinfo import MULTIHEAD, OURS, fixed_dropout, judged, samples
from torch.nn import functional

pytestmark = pytest.mark.filterwarnings("ignore:Using padding=.same.")  # torch says what it does too
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
OTHERS = (torch.float64, torch.complex64, torch.int64)
LEAST = 0.9  # of the samples are computed by our kernels
STEPS = {"fp32": 9, "bf16": 18, "fp16": 36}  # every n-th sample in `make test`; `make test-all` runs all of them
FAR = {MULTIHEAD: 8}  # times as far apart, for the function that has most of the samples
CASES = [
    pytest.param(name, dtype, marks=pytest.mark.exhaustive if "3d" in name else ()) for name in OURS for dtype in DTYPES
]


def verdicts(name: str, dtype: Any, step: int) -> list[Any]:
    """Judge every `step`-th sample of a function."""
    torch.manual_seed(0)
    return [judged(call) for i, call in enumerate(samples(name, dtype)) if i % step == 0]


def assert_right(found: list[Any]) -> None:
    for verdict in found:
        shown = f"{verdict.call.name} {[tuple(t.shape) for t in verdict.call.tensors()]} {verdict.call.options}"
        assert verdict.excess <= 1, f"{shown}: the error is {verdict.excess:.3g} of its bound"
        assert bool(verdict.by_torch) == bool(verdict.reasons), f"{shown}: {verdict.by_torch}, {verdict.reasons}"


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_samples_of_torch(name: str, dtype: str, monkeypatch: pytest.MonkeyPatch, request: Any) -> None:
    monkeypatch.setattr(functional, "dropout", fixed_dropout)
    options = request.config.option
    every = options.exhaustive or "exhaustive" in options.markexpr
    found = verdicts(name, DTYPES[dtype], 1 if every else STEPS[dtype] * FAR.get(name, 1))
    assert found
    assert_right(found)
    computed = sum(v.computed for v in found)
    print(f"opinfo {name} {dtype}: {len(found)} samples, {computed} computed, "
          f"error {max(v.excess for v in found):.2f} of the bound, "
          f"{Counter(r for v in found for r in v.reasons).most_common(3)}")  # fmt: skip
    assert computed >= LEAST * len(found)


@pytest.mark.parametrize("name", OURS)
def test_other_dtypes_are_left_to_torch_with_a_reason(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functional, "dropout", fixed_dropout)
    for dtype in OTHERS:
        try:
            found = verdicts(name, dtype, 64 if name == MULTIHEAD else 5)
        except (RuntimeError, NotImplementedError, ValueError):  # torch itself has no such function
            continue
        for verdict in found:
            assert any(f"the dtype is {dtype}".replace("torch.", "") in reason for reason in verdict.reasons)
