"""GPU bundles: the facts of a driver describe the same device in C++ as in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bundle_cases import Selection

from tilewright.cpp import engine
from tilewright.settings import Settings

pytestmark = pytest.mark.xdist_group("bundle")


def test_a_described_gpu_is_the_detected_one(selection_library: Path) -> None:
    """The facts of a driver give the same device in C++ as in Python: rated figures of a known model."""
    selection = Selection([], Settings.from_env(), selection_library, "triton")
    facts = {"kind": "cuda", "major": 9, "minor": 0, "units": 132, "clock_khz": 1980000, "memory_clock_khz": 3201000,
             "bus_bits": 6144, "shared_per_unit": 233472, "l2_bytes": 62914560, "name": "NVIDIA H200",
             "memory_bytes": 150000000000}  # fmt: skip
    ok, answer = selection.ask("device", facts)
    assert ok, answer
    assert answer == json.loads(json.dumps(engine.canonical(detected(facts))))
    assert answer["bandwidth_gbps"] == 4800.0
    ok, other = selection.ask("device", {**facts, "major": 10, "name": "Some GPU"})
    assert ok, other
    assert (other["arch"], other["clock_mhz"]) == ("sm_100", 1980.0)


def detected(facts: dict[str, Any]) -> Any:
    from tilewright.backends.gpu.detect import device_of

    return device_of(facts)
