"""Why this kernel and not another one: candidates with their predicted times, and the rules that removed others.

Prints:
    gemm 300x100x200 fp32_rrr on ...
    ... candidates, ... kernels removed
    best: ...
    worst: ...
    removed: ...
"""

import tilewright as tw

problem = tw.problem_from_dict({"op": "gemm", "m": 300, "n": 100, "k": 200, "dtype": "fp32", "layout": "rrr"})
found = tw.Dispatcher().explain(problem)

print(f"{problem.label()} on {found.device.name}")
print(f"{len(found.ranked)} candidates, {len(found.rejected)} kernels removed")
for name, ranked in (("best", found.ranked[0]), ("worst", found.ranked[-1])):
    print(f"{name}: {ranked.candidate.spec.algorithm.label()}, {ranked.seconds * 1e6:.1f} us predicted")
spec, rejections = found.rejected[0]
print(f"removed: {spec.algorithm.label()}, {rejections[0]}")
