"""Declare kernels of your own, see which the rules allow, build them in parallel, and choose among them.

Prints:
    legal     tiled_...
    ...
    built ... kernels
    ran gemm_cpu_...: verified
"""

import tilewright as tw
from tilewright.ops import get_op

registry = tw.Registry("mine")
registry.declare(
    tw.KernelSet(
        name="small_tiles",
        op="gemm",
        backend="cpu",
        algorithms=({"inner": ["fma", "portable"], "mr": [4, 6], "nr": [8, 16, 64], "kc": 256, "pack_a": False},),
    )
)
problem = tw.problem_from_dict({"op": "gemm", "m": 120, "n": 96, "k": 80, "dtype": "fp32", "layout": "rrr"})
dispatcher = tw.Dispatcher(registry)

explanation = dispatcher.explain(problem)
for ranked in explanation.ranked:
    print(f"legal     {ranked.candidate.spec.algorithm.label()}  {ranked.seconds * 1e6:.1f} us predicted")
for spec, rejections in explanation.rejected:
    print(f"rejected  {spec.algorithm.label()}  {rejections[0]}")

specs = list(dict.fromkeys(r.candidate.spec for r in explanation.ranked))[:2]  # the two best
built = registry.build(max_workers=2, specs=specs)
print(f"built {len(built)} kernels")

tensors = get_op("gemm").random_tensors(problem, seed=0)
out = dispatcher.run(problem, **tensors)
get_op("gemm").verify(problem, tensors, out).require(problem.label())
print(f"ran {dispatcher.plan(problem).kernel}: verified")
