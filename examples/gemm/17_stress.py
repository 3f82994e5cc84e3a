"""Random problems through rules, choice, build, run and verification; `tilewright stress` draws kernels as well.

Prints:
    12 problems of ... layouts and ... dtypes with ... kernels: 12 right
"""

import tilewright as tw
from tilewright.ops import get_op
from tilewright.ops.gemm.samples import sample_problems

op, dispatcher = get_op("gemm"), tw.Dispatcher()
problems = sample_problems(12, 3, ["fp32", "int8"], most_flops=2e6)
right, kernels = 0, set()
for problem in problems:
    tensors = op.random_tensors(problem, seed=0)
    right += op.verify(problem, tensors, dispatcher.run(problem, **tensors)).ok
    kernels.add(dispatcher.plan(problem).kernel)
layouts, dtypes = ({getattr(p, name) for p in problems} for name in ("layout", "dtype_a"))
told = f"{len(layouts)} layouts and {len(dtypes)} dtypes with {len(kernels)} kernels"
print(f"{len(problems)} problems of {told}: {right} right")
