"""Time the kernels that are predicted best for a convolution; `tilewright bench PROBLEM --all` times all of them.

Prints:
    conv n2 c16 k16 14x14 ...
    ... us, right: True  ...
    ...
    the fastest was ... of ... by predicted time
"""

import tilewright as tw
from tilewright.tune.bench.record import bench_problem
from tilewright.tune.measure.timer import Policy

size = {"n": 2, "c": 16, "k": 16, "input": [14, 14], "filter": [3, 3], "pad": 1, "dtype": "fp32", "layout": "ngchw"}
problem = tw.problem_from_dict({"op": "grouped_conv", "direction": "forward", **size})
print(problem.label())
policy = Policy(rounds=3, warmup_ms=1.0, min_sample_ms=0.5)  # short; leave it out for times that you rely on
dispatcher, times = tw.Dispatcher(), []
for ranked in dispatcher.explain(problem).ranked[:2]:  # leave out [:2] for all of them
    record = bench_problem(dispatcher, problem, policy=policy, candidate=ranked.candidate)
    times.append(record.time_ms)
    print(f"{1e3 * record.time_ms:8.1f} us, right: {record.ok}  {record.kernel}")
print(f"the fastest was number {times.index(min(times)) + 1} of {len(times)} by predicted time")
