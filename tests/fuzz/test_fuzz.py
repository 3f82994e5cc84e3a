"""Only `TilewrightError` escapes from readers and public functions, for any input.

A fixed number of inputs, so that the time is fixed too (about 10 s); `make test-all` runs four times as many, and
`make fuzz` as many as one likes.
"""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import tempfile
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

COSTLY = {"registry": 60, "registry_file": 60, "commands": 25, "arch_file": 100, "select": 60, "fused_state": 15}
EXAMPLES = 200

pytestmark = pytest.mark.filterwarnings("ignore")  # odd numbers overflow in the reference, which is no news


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands must not meet the kernels of other tests."""
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


# The C++ dispatcher is tried in tests/bundle, over a bundle that is there already.
@pytest.mark.parametrize("name", [name for name in TARGETS if name != "dispatcher_cpp"])
@pytest.mark.parametrize("part", [4, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_only_errors_of_tilewright_escape(name: str, part: int) -> None:
    """Draws differ from run to run of Hypothesis only by its seed, which is fixed here."""

    @settings(
        max_examples=COSTLY.get(name, EXAMPLES) // part,
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


def test_inputs_that_failed_once_are_refused_now() -> None:
    """`make fuzz` keeps what fails; one input is always tried, so that the way to judge one is tested too."""
    kept = [json.loads(line) for line in FAILED.read_text().splitlines()] if FAILED.is_file() else []
    for name, seed in [*kept, (min(TARGETS), 1)]:
        found = judge(TARGETS[name], seed)
        assert found["outcome"] in ("ok", "refused"), (name, seed, found)


def test_a_process_that_dies_is_counted_and_the_rest_goes_on() -> None:
    """A real one: a target that ends its process runs among others, in the process that `make fuzz` starts."""
    program = """
import os, sys
sys.path.insert(0, sys.argv[1])
import fuzz_run
class Dying(fuzz_run.Child):
    source = "import os, sys, json\\nprint(json.dumps(['a', 'b']), flush=True)\\nfor line in sys.stdin:\\n" + (
        "    name, seed = json.loads(line)\\n    os._exit(3) if (name, seed) == ('b', 70) else None\\n"
        "    print(json.dumps({'outcome': 'ok', 'seconds': 3.0 if seed == 5 else 0.0}), flush=True)\\n")
    def command(self):
        return [sys.executable, "-c", self.source]
fuzz_run.Child, fuzz_run.FAILED = Dying, fuzz_run.Path(sys.argv[2])
print(fuzz_run.fuzz(200, 0, []))
"""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", program, str(FAILED.parents[1]), f"{folder}/failed.jsonl"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert re.search(r"inputs +200 over 2 targets \(199 taken, 0 refused\)", done.stdout), done.stdout + done.stderr
    assert re.search(r"crashes +1\b", done.stdout)
    assert re.search(r"over 2 s of CPU time +2\b", done.stdout)
    assert done.stdout.endswith("\n3\n")


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
