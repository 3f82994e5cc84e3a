"""Time every kernel that is legal for a problem; `tilewright bench PROBLEM --all` does the same.

Prints:
    fmha b1 h4 64x64 fwd_fp32_d64
    ... us, ... GFLOP/s, right: True  fmha_cpu_...
    ...
"""

import tilewright as tw
from tilewright.tune.bench.record import bench_problems
from tilewright.tune.measure.timer import Policy

problem = tw.FmhaBuilder("fwd", "fp32").sizes(1, 64).heads(4).hdim(64).build()
print(problem.label())
policy = Policy(rounds=3, warmup_ms=1.0, min_sample_ms=0.5)  # short; leave it out for times that you rely on
for record in bench_problems(tw.Dispatcher(), [problem], policy=policy, exhaustive=True):
    print(f"{1e3 * record.time_ms:8.1f} us, {1e3 * record.tflops:6.2f} GFLOP/s, right: {record.ok}  {record.kernel}")
