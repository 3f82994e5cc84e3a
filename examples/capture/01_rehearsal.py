"""Which problems does a program have? A rehearsal records the calls of a dispatcher; nothing is built or computed.

Prints:
    gemm 4x3x2 fp32_rrr
    gemm 4x5x3 fp32_rrr_relu
    prepared: True
"""

import numpy as np

import tilewright as tw

dispatcher = tw.Dispatcher()


def program() -> np.ndarray:
    x, w1, w2 = np.ones((4, 2), np.float32), np.ones((2, 3), np.float32), np.ones((3, 5), np.float32)
    return tw.gemm(tw.gemm(x, w1, dispatcher=dispatcher), w2, activation="relu", dispatcher=dispatcher)


with dispatcher.rehearsal() as problems:
    program()
for problem in problems.values():
    print(problem.label())
dispatcher.warm_up(list(problems.values()))
print("prepared:", bool((program() == 6).all()))
