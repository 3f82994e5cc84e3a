"""Train a small transformer for 20 steps, by torch and by tilewright's kernels: the losses are the same.

The argument `cuda` trains on a GPU, in bfloat16.

Needs: torch

Prints:
    body.layers.0.self_attn  MultiheadAttention  taken
    ...
    loss ... -> ... in 20 steps on cpu, as with torch
"""

import sys

import torch
from torch import nn

import tilewright.torch as tt

WORDS, ROWS, WIDTH = 64, 16, 64  # few different products: each is a kernel to compile


class Copier(nn.Module):
    """A causal transformer that predicts the next word."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, 2, WIDTH, dropout=0.0, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(WIDTH, WORDS)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(ROWS))

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        return self.out(self.body(self.words(text), mask=self.mask, is_causal=True))


def train(device: str, steps: int = 20, patched: bool = False) -> list[float]:
    torch.manual_seed(0)
    model = Copier().to(device)
    text = torch.randint(0, WORDS, (4, ROWS + 1), generator=torch.Generator().manual_seed(1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    patch = tt.patch(model) if patched else None
    losses = []
    for _ in range(steps):
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            logits = model(text[:, :-1])
        loss = nn.functional.cross_entropy(logits.float().flatten(0, 1), text[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    if patch is not None:
        print(patch.report)
        patch.undo()
    return losses


def main() -> None:
    device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    theirs, ours = train(device), train(device, patched=True)
    tolerance = 1e-3 if device == "cpu" else 5e-2
    torch.testing.assert_close(torch.tensor(ours), torch.tensor(theirs), rtol=tolerance, atol=tolerance)
    print(f"loss {ours[0]:.3f} -> {ours[-1]:.3f} in {len(ours)} steps on {device}, as with torch")


if __name__ == "__main__":
    main()
