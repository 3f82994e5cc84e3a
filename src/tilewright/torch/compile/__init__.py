"""`torch.compile(model, backend="tilewright")`: Inductor's program with products and convolutions by tilewright.

Importing this package loads no compiler; `backend.py` does, at the first compilation.
"""
