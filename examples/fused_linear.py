"""A small MLP whose weights are packed once: bias and activation run inside the product's kernel.

python examples/fused_linear.py
"""

from __future__ import annotations

import numpy as np

import tilewright as tw


class Linear:
    """activation(x @ weight + bias), with the weight packed for about `rows` rows of x."""

    def __init__(self, weight: np.ndarray, bias: np.ndarray, activation: str, rows: int) -> None:
        self.packed = tw.pack_weights(weight, m_hint=rows)  # explicit: pack again when the weights change
        self.bias, self.activation = bias, activation

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return tw.gemm(x, self.packed, d=self.bias, activation=self.activation)


def main() -> None:
    rng = np.random.default_rng(0)
    rows, width, hidden = 8, 256, 512
    w1, w2 = (rng.standard_normal(s, dtype=np.float32) / 16 for s in ((width, hidden), (hidden, width)))
    b1, b2 = (rng.standard_normal(n, dtype=np.float32) for n in (hidden, width))
    up, down = Linear(w1, b1, "relu", rows), Linear(w2, b2, "none", rows)

    x = rng.standard_normal((rows, width), dtype=np.float32)
    y = down(up(x))
    expected = np.maximum(x @ w1 + b1, 0) @ w2 + b2
    np.testing.assert_allclose(y, expected, rtol=1e-3, atol=1e-3)
    print(f"{rows} rows through {width} -> {hidden} -> {width}: matches NumPy, packed as {up.packed.format}")


if __name__ == "__main__":
    main()
