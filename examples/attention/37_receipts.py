"""Receipts: the kernels that well-known projects build, as filters over the kernels of any backend.

Prints:
    flash: bf16 yes, fp32 no
    fp32: bf16 no, fp32 yes
    pytorch: bf16 yes, fp32 ...
"""

import tilewright as tw
from tilewright.ops.fmha.receipts import get_receipt

for name in ("flash", "fp32", "pytorch"):
    registry = tw.Registry(name)
    for kernels in tw.get_backend("cpu").op("fmha").default_sets():
        for part in get_receipt(name).narrow(kernels):
            registry.declare(part)
    dispatcher = tw.Dispatcher(registry)
    told = []
    for dtype in ("bf16", "fp32"):
        problem = tw.FmhaBuilder("fwd", dtype).sizes(1, 512).heads(8).hdim(64).build()
        told.append(f"{dtype} {'yes' if dispatcher.explain(problem).chosen else 'no'}")
    print(f"{name}: {', '.join(told)}")
