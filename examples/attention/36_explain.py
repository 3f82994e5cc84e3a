"""Why this kernel? Every candidate with its predicted time, and what removed the others, for any GPU that is known.

Prints:
    here      ... candidates, ... removed by rules; steps: attend
    first     fmha_cpu_..., predicted ... us
    on an MI300X  fmha_..., steps: forward
    removed by ck_tile... there: ...
"""

import tilewright as tw

problem = tw.FmhaBuilder("fwd", "bf16").sizes(2, 256).heads(8, 2).hdim(64).mask("causal_bottom_right").build()
dispatcher = tw.Dispatcher()

here = dispatcher.explain(problem)
steps = " -> ".join(step.name for step in here.steps)
print(f"here      {len(here.ranked)} candidates, {len(here.rejected)} removed by rules; steps: {steps}")
print(f"first     {here.chosen.candidate.spec.name}, predicted {here.chosen.seconds * 1e6:.0f} us")

there = dispatcher.explain(problem, arch="gfx942")  # needs no GPU: the facts of the arch are known
steps = " -> ".join(step.name for step in there.steps)
print(f"on an MI300X  {there.chosen.candidate.spec.name}, steps: {steps}")
rule, count = next((r, n) for r, n in sorted(there.counts.items()) if r.startswith("ck_tile"))
print(f"removed by {rule} there: {count}")
