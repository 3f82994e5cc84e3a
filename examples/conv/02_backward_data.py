"""The gradient of the input, and with it a transposed convolution.

Prints:
    gradient (2, 16, 14, 14) -> input (2, 16, 14, 14)
    it is the adjoint of the convolution: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
x = rng.standard_normal((2, 16, 14, 14), dtype=np.float32)
w = rng.standard_normal((16, 16, 3, 3), dtype=np.float32)
grad = rng.standard_normal((2, 16, 14, 14), dtype=np.float32)

y = tw.conv(x, w, padding=1)
dx = tw.conv_backward_data(grad, w, (14, 14), padding=1)
print(f"gradient {grad.shape} -> input {dx.shape}")
adjoint = np.isclose((y * grad).sum(), (x * dx).sum(), rtol=1e-3)  # <A x, g> = <x, A' g>
print("it is the adjoint of the convolution:", adjoint)
