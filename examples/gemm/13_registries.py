"""Several registries: kernels of two sources merged by priority, filtered, and each used by a dispatcher of its own.

Prints:
    small: 1 kernel; wide: 1 kernel
    merged: 2 kernels, first ... of priority 5
    filtered: 1 kernel
    ran with each: True
"""

import numpy as np

import tilewright as tw

problem = tw.problem_from_dict({"op": "gemm", "m": 60, "n": 64, "k": 32, "dtype": "fp32", "layout": "rrr"})
legal = [r.candidate.spec for r in tw.Dispatcher().explain(problem).ranked if r.candidate.spec.backend == "cpu"]
least, most = (choose(legal, key=lambda s: (s.algorithm.mr * s.algorithm.nr, s.digest)) for choose in (min, max))

small, wide = tw.Registry("small"), tw.Registry("wide")
small.add(least, source="by hand")
wide.add(most, priority=5, source="by hand")
print(f"small: {len(small.entries())} kernel; wide: {len(wide.entries())} kernel")

merged = tw.Registry("merged")
merged.merge(small)
merged.merge(wide)
first = merged.entries()[0]
print(f"merged: {len(merged.entries())} kernels, first {first.spec.algorithm.label()} of priority {first.priority}")
print(f"filtered: {len(merged.filter(lambda spec: spec == least).entries())} kernel")

a, b = np.ones((60, 32), np.float32), np.ones((32, 64), np.float32)
results = [tw.gemm(a, b, dispatcher=tw.Dispatcher(r)) for r in (small, wide, merged)]
print("ran with each:", all((c == 32).all() for c in results))
