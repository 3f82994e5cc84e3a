"""Is the result right? Small problems against float64, large ones by random projections; mistakes are found.

Prints:
    float64: ok, ...% of the tolerance
    projection: ok, ...% of the tolerance
    without the last step of the sum: found by float64 and by projection
"""

import tilewright as tw
from tilewright.ops import get_op

problem = tw.problem_from_dict({"op": "gemm", "m": 96, "n": 80, "k": 64, "dtype": "fp32", "layout": "rrr"})
op = get_op("gemm")
tensors = op.random_tensors(problem, seed=0)
out = tw.Dispatcher().run(problem, **tensors)
for tier in ("float64", "projection"):
    verdict = op.verify(problem, tensors, out, tier=tier)
    print(f"{tier}: {'ok' if verdict.ok else 'wrong'}, {verdict.ratio:.1%} of the tolerance")

wrong = tensors["a"][:, :-1] @ tensors["b"][:-1]  # as a kernel that forgets the end of k
found = [tier for tier in ("float64", "projection") if not op.verify(problem, tensors, wrong, tier=tier).ok]
print("without the last step of the sum: found by", " and by ".join(found))
