"""Only `TilewrightError` escapes from readers and public functions, for any input.

A fixed number of inputs, so that the time is fixed too (about 40 s); `make fuzz` runs as many as one likes.
"""

from __future__ import annotations

import contextlib
from random import Random
from typing import Any

import pytest
from fuzz_all import TARGETS
from fuzz_run import FAILED, judge
from fuzz_targets import AcceptedError, check_types
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tilewright.errors import TilewrightError
from tilewright.model.kernel import Launch

COSTLY = {"registry": 60, "registry_file": 60, "commands": 25, "arch_file": 100, "select": 60}
EXAMPLES = 200

pytestmark = pytest.mark.filterwarnings("ignore")  # odd numbers overflow in the reference, which is no news


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands must not meet the kernels of other tests."""
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


@pytest.mark.parametrize("name", TARGETS)
def test_only_errors_of_tilewright_escape(name: str) -> None:
    """Draws differ from run to run of Hypothesis only by its seed, which is fixed here."""

    @settings(
        max_examples=COSTLY.get(name, EXAMPLES),
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 2**63))
    def body(seed: int) -> None:
        with contextlib.suppress(TilewrightError):
            TARGETS[name](Random(seed))

    body()


@pytest.mark.skipif(not FAILED.is_file(), reason="no input has failed and been kept")
def test_inputs_that_failed_once_are_refused_now() -> None:
    import json

    for line in FAILED.read_text().splitlines():
        name, seed = json.loads(line)
        found = judge(TARGETS[name], seed)
        assert found["outcome"] in ("ok", "refused"), (name, seed, found)


def test_a_traceback_is_counted_as_one() -> None:
    def leaks(rng: Random) -> None:
        raise KeyError(rng.random())

    assert judge(leaks, 1)["outcome"] == "traceback"


@pytest.mark.parametrize(
    "launch", [Launch(split_k=True), Launch(split_k="2"), Launch(grid=[1]), Launch(grid=(1, 2.0))], ids=repr
)
def test_a_wrong_type_is_a_silent_acceptance(launch: Any) -> None:
    with pytest.raises(AcceptedError):
        check_types(launch)
