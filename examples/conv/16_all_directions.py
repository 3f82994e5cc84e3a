"""Grouped and depthwise, in two and three dimensions: the convolution and both of its gradients.

The tensors are input, weight and output in every direction; the one that is computed is returned.

Prints:
    2D grouped    forward          (2, 32, 7, 7)      error ..., float64
    2D grouped    backward_data    (2, 32, 14, 14)    error ..., float64
    2D grouped    backward_weight  (32, 4, 3, 3)      error ..., float64
    2D depthwise  forward          ...
    ...
    3D grouped    backward_weight  (8, 4, 3, 3, 3)    error ..., float64
"""

import tilewright as tw
from tilewright.ops import get_op

SHAPES = {
    "2D grouped": {"n": 2, "g": 8, "c": 32, "k": 32, "input": [14, 14], "filter": [3, 3], "stride": 2, "pad": 1},
    "2D depthwise": {"n": 2, "g": 32, "c": 32, "k": 32, "input": [14, 14], "filter": [3, 3], "pad": 1},
    "3D grouped": {"n": 1, "g": 2, "c": 8, "k": 8, "input": [6, 10, 10], "filter": [3, 3, 3], "pad": 1},
}

op, dispatcher = get_op("conv"), tw.Dispatcher()
for name, shape in SHAPES.items():
    for direction in ("forward", "backward_data", "backward_weight"):
        problem = tw.problem_from_dict({"op": "grouped_conv", "direction": direction, "dtype": "fp32", **shape})
        tensors = op.random_tensors(problem, seed=0)
        result = dispatcher.run(problem, **tensors)
        check = op.verify(problem, tensors, result)
        check.require(problem.label())
        print(f"{name:13} {direction:16} {result.shape!s:18} error {check.max_error:.1e}, {check.tier}")
