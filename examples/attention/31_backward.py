"""Gradients of q, k and v from the output and the LSE of the forward pass.

Prints:
    dq (2, 48, 4, 64), dk (2, 48, 4, 64), dv (2, 48, 4, 64)
    a step along the gradient changes the loss as it says: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v, dout = (rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(4))

out, lse = tw.attention(q, k, v, causal=True, align="top_left", return_lse=True)
dq, dk, dv = tw.attention_backward(dout, q, k, v, out, lse, causal=True, align="top_left")
print(f"dq {dq.shape}, dk {dk.shape}, dv {dv.shape}")

step = 1e-2 * dk / np.linalg.norm(dk)
losses = [
    float((tw.attention(q, k + s, v, causal=True, align="top_left").astype(float) * dout).sum()) for s in (step, -step)
]
promised = 2 * float((dk * step).sum())
print("a step along the gradient changes the loss as it says:", np.isclose(losses[0] - losses[1], promised, rtol=1e-2))
