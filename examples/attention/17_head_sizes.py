"""Any head size up to 256, multiples of 8 or not.

Prints:
    hdim  32: error within the tolerance: True
    hdim  50: error within the tolerance: True
    hdim  67: error within the tolerance: True
    hdim 256: error within the tolerance: True
"""

import tilewright as tw
from tilewright.ops import get_op

op, dispatcher = get_op("fmha"), tw.Dispatcher()
for hdim in (32, 50, 67, 256):
    problem = tw.FmhaBuilder("fwd", "fp32").sizes(2, 48).heads(4).hdim(hdim).build()
    tensors = op.random_tensors(problem, seed=0)
    out = dispatcher.run(problem, **tensors)
    print(f"hdim {hdim:3}: error within the tolerance: {op.verify(problem, tensors, out).ok}")
