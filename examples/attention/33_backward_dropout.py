"""A training step with dropout: the backward pass gets the seed, not a mask.

Prints:
    the gradient of v is the same sum of rows that the forward pass made: True
    another seed gives another gradient: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v, dout = (rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(4))
options = {"causal": True, "align": "top_left", "dropout": 0.1}

out, lse = tw.attention(q, k, v, return_lse=True, rng=(2026, 7, 0), **options)
dv = tw.attention_backward(dout, q, k, v, out, lse, rng=(2026, 7, 0), **options)[2]
# out = W v is linear in v, so <dout, out> = <W^T dout, v> = <dv, v> if W is the same in both passes.
same = np.isclose((dout * out).sum(), (dv * v).sum(), rtol=1e-3)
print("the gradient of v is the same sum of rows that the forward pass made:", bool(same))
other = tw.attention_backward(dout, q, k, v, out, lse, rng=(2026, 8, 0), **options)[2]
print("another seed gives another gradient:", not np.allclose(other, dv))
