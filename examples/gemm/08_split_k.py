"""A small output with a long sum: the sum is split, and the parts are added in a fixed order.

tilewright chooses the number of parts; a number of yours is a constraint.

Prints:
    split_k 1: one part
    split_k 4: 4 parts
    the same result: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
a, b = (rng.standard_normal(shape, dtype=np.float32) for shape in ((16, 4096), (4096, 16)))
size = {"op": "gemm", "m": 16, "n": 16, "k": 4096, "dtype": "fp32", "layout": "rrr"}

results = []
for parts in (1, 4):
    results.append(tw.gemm(a, b, split_k=parts))
    launch = tw.Dispatcher().explain(tw.problem_from_dict({**size, "split_k": parts})).chosen.candidate.launch
    print(f"split_k {parts}: {'one part' if launch.split_k == 1 else f'{launch.split_k} parts'}")
print("the same result:", np.allclose(*results, atol=1e-2))
