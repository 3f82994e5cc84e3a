"""Several registries: kernels of two sources merged by priority, filtered, and each used by a dispatcher of its own.

Prints:
    mine: 1 kernel; yours: 1 kernel
    merged: 2 kernels, first ... of priority 5
    filtered: 1 kernel
    ran with each: True
"""

import numpy as np

import tilewright as tw

problem = tw.problem_from_dict({"op": "gemm", "m": 60, "n": 64, "k": 32, "dtype": "fp32", "layout": "rrr"})
best, second = list(dict.fromkeys(r.candidate.spec for r in tw.Dispatcher().explain(problem).ranked))[:2]

mine, yours = tw.Registry("mine"), tw.Registry("yours")
mine.add(best, source="by hand")
yours.add(second, priority=5, source="by hand")
print(f"mine: {len(mine.entries())} kernel; yours: {len(yours.entries())} kernel")

merged = tw.Registry("merged")
merged.merge(mine)
merged.merge(yours)
first = merged.entries()[0]
print(f"merged: {len(merged.entries())} kernels, first {first.spec.algorithm.label()} of priority {first.priority}")
print(f"filtered: {len(merged.filter(lambda spec: spec == best).entries())} kernel")

a, b = np.ones((60, 32), np.float32), np.ones((32, 64), np.float32)
results = [tw.gemm(a, b, dispatcher=tw.Dispatcher(r)) for r in (mine, yours, merged)]
print("ran with each:", all((c == 32).all() for c in results))
