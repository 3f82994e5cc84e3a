"""Is the result right? The tolerance follows from dtypes and lengths; a wrong element is found and named.

Prints:
    right: ok, tier float64
    one element changed: wrong at out (1, 7, 2, 5) of sequence 1, by 0.1
    fmha: error 0.1 > tolerance ... at out (1, 7, 2, 5) of sequence 1 (tier float64)...
"""

import tilewright as tw
from tilewright.errors import VerificationError
from tilewright.ops import get_op

problem = tw.FmhaBuilder("fwd", "fp32").sizes(2, 48).heads(4).hdim(64).build()
op = get_op("fmha")
tensors = op.random_tensors(problem, seed=0)

out = tw.Dispatcher().run(problem, **tensors)
verdict = op.verify(problem, tensors, out)
print(f"right: {'ok' if verdict.ok else 'wrong'}, tier {verdict.tier}")

out[1, 7, 2, 5] += 0.1
wrong = op.verify(problem, tensors, out)
print(f"one element changed: wrong at {wrong.spot}, by {wrong.error:.1f}")
try:
    wrong.require("fmha")
except VerificationError as error:
    print(error)
