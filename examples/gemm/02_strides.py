"""NumPy arrays as they are: transposed, sliced, with an `out` of your own. Nothing is copied.

Prints:
    transposed: True
    every second row of the one, every third column of the other: True
    written into a part of a larger array: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
a = rng.standard_normal((96, 64), dtype=np.float32)
b = rng.standard_normal((96, 48), dtype=np.float32)

print("transposed:", np.allclose(tw.gemm(a.T, b), a.T @ b, atol=1e-3))

some_rows, some_columns = a.T[::2], b[:, ::3]
same = np.allclose(tw.gemm(some_rows, some_columns), some_rows @ some_columns, atol=1e-3)
print("every second row of the one, every third column of the other:", same)

room = np.zeros((64, 100), np.float32)
out = tw.gemm(a.T, b, out=room[:, 10:58])
written = np.allclose(room[:, 10:58], a.T @ b, atol=1e-3) and not room[:, :10].any() and not room[:, 58:].any()
print("written into a part of a larger array:", written and out.base is room)
