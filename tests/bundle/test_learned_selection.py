"""The trained models of a bundle: without one the selector `learned` is the cost model."""

from __future__ import annotations

from pathlib import Path

import pytest
from bundle_cases import Selection

from tilewright.dispatcher import nominal_device
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry
from tilewright.settings import Settings

pytestmark = pytest.mark.xdist_group("bundle")


def test_without_a_model_the_cost_model_ranks(selection_library: Path) -> None:
    settings, device = Settings.from_env(), nominal_device("sm_90")
    given = {"op": "gemm", "m": 256, "n": 256, "k": 256, "dtype": "fp16"}
    ranked = default_registry(["triton"]).select(problem_from_dict(given), None, device)
    selection = Selection([r.candidate.spec for r in ranked[:5]], settings, selection_library, "triton")
    request = {"problem": given, "device": device.to_dict(), "order": [0, 1, 2], "limit": 1}
    answers = [selection.ask("rank", {**request, "selector": name})[1]["ranked"] for name in ("learned", "cost")]
    assert answers[0] == answers[1]
