"""Tensors are read where they lie: views into one projection of q, k and v, and an `out` inside a larger array.

Prints:
    strides of q in bytes: (36864, 768, 256, 4), nothing is copied
    written into the caller's array: True
    a view whose last stride is not 1 is refused: True
"""

import numpy as np

import tilewright as tw
from tilewright import TilewrightError

rng = np.random.default_rng(0)
projection = rng.standard_normal((2, 48, 3, 1, 64), dtype=np.float32)  # as a model's one matrix product gives it
q, k, v = (projection[:, :, i] for i in range(3))
print(f"strides of q in bytes: {q.strides}, nothing is copied")

room = np.zeros((2, 48, 2, 64), np.float32)
out = tw.attention(q, k, v, out=room[:, :, 1:])
expected = tw.attention(*(np.ascontiguousarray(x) for x in (q, k, v)))
print("written into the caller's array:", out.base is room and np.allclose(room[:, :, 1:], expected, atol=1e-6))

try:
    tw.attention(rng.standard_normal((2, 48, 1, 128), dtype=np.float32)[..., ::2], k, v)
except TilewrightError as error:
    print("a view whose last stride is not 1 is refused:", "contiguous" in str(error))
