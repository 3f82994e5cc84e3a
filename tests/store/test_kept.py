"""Rows that are kept between processes: whatever is in their file, calls go on without it."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any

import pytest

from tilewright.dispatcher.contest import Outcome, Outcomes

GOOD = Outcome("key", "device", "ours", "b1", "theirs", "b2", 2e-6, 1e-6, "8x8x8")
FIELDS = {"tuning_key": "key", "device": "device", "ours": "x", "our_build": "b", "theirs": "y", "their_build": "c"}


def row(**changes: Any) -> str:
    return json.dumps({**FIELDS, "our_seconds": 1.0, "their_seconds": 3.0, **changes})


BAD = {
    "a list as a key": row(tuning_key=["key"]),
    "an object as a key": row(device={}),
    "a number as a name": row(ours=5),
    "text as a time": row(our_seconds="1"),
    "true as a time": row(our_seconds=True),
    "no time": row(our_seconds=float("nan")),
    "a negative time": row(their_seconds=-1.0),
    "another field": row(other=1),
    "too few fields": json.dumps(FIELDS),
    "deep": "[" * 100_000,
    "no object": "[1]",
    "no JSON": "{",
    "a key twice": row()[:-1] + ', "ours": "z"}',
    "many digits": row().replace("3.0", "3" * 5000),
    "no text": "\udcff",
}


@pytest.mark.parametrize("line", BAD.values(), ids=BAD)
def test_a_line_that_is_no_row_is_left_out(line: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "contests.jsonl"
    Outcomes(path).add(GOOD)
    with path.open("ab") as file:
        file.write(line.encode(errors="surrogateescape") + b"\n")
    with caplog.at_level(logging.WARNING, "tilewright"):
        found = Outcomes(path)
        assert found.get(("key", "device")) == GOOD
    assert "1 of 2 lines" in caplog.text


def test_a_library_that_failed_is_remembered(tmp_path: Path) -> None:
    failed = Outcome("key", "device", "x", "b", "y", "c", 1e-6, float("inf"))
    Outcomes(tmp_path / "contests.jsonl").add(failed)
    found = Outcomes(tmp_path / "contests.jsonl").get(("key", "device"))
    assert found == failed
    assert found is not None
    assert not found.library_wins


def test_half_a_line_at_the_end_costs_only_that_row(tmp_path: Path) -> None:
    path = tmp_path / "contests.jsonl"
    path.write_text(row()[:40])
    Outcomes(path).add(GOOD)
    assert Outcomes(path).get(("key", "device")) == GOOD


def test_a_pipe_is_not_waited_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "contests.jsonl"
    os.mkfifo(path)
    with caplog.at_level(logging.WARNING, "tilewright"):
        rows = Outcomes(path)
        assert rows.get(("key", "device")) is None
        rows.add(GOOD)
    assert rows.get(("key", "device")) == GOOD
    assert "is a named pipe" in caplog.text
    assert "was not written" in caplog.text
