"""Serving with torch tensors: append to a paged cache and decode, without gradients.

Needs: torch

Prints:
    after 3 tokens: lengths [3, 8], newest (2, 1, 4, 32)
    the same as torch's attention over the first sequence: True
"""

import torch

import tilewright.torch as tt

torch.manual_seed(0)
pages, table = [torch.zeros(4, 16, 4, 32) for _ in range(2)], torch.tensor([[2], [0]], dtype=torch.int32)
lengths = torch.tensor([0, 5], dtype=torch.int32)
with torch.no_grad():
    for _ in range(3):
        tt.append_kv(*pages, torch.randn(2, 1, 4, 32), torch.randn(2, 1, 4, 32), lengths, page_table=table)
        lengths = lengths + 1
        q = torch.randn(2, 1, 4, 32)
        newest = tt.attention_decode(q, *pages, lengths, page_table=table)
print(f"after 3 tokens: lengths {lengths.tolist()}, newest {tuple(newest.shape)}")

k, v = (p[2, :3].transpose(0, 1)[None] for p in pages)  # page 2 holds sequence 0
expected = torch.nn.functional.scaled_dot_product_attention(q[:1].transpose(1, 2), k, v)
print(
    "the same as torch's attention over the first sequence:", torch.allclose(newest[0, 0], expected[0, :, 0], atol=1e-5)
)
