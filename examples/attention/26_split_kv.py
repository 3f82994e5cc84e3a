"""Split-KV: the keys of one row are shared out, and a second step combines the parts.

tilewright chooses the number of splits unless you name one.

Prints:
    1 split: attend
    3 splits: split -> combine
    the same result: True
"""

import numpy as np

import tilewright as tw
from tilewright.ops import get_op

# "wait": no stand-in while the kernel is compiled
op, dispatcher, results = get_op("fmha"), tw.Dispatcher(settings=tw.Settings.from_env(build="wait")), []
for splits in (1, 3):
    problem = tw.FmhaBuilder("fwd_splitkv", "fp32").sizes(2, 1, 400).heads(4, 1).hdim(64).splits(splits).build()
    tensors = op.random_tensors(problem, seed=0)
    results.append(np.array(dispatcher.run(problem, **tensors)))
    steps = " -> ".join(step.name for step in dispatcher.plan(problem).steps)
    print(f"{splits} split{'s' if splits > 1 else ''}: {steps}")
print("the same result:", np.allclose(*results, atol=1e-5))
