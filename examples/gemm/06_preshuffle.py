"""Weights packed once: an MLP whose kernels read them in the order in which they need them.

Prints:
    8 rows through 256 -> 512 -> 256, packed as cpu...
    the same as NumPy: True
"""

import numpy as np

import tilewright as tw


class Linear:
    """activation(x @ weight + bias), with the weight packed for about `rows` rows of x."""

    def __init__(self, weight: np.ndarray, bias: np.ndarray, activation: str, rows: int) -> None:
        self.packed = tw.pack_weights(weight, m_hint=rows)  # explicit: pack again when the weights change
        self.bias, self.activation = bias, activation

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return tw.gemm(x, self.packed, d=self.bias, activation=self.activation)


rng = np.random.default_rng(0)
w1, w2 = (rng.standard_normal(s, dtype=np.float32) / 16 for s in ((256, 512), (512, 256)))
b1, b2 = (rng.standard_normal(n, dtype=np.float32) for n in (512, 256))
up, down = Linear(w1, b1, "relu", rows=8), Linear(w2, b2, "none", rows=8)

x = rng.standard_normal((8, 256), dtype=np.float32)
y = down(up(x))
print(f"8 rows through 256 -> 512 -> 256, packed as {up.packed.format}")
print("the same as NumPy:", np.allclose(y, np.maximum(x @ w1 + b1, 0) @ w2 + b2, rtol=1e-3, atol=1e-3))
