"""Measurements travel: export them, merge them elsewhere; nothing is taken twice.

Prints:
    exported 2 rows to rows.jsonl.gz
    merged: 2 new, 0 known already
    merged again: 0 new, 2 known already
"""

import tilewright as tw
from tilewright.store import Measurement, Store, merge_file, write_rows

problem = tw.problem_from_dict({"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp32"})
specs = list({ranked.candidate.spec for ranked in tw.Dispatcher().explain(problem).ranked})[:2]
rows = [
    Measurement(
        problem=problem.to_dict(), tuning_key=problem.tuning_key, spec=spec.to_dict(), spec_digest=spec.digest,
        launch={"threads": 1}, build_key="...", device={"name": "a CPU"}, samples=(1.2e-5,), tier="float64",
    )
    for spec in specs
]  # fmt: skip

with Store("here.sqlite") as here:
    here.put(rows)
    print(f"exported {write_rows(here.rows(op='gemm'), 'rows.jsonl.gz')} rows to rows.jsonl.gz")
with Store("elsewhere.sqlite") as elsewhere:  # `tilewright data merge`; `data union` for the files of many machines
    for word in ("merged", "merged again"):
        merged = merge_file(elsewhere, "rows.jsonl.gz")  # rows that name another kernel or problem are left out
        print(f"{word}: {merged.new} new, {merged.known} known already")
