"""Random problems through rules, choice, build, run and verification; `tilewright stress` draws kernels as well.

Prints:
    6 problems of ... layouts with ... kernels: 6 right
"""

import tilewright as tw
from tilewright.ops import get_op
from tilewright.ops.gemm.samples import sample_problems

op, dispatcher = get_op("gemm"), tw.Dispatcher()
problems = sample_problems(6, 3, ["fp32"], most_flops=2e6)
right, kernels = 0, set()
for problem in problems:
    tensors = op.random_tensors(problem, seed=0)
    right += op.verify(problem, tensors, dispatcher.run(problem, **tensors)).ok
    kernels.add(dispatcher.plan(problem).kernel)
layouts = {p.layout for p in problems}
print(f"{len(problems)} problems of {len(layouts)} layouts with {len(kernels)} kernels: {right} right")
