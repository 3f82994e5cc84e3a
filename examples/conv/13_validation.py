"""Is the result right? All directions against the float64 reference; a forgotten filter tap is found.

Prints:
    forward          output (2, 16, 14, 14): ok
    backward_data    input (2, 16, 14, 14): ok
    backward_weight  weight (16, 16, 3, 3): ok
    without one tap: wrong
"""

import numpy as np

import tilewright as tw
from tilewright.ops import get_op

op, dispatcher = get_op("conv"), tw.Dispatcher()
size = {"n": 2, "c": 16, "k": 16, "input": [14, 14], "filter": [3, 3], "pad": 1, "dtype": "fp32", "layout": "ngchw"}
for direction in ("forward", "backward_data", "backward_weight"):
    problem = tw.problem_from_dict({"op": "grouped_conv", "direction": direction, **size})
    tensors = op.random_tensors(problem, seed=0)
    result = dispatcher.run(problem, **tensors)
    verdict = op.verify(problem, tensors, result)
    print(f"{direction:16} {problem.result} {result.shape}: {'ok' if verdict.ok else 'wrong'}")

problem = tw.problem_from_dict({"op": "grouped_conv", "direction": "forward", **size})
tensors = op.random_tensors(problem, seed=0)
less = np.array(tensors["weight"])
less[:, :, 2, 2] = 0
result = np.array(dispatcher.run(problem, **{**tensors, "weight": less}))
print(f"without one tap: {'ok' if op.verify(problem, tensors, result).ok else 'wrong'}")
