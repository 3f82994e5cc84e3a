"""Describe a problem with named setters; every inconsistency is reported at once, with the name of its rule.

Prints:
    tensors: q, k, v, out, seqlens_k, page_table
    fmha.heads_divide: ...
    fmha.hdim: ...
    fmha.bwd_lse: ...
"""

import tilewright as tw

builder = tw.FmhaBuilder("fwd_pagedkv", "bf16").sizes(8, 1, 4096).heads(32, 8).hdim(128)
problem = builder.mask("causal_bottom_right").paged(page_size=128, num_pages=300).build()
print("tensors:", ", ".join(problem.roles))

wrong = tw.FmhaBuilder("bwd").sizes(1, 64).heads(6, 4).hdim(300).lse(False)
for mistake in wrong.mistakes():
    print(mistake)
