"""Transformers with random weights from a config: Llama-like, BERT, ViT and the encoder of Whisper."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class Config:
    """Sizes of a transformer. `kv_heads` 0 means as many as `heads`; `extent` is the longest sequence."""

    width: int
    layers: int
    heads: int
    hidden: int
    extent: int
    vocabulary: int = 0
    kv_heads: int = 0

    @property
    def hdim(self) -> int:
        return self.width // self.heads


Cache = list[tuple[torch.Tensor, torch.Tensor]]


class RMSNorm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.rms_norm(x, (x.shape[-1],), self.weight, self.eps)


def rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Return [batch, heads, rows, hdim] with each pair of halves rotated by the angle of its row."""
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class LlamaAttention(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.hdim = c.heads, c.kv_heads or c.heads, c.hdim
        self.q_proj = nn.Linear(c.width, c.width, bias=False)
        self.k_proj = nn.Linear(c.width, self.kv_heads * c.hdim, bias=False)
        self.v_proj = nn.Linear(c.width, self.kv_heads * c.hdim, bias=False)
        self.o_proj = nn.Linear(c.width, c.width, bias=False)

    def forward(
        self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, cache: tuple[torch.Tensor, torch.Tensor] | None
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        batch, rows, _ = x.shape
        q = rotated(self.q_proj(x).view(batch, rows, self.heads, self.hdim).transpose(1, 2), cos, sin)
        k = rotated(self.k_proj(x).view(batch, rows, self.kv_heads, self.hdim).transpose(1, 2), cos, sin)
        v = self.v_proj(x).view(batch, rows, self.kv_heads, self.hdim).transpose(1, 2)
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=rows > 1, enable_gqa=self.heads != self.kv_heads)
        return self.o_proj(y.transpose(1, 2).reshape(batch, rows, -1)), (k, v)


class LlamaLayer(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = RMSNorm(c.width), RMSNorm(c.width)
        self.self_attn = LlamaAttention(c)
        self.gate_proj, self.up_proj = (nn.Linear(c.width, c.hidden, bias=False) for _ in range(2))
        self.down_proj = nn.Linear(c.hidden, c.width, bias=False)

    def forward(
        self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, cache: tuple[torch.Tensor, torch.Tensor] | None
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        y, cache = self.self_attn(self.input_layernorm(x), cos, sin, cache)
        x = x + y
        y = self.post_attention_layernorm(x)
        return x + self.down_proj(functional.silu(self.gate_proj(y)) * self.up_proj(y)), cache


class Llama(nn.Module):
    """Tokens [batch, rows] to the logits of the last row, in training of all rows.

    `generate` continues the tokens greedily, with a KV cache.
    """

    def __init__(self, c: Config, theta: float = 500000.0) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(c.vocabulary, c.width)
        self.layers = nn.ModuleList(LlamaLayer(c) for _ in range(c.layers))
        self.norm = RMSNorm(c.width)
        self.lm_head = nn.Linear(c.width, c.vocabulary, bias=False)
        angles = torch.outer(torch.arange(c.extent), theta ** (-torch.arange(0, c.hdim, 2) / c.hdim))
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def run(self, tokens: torch.Tensor, cache: Cache | None) -> tuple[torch.Tensor, Cache]:
        x = self.embed_tokens(tokens)
        start = cache[0][0].shape[2] if cache else 0
        cos, sin = (table[start : start + tokens.shape[1]].to(x.dtype) for table in (self.cos, self.sin))
        kept: Cache = []
        for i, layer in enumerate(self.layers):
            x, pair = layer(x, cos, sin, cache[i] if cache else None)
            kept.append(pair)
        return self.lm_head(self.norm(x if self.training else x[:, -1:])), kept

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.run(tokens, None)[0]

    def generate(self, tokens: torch.Tensor, count: int) -> torch.Tensor:
        """Return the logits of `count` new rows; each row's token is the likeliest one after the row before it."""
        logits, cache = self.run(tokens, None)
        rows = [logits]
        for _ in range(count - 1):
            logits, cache = self.run(rows[-1].argmax(-1), cache)
            rows.append(logits)
        return torch.cat(rows, 1)


class SelfAttention(nn.Module):
    """Attention of every row to every other, with biases, as BERT, ViT and Whisper have it."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        self.heads, self.hdim = c.heads, c.hdim
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(c.width, c.width) for _ in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, rows, _ = x.shape
        split = (batch, rows, self.heads, self.hdim)
        q, k, v = (p(x).view(split).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        y = functional.scaled_dot_product_attention(q, k, v)
        return self.out_proj(y.transpose(1, 2).reshape(batch, rows, -1))


class EncoderLayer(nn.Module):
    """Attention and two linear layers; the norm comes before each (ViT, Whisper) or after each residual (BERT)."""

    def __init__(self, c: Config, norm_first: bool) -> None:
        super().__init__()
        self.norm1, self.norm2, self.norm_first = nn.LayerNorm(c.width), nn.LayerNorm(c.width), norm_first
        self.attention = SelfAttention(c)
        self.fc1, self.fc2 = nn.Linear(c.width, c.hidden), nn.Linear(c.hidden, c.width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.norm_first:
            x = x + self.attention(self.norm1(x))
            return x + self.fc2(functional.gelu(self.fc1(self.norm2(x))))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.fc2(functional.gelu(self.fc1(x))))


class Bert(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(c.vocabulary, c.width), nn.Embedding(c.extent, c.width)
        self.norm = nn.LayerNorm(c.width)
        self.layers = nn.Sequential(*(EncoderLayer(c, norm_first=False) for _ in range(c.layers)))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.layers(self.norm(self.words(tokens) + self.positions.weight[: tokens.shape[1]]))


class ViT(nn.Module):
    def __init__(self, c: Config, patch: int = 16, classes: int = 1000) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, c.width, patch, patch)
        self.token = nn.Parameter(torch.zeros(1, 1, c.width))
        self.positions = nn.Parameter(torch.randn(1, c.extent, c.width) * 0.02)
        self.layers = nn.Sequential(*(EncoderLayer(c, norm_first=True) for _ in range(c.layers)))
        self.norm, self.head = nn.LayerNorm(c.width), nn.Linear(c.width, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat((self.token.expand(x.shape[0], -1, -1), x), 1) + self.positions
        return self.head(self.norm(self.layers(x))[:, 0])


class WhisperEncoder(nn.Module):
    """Mel spectrograms [batch, 80, frames] to [batch, frames / 2, width]."""

    def __init__(self, c: Config, mels: int = 80) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(mels, c.width, 3, 1, 1), nn.Conv1d(c.width, c.width, 3, 2, 1)
        self.positions = nn.Parameter(torch.randn(c.extent, c.width) * 0.02)
        self.layers = nn.Sequential(*(EncoderLayer(c, norm_first=True) for _ in range(c.layers)))
        self.norm = nn.LayerNorm(c.width)

    def forward(self, mels: torch.Tensor) -> torch.Tensor:
        x = functional.gelu(self.conv2(functional.gelu(self.conv1(mels))))
        return self.norm(self.layers(x.transpose(1, 2) + self.positions))
