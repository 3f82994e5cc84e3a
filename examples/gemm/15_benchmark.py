"""Time a product and NumPy in turn in one run; `tilewright bench PROBLEM --compare numpy` does the same.

Prints:
    gemm 128x128x128 fp32_rrr: ... us, ... GFLOP/s, right: True
    NumPy takes ... times as long
"""

import tilewright as tw
from tilewright.tune.bench.peers import get_peer
from tilewright.tune.bench.record import bench_problem
from tilewright.tune.measure.timer import Policy

problem = tw.problem_from_dict({"op": "gemm", "m": 128, "n": 128, "k": 128, "dtype": "fp32", "layout": "rrr"})
policy = Policy(rounds=3, warmup_ms=1.0, min_sample_ms=0.5)  # short; leave it out for times that you rely on
record = bench_problem(tw.Dispatcher(), problem, [get_peer("numpy")], policy)
print(f"{record.label}: {1e3 * record.time_ms:.1f} us, {1e3 * record.tflops:.1f} GFLOP/s, right: {record.ok}")
print(f"NumPy takes {record.peers['numpy']['ratio']:.2f} times as long")
