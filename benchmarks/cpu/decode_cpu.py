"""Token decoding of a small GPT on the CPU: torch compared with the same model patched by `tilewright.torch`.

    python benchmarks/cpu/decode_cpu.py --threads 1 --out decode.jsonl     every model and cache, one line each
    python benchmarks/cpu/decode_cpu.py --width 512 --cache slices         one of them

One token of one sequence per step, with a cache of keys and values that grows: by concatenation, or as slices of memory
that is there from the beginning. Both models take turns, step by step, on the same tokens; a ratio is torch's time over
ours, by the medians of the steps. `--parts` also patches the linear layers alone and the attention alone.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tilewright.torch import op_gelu, op_sdpa, patch
from tilewright.tune.bench.own import own_kernels_only

VOCABULARY, HEAD = 8192, 64


class ConcatenatedCache:
    """Keys and values of one layer, concatenated with each token."""

    def __init__(self, heads: int, length: int) -> None:
        self.k = self.v = torch.empty(1, heads, 0, HEAD)

    def append(self, k: Tensor, v: Tensor, position: int) -> tuple[Tensor, Tensor]:
        """Return all keys and values, with those of this token."""
        self.k, self.v = torch.cat((self.k, k), 2), torch.cat((self.v, v), 2)
        return self.k, self.v


class SlicedCache:
    """Keys and values of one layer in memory for the longest sequence."""

    def __init__(self, heads: int, length: int) -> None:
        self.k, self.v = torch.zeros(1, heads, length, HEAD), torch.zeros(1, heads, length, HEAD)

    def append(self, k: Tensor, v: Tensor, position: int) -> tuple[Tensor, Tensor]:
        """Return all keys and values, with those of this token."""
        end = position + k.shape[2]
        self.k[:, :, position:end], self.v[:, :, position:end] = k, v
        return self.k[:, :, :end], self.v[:, :, :end]


CACHES: dict[str, Callable[[int, int], Any]] = {"concatenate": ConcatenatedCache, "slices": SlicedCache}


class Block(nn.Module):
    """Attention and a perceptron, as in GPT-2."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.heads = width // HEAD
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor, cache: Any, position: int) -> Tensor:
        """Return the stream after this block."""
        rows, width = x.shape[1], x.shape[2]
        q, k, v = (t.view(1, rows, self.heads, HEAD).transpose(1, 2) for t in self.qkv(self.norm1(x)).split(width, 2))
        k, v = cache.append(k, v, position)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=rows > 1)
        x = x + self.project(y.transpose(1, 2).reshape(1, rows, width))
        x += self.down(functional.gelu(self.up(self.norm2(x)), approximate="tanh"))
        return x


class Gpt(nn.Module):
    """A decoder of `layers` blocks with tied embeddings."""

    def __init__(self, width: int, layers: int, length: int) -> None:
        super().__init__()
        self.heads = width // HEAD
        self.embed, self.positions = nn.Embedding(VOCABULARY, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, VOCABULARY, bias=False)

    def forward(self, tokens: Tensor, caches: list[Any], position: int) -> Tensor:
        """Return the logits of the last token."""
        x = self.embed(tokens) + self.positions(torch.arange(position, position + tokens.shape[1]))[None]
        for block, cache in zip(self.blocks, caches, strict=True):
            x = block(x, cache, position)
        logits: Tensor = self.head(self.norm(x[:, -1]))
        return logits


class Decoder:
    """A model with its caches, one token at a time. `own`: torch's functions, which a patch replaces for all models."""

    def __init__(self, model: Gpt, cache: str, length: int, own: bool = False) -> None:
        self.model, self.position, self.own = model, 0, own
        self.times: list[float] = []
        self.caches = [CACHES[cache](model.heads, length) for _ in model.blocks]

    def step(self, tokens: Tensor, timed: bool = True) -> Tensor:
        """Return the logits after these tokens."""
        clock = time.thread_time if torch.get_num_threads() == 1 else time.perf_counter
        with contextlib.ExitStack() as stack:
            for replaced in (op_gelu, op_sdpa) if self.own else ():
                stack.enter_context(replaced.torchs_own())
            begin = clock()
            logits: Tensor = self.model(tokens, self.caches, self.position)
            if timed:
                self.times.append(clock() - begin)
        self.position += tokens.shape[1]
        return logits


def patched(model: Gpt, only: list[str] | None = None) -> Gpt:
    """Return a copy of the model whose layers and attention are ours."""
    ours = copy.deepcopy(model)
    patch(ours, only=only)
    return ours


def measure(width: int, cache: str, args: argparse.Namespace) -> dict[str, Any]:
    """Return one line of the results."""
    torch.manual_seed(0)
    length = args.prompt + args.steps
    model = Gpt(width, args.layers, length).eval()
    sides = {"torch": Decoder(model, cache, length, own=True), "ours": Decoder(patched(model), cache, length)}
    if args.parts:
        sides["linear"] = Decoder(patched(model, ["linear"]), cache, length, own=True)
        sides["attention"] = Decoder(patched(model, ["attention"]), cache, length)
    tokens, worst = torch.randint(0, VOCABULARY, (1, args.prompt)), 0.0
    for i in range(args.steps):
        names = list(sides)[:: 1 if i % 2 else -1]
        logits = {name: sides[name].step(tokens, timed=i > args.warm) for name in names}
        worst = max(worst, *(float((y - logits["torch"]).abs().max()) for y in logits.values()))
        tokens = logits["torch"].argmax(-1, keepdim=True)
    ms = {name: 1e3 * statistics.median(side.times) for name, side in sides.items()}
    ratios = {name: ms["torch"] / value for name, value in ms.items() if name != "torch"}
    return {
        "width": width, "layers": args.layers, "cache": cache, "prompt": args.prompt, "steps": args.steps,
        "threads": args.threads, "machine": args.machine or platform.machine(), "torch": torch.__version__,
        "ratio": ratios.pop("ours"), "ours_ms": ms["ours"], "torch_ms": ms["torch"], "parts": ratios,
        "weights_mb": sum(p.numel() for n, p in model.named_parameters() if "embed" not in n and "pos" not in n) * 4e-6,
        "worst_difference": worst,
    }  # fmt: skip


def main() -> None:
    """Measure what is asked for and print a line for each."""
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--width", type=int, nargs="*", default=[512, 768])
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--cache", nargs="*", default=list(CACHES))
    parser.add_argument("--prompt", type=int, default=64)
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--warm", type=int, default=8, help="steps that are not timed")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--machine", default="", help="the name of the CPU, for the results")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    os.environ["TILEWRIGHT_THREADS"] = str(args.threads)
    lines = []
    with torch.no_grad():
        for width in args.width:
            for cache in args.cache:
                lines.append(measure(width, cache, args))
                print(json.dumps(lines[-1]), flush=True)
                if args.out:
                    args.out.write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
