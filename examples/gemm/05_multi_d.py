"""Multi-D epilogues: bias, residual and activation in the kernel of the product.

E = activation(alpha * A B combine D0 combine D1 ...), with combine "add" or "multiply".

Prints:
    relu(0.5 * a b + bias + residual): True
    silu(a b) by a gate: True
    relu(a b * d0 * d1): True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
a, b = (rng.standard_normal(shape, dtype=np.float32) for shape in ((96, 64), (64, 48)))
bias, residual, gate = (rng.standard_normal(shape, dtype=np.float32) for shape in ((48,), (96, 48), (96, 48)))
product = a @ b

y = tw.gemm(a, b, d=[bias, residual], activation="relu", alpha=0.5)
expected = np.maximum(0.5 * product + bias + residual, 0)
print("relu(0.5 * a b + bias + residual):", np.allclose(y, expected, atol=1e-3))

y = tw.gemm(a, b, activation="silu") * gate
expected = product / (1 + np.exp(-product)) * gate
print("silu(a b) by a gate:", np.allclose(y, expected, atol=1e-3))

y = tw.gemm(a, b, d=[residual, gate], combine="multiply", activation="relu")
print("relu(a b * d0 * d1):", np.allclose(y, np.maximum(product * residual * gate, 0), atol=1e-2))
