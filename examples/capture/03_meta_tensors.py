"""A large net for a GPU, captured on a laptop: meta tensors need no memory, and nothing is computed.

Needs: torch

Prints:
    conv n8 c3 k64 224x224 f7x7 s2x2 fwd_fp32_ngchw_add-d1
    gemm 8x10x802816 fp32_...
    ...
    for cuda:0: 5 problems, no operator left out: True
"""

import torch

import tilewright.torch

with torch.device("meta"):
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 64, 7, 2, 3), torch.nn.Flatten(), torch.nn.Linear(64 * 112 * 112, 10))
    images = torch.empty(8, 3, 224, 224)
with tilewright.torch.capture(device="cuda") as found:
    net(images).sum().backward()
for problem in found.problems:
    print(problem.label())
print(f"for {found.problems[0].device}: {len(found.problems)} problems, no operator left out: {not found.left}")
