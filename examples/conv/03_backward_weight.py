"""The gradient of the weight.

Prints:
    input (2, 16, 14, 14) and gradient (2, 16, 14, 14) -> weight (16, 16, 3, 3)
    it is the adjoint in the weight: True
    split into 2 parts, added in a fixed order: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
x = rng.standard_normal((2, 16, 14, 14), dtype=np.float32)
w = rng.standard_normal((16, 16, 3, 3), dtype=np.float32)
grad = rng.standard_normal((2, 16, 14, 14), dtype=np.float32)

y = tw.conv(x, w, padding=1)
dw = tw.conv_backward_weight(x, grad, (3, 3), padding=1)
print(f"input {x.shape} and gradient {grad.shape} -> weight {dw.shape}")
print("it is the adjoint in the weight:", np.isclose((y * grad).sum(), (w * dw).sum(), rtol=1e-3))
split = tw.conv_backward_weight(x, grad, (3, 3), padding=1, split_k=2)
print("split into 2 parts, added in a fixed order:", np.allclose(split, dw, atol=1e-4))
