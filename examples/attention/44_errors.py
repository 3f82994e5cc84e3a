"""Mistakes are reported before anything runs: all at once, with the value and the limit.

Prints:
    ProblemError names fmha.heads_divide and soft_cap: True
    TensorError: ... page_table: sequence 0 names page 6 at 0; pages are 0 to 5...
"""

import numpy as np

import tilewright as tw
from tilewright.errors import ProblemError, TensorError

q = np.ones((2, 1, 6, 64), np.float32)
pages = [np.ones((6, 16, 2, 64), np.float32) for _ in range(2)]
table, lengths = np.array([[5, 0, 3], [1, 4, 2]], np.int32), np.array([33, 48], np.int32)
try:
    tw.attention(q, q[:, :, :4], q[:, :, :4], soft_cap=-30.0)
except ProblemError as error:
    named = all(word in str(error) for word in ("fmha.heads_divide", "soft_cap"))
    print("ProblemError names fmha.heads_divide and soft_cap:", named)
try:
    tw.attention_decode(q, *pages, lengths, page_table=table + 1)
except TensorError as error:
    print("TensorError:", error)
