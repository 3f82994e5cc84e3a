"""A problem as JSON, the form that all commands read, and back.

Prints:
    {"batch": 8, "dtype": "bf16", ... "mask": "causal_bottom_right", "op": "fmha", "seqlen_k": 4096, "seqlen_q": 1}
    the same problem: True
    a typing error is named: ... 'seqlen_k'...
"""

import json

import tilewright as tw
from tilewright import TilewrightError

problem = tw.FmhaBuilder("fwd", "bf16").sizes(8, 1, 4096).heads(32, 8).hdim(128).mask("causal_bottom_right").build()
text = json.dumps(problem.to_dict(), sort_keys=True)
print(text)
print("the same problem:", tw.problem_from_dict(json.loads(text)) == problem)
try:
    tw.problem_from_dict({**problem.to_dict(), "seqlen_kk": 4096})
except TilewrightError as error:
    print("a typing error is named:", error)
