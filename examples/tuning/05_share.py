"""Measurements travel: export them, merge them elsewhere; nothing is taken twice.

Prints:
    exported 2 rows to rows.jsonl.gz
    merged: 2 new, 0 known already
    merged again: 0 new, 2 known already
"""

from tilewright.store import Measurement, Store, read_rows, write_rows


def row(seconds: float, kernel: str) -> Measurement:
    problem = {"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype_a": "fp32"}
    return Measurement(
        problem=problem, tuning_key="...", spec={"backend": "cpu", "arch": "x86_64_v3"}, spec_digest=kernel,
        launch={"threads": 1}, build_key="...", device={"name": "a CPU"}, samples=(seconds,), tier="float64",
    )  # fmt: skip


with Store("here.sqlite") as here:
    here.put([row(1.2e-5, "one kernel"), row(1.1e-5, "another")])
    print(f"exported {write_rows(here.rows(op='gemm'), 'rows.jsonl.gz')} rows to rows.jsonl.gz")
with Store("elsewhere.sqlite") as elsewhere:  # `tilewright data merge`; `data union` for the files of many machines
    for word in ("merged", "merged again"):
        new, known = elsewhere.merge(read_rows("rows.jsonl.gz"))
        print(f"{word}: {new} new, {known} known already")
