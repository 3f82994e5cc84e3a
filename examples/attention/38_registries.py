"""Several registries in one program: each dispatcher chooses among its own kernels.

Prints:
    all: ... kernels are legal here
    narrow tiles: ... kernels are legal here, the first is rows1v
    the results agree: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(3))
problem = tw.FmhaBuilder("fwd", "fp32").sizes(2, 48).heads(4).hdim(64).build()

narrow = tw.Registry("narrow tiles")
narrow.declare(tw.KernelSet("mine", "fmha", "cpu", ({"row_vectors": 1},), signature={"family": "fwd", "dtype": "fp32"}))
every, mine = tw.Dispatcher(), tw.Dispatcher(narrow)

print(f"all: {len(every.explain(problem).ranked)} kernels are legal here")
ranked = mine.explain(problem).ranked
print(f"narrow tiles: {len(ranked)} kernels are legal here, the first is {ranked[0].candidate.spec.algorithm.label()}")
results = [tw.attention(q, k, v, dispatcher=d) for d in (every, mine)]
print("the results agree:", np.allclose(*results, atol=1e-5))
