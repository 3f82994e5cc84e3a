"""Measure candidates on this machine: verified, each in a process that may crash, stored at once.

The command is `tilewright tune PROBLEM --kernels 2 --top 2 --explore 0 --no-train`.

Prints:
    2 measurements of 2 kernels in ... s
    measured again: 0 measurements of ... kernels in ... s
    ok     ... us  verified by float64, ...
    ok     ... us  verified by float64, ...
"""

import os
import shlex

from tilewright.cli.app import run
from tilewright.settings import Settings
from tilewright.store import Store, store_path

os.environ["TILEWRIGHT_DATA_DIR"] = "data"  # by default, a folder of yours: what is measured is used from then on
problem = '{"op":"gemm","m":64,"n":48,"k":32,"dtype":"fp32"}'
command = shlex.split(f"tune '{problem}' --kernels 2 --top 2 --explore 0 --rounds 2 --threads 1 --no-train")
run(command)
print("measured again: ", end="", flush=True)
run(command)  # goes on where it stopped
with Store(store_path(Settings.from_env())) as store:
    for row in store.rows(op="gemm"):
        print(f"{row.status:6} {min(row.samples) * 1e6:.1f} us  verified by {row.tier}, {row.spec_digest[:8]}")
