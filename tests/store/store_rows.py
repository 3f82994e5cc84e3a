"""Rows made up for the tests of the store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tilewright.store import Measurement

FORMATS = ["rows.jsonl", "rows.jsonl.gz", "rows.jsonl.xz", "rows.parquet", "rows.sqlite"]


def row(number: int = 0, **changes: Any) -> Measurement:
    base = Measurement(
        problem={"op": "gemm", "m": number}, tuning_key=f"t{number}", spec={"backend": "cpu", "arch": "a"},
        spec_digest="s", launch={"split_k": 2}, build_key="b", device={"name": "d"}, samples=(3e-6, 2e-6), error=0.5,
        tolerance=1.0, tier="float64", clocks={"load": 0.5}, policy={"statistic": "least"}, artifact="c",
        toolchain="gcc 12", host="h", run="r", at=1.0,
    )  # fmt: skip
    return replace(base, **changes)
