"""What was measured is used: the default selector ranks by measured times first.

Prints:
    before: ...
    2 measurements of 2 kernels in ... s
    after: measured: ... us, 2 samples, float64
"""

import json
import os
import shlex

import tilewright as tw
from tilewright.cli.app import run

os.environ["TILEWRIGHT_DATA_DIR"] = "data"
text = '{"op":"gemm","m":64,"n":48,"k":32,"dtype":"fp32"}'
problem = tw.problem_from_dict(json.loads(text))
settings = tw.Settings.from_env(threads=1)
print("before:", tw.Dispatcher(settings=settings).explain(problem).chosen.reason)
run(shlex.split(f"tune '{text}' --kernels 2 --top 2 --explore 0 --rounds 2 --threads 1 --no-train"))
print("after:", tw.Dispatcher(settings=settings).explain(problem).chosen.reason)
