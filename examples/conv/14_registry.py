"""Kernels of your own for a convolution, declared, checked and used by a dispatcher of their own.

Prints:
    ... legal, ... removed by rules
    chosen: ...
    verified: True
"""

import tilewright as tw
from tilewright.ops import get_op

registry = tw.Registry("mine")
for kernels in tw.get_backend("cpu").op("conv").default_sets():
    if kernels.name in ("cpu_conv_direct", "cpu_conv_portable"):
        registry.declare(kernels)
dispatcher, op = tw.Dispatcher(registry), get_op("conv")

size = {"n": 2, "c": 16, "k": 16, "input": [14, 14], "filter": [3, 3], "pad": 1, "dtype": "fp32", "layout": "ngchw"}
problem = tw.problem_from_dict({"op": "grouped_conv", "direction": "forward", **size})
found = dispatcher.explain(problem)
print(f"{len(found.ranked)} legal, {len(found.rejected)} removed by rules")
print("chosen:", found.chosen.candidate.spec.algorithm.label())
tensors = op.random_tensors(problem, seed=0)
print("verified:", op.verify(problem, tensors, dispatcher.run(problem, **tensors)).ok)
