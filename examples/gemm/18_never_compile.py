"""Never compile while serving: build what is needed at start-up, then refuse everything else.

Prints:
    prepared gemm 48x64x32 fp32_rrr
    it runs: True
    another one is refused: BuildForbiddenError
"""

import numpy as np

import tilewright as tw
from tilewright import TilewrightError

tw.warm_up([{"op": "gemm", "m": 48, "n": 64, "k": 32, "dtype": "fp32", "layout": "rrr"}])
print("prepared gemm 48x64x32 fp32_rrr")

serving = tw.Dispatcher(build="never")
a, b = np.ones((48, 32), np.float32), np.ones((32, 64), np.float32)
print("it runs:", bool((tw.gemm(a, b, dispatcher=serving) == 32).all()))
try:
    serving.plan(tw.FmhaBuilder("fwd", "fp16").sizes(1, 3).heads(1).hdim(13).build())
except TilewrightError as error:
    print("another one is refused:", type(error).__name__)
