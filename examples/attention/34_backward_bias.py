"""The gradient of an additive bias, such as a learned table of positions.

Prints:
    dbias (2, 4, 48, 48)
    each row sums to 0, since a softmax does not feel a constant: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v, dout = (rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(4))
bias = rng.standard_normal((2, 4, 48, 48), dtype=np.float32)

out, lse = tw.attention(q, k, v, bias=bias, return_lse=True)
dq, dk, dv, dbias = tw.attention_backward(dout, q, k, v, out, lse, bias=bias, return_dbias=True)
print("dbias", dbias.shape)
print("each row sums to 0, since a softmax does not feel a constant:", np.allclose(dbias.sum(axis=-1), 0, atol=1e-4))
