"""Gradients of packed sequences of several lengths.

Prints:
    dq (70, 4, 64)
    no gradient crosses from one sequence to another: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
ends = np.array([0, 30, 70], np.int32)
q, k, v = (rng.standard_normal((70, 4, 64), dtype=np.float32) for _ in range(3))
dout = np.zeros((70, 4, 64), np.float32)
dout[:30] = rng.standard_normal((30, 4, 64), dtype=np.float32)  # only the first sequence has a loss

out, lse = tw.attention_varlen(q, k, v, ends, ends, 40, 40, causal=True, return_lse=True)
packed = {"cu_seqlens_q": ends, "cu_seqlens_k": ends, "max_seqlen_q": 40, "max_seqlen_k": 40}
gradients = tw.attention_backward(dout, q, k, v, out, lse, causal=True, **packed)
print("dq", gradients[0].shape)
crossing = any(g[30:].any() for g in gradients) or not all(g[:30].any() for g in gradients)
print("no gradient crosses from one sequence to another:", not crossing)
