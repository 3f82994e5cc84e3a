"""A sweep over sequence lengths: the choice of kernel and launch follows the problem.

Prints:
    rows    1: ...
    rows   16: ...
    rows  256: ...
    rows 4096: ...
    distinct choices: ...
"""

import tilewright as tw

dispatcher, chosen = tw.Dispatcher(), set()
for rows in (1, 16, 256, 4096):
    sizes = tw.FmhaBuilder("fwd", "bf16").sizes(4, rows, 4096).heads(16, 4).hdim(128).mask("causal_bottom_right")
    best = dispatcher.explain(sizes.build()).chosen  # only asks: nothing is built
    label = best.candidate.spec.algorithm.label()
    chosen.add(label)
    print(f"rows {rows:4}: {label}, predicted {best.seconds * 1e3:.3f} ms")
print(f"distinct choices: {len(chosen)}")
