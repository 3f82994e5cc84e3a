"""Learned selection: a model trained on measurements of an H200 chooses for it. No GPU is needed to ask.

Prints:
    analytical: ... candidates, first ..., smallest predicted time
    chain: ... candidates, first ..., learned: model gemm_16bit-triton-sm_90...
"""

import tilewright as tw

problem = tw.problem_from_dict({"op": "gemm", "m": 512, "n": 4096, "k": 4096, "dtype": "bf16", "layout": "rcr"})
for selector in ("analytical", "chain"):
    found = tw.Dispatcher(selector=selector).explain(problem, arch="sm_90")
    label = found.chosen.candidate.spec.algorithm.label()
    print(f"{selector}: {len(found.ranked)} candidates, first {label}, {found.chosen.reason}")
