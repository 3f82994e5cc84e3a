"""The ledger: problems that a program had without a measurement, by the time they take. It says what to tune next.

Prints:
    gemm 96x96x64 fp32_rrr: planned 1 times, ... us each, answered by ...
    gemm 48x64x32 fp32_rrr: planned 1 times, ... us each, answered by ...
"""

import os
import subprocess
import sys

import tilewright as tw
from tilewright.settings import Settings
from tilewright.store import Store, store_path

PROGRAM = """
import tilewright as tw
for m, n, k in ((48, 64, 32), (96, 96, 64)):
    tw.Dispatcher().plan(tw.problem_from_dict({"op": "gemm", "m": m, "n": n, "k": k, "dtype": "fp32", "layout": "rrr"}))
"""

os.environ["TILEWRIGHT_DATA_DIR"] = "data"
subprocess.run([sys.executable, "-c", PROGRAM], check=True)  # a program writes its ledger now and then, and at its end
with Store(store_path(Settings.from_env())) as store:
    for missed in sorted(store.missed(), key=lambda m: -m.weight):  # `tilewright ledger`
        label, each = tw.problem_from_dict(missed.problem).label(), missed.seconds * 1e6
        print(f"{label}: planned {missed.count} times, {each:.1f} us each, answered by {missed.answered_by}")
