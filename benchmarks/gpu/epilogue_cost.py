"""Epilogues of linear layers on a GPU: one kernel for product and operation, or the operation by torch afterwards.

For the layers of transformers, which have an activation or a residual after them, or before them the gradient of an
activation, and for the last 1x1 convolutions of ResNet's blocks as products, which have a residual and ReLU. `product`
is our kernel with its bias, `apart` the same and then torch's operation, `fused` one kernel for both, `torch` both by
torch. The least times of CUDA graphs, in turn.

    python benchmarks/gpu/epilogue_cost.py --out rows.jsonl
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1]
sys.path[:0] = [str(FOLDER), str(FOLDER / "gpu"), str(FOLDER.parent / "src")]

import torch  # noqa: E402
from json_rows import show_row  # noqa: E402
from squeeze_excite import REPEATS, ROUNDS  # noqa: E402
from torch.nn import functional  # noqa: E402
from turns import in_turn  # noqa: E402

from tilewright.backends.gpu.timing import CapturedCalls  # noqa: E402
from tilewright.frontends.gemm import gemm  # noqa: E402
from tilewright.ops.gemm.on_device import gone_back  # noqa: E402
from tilewright.torch import op_linear  # noqa: E402
from tilewright.torch.fused import linear_epilogue  # noqa: E402
from tilewright.tune.bench.own import own_kernels_only  # noqa: E402

VIT, BERT, WHISPER = 64 * 197, 16 * 512, 8 * 1500  # rows
LAYERS = tuple(
    (f"{net} {name}", rows, n, k, after)
    for net, rows in (("vit", VIT), ("bert", BERT), ("whisper", WHISPER))
    for name, n, k, after in (
        ("fc1", 3072, 768, "gelu_erf"), ("fc1", 3072, 768, "gelu_tanh"), ("fc2", 768, 3072, "add"),
        ("out_proj", 768, 768, "add"), ("fc2 back", 3072, 768, "back gelu_erf"),
        ("fc2 back", 3072, 768, "back gelu_tanh"), ("fc2 back", 3072, 768, "back silu"),
    )
) + tuple(
    (f"resnet conv{i + 2}_x", 64 * (56 >> i) ** 2, 256 << i, 64 << i, "add_relu") for i in range(4)
)  # fmt: skip
AFTER: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, residual: x + residual,
    "add_relu": lambda x, residual: torch.relu(x + residual),
    "gelu_erf": lambda x, _: functional.gelu(x),
    "gelu_tanh": lambda x, _: functional.gelu(x, approximate="tanh"),
    "back gelu_erf": lambda x, before: gone_back(x, before, "gelu_erf"),
    "back gelu_tanh": lambda x, before: gone_back(x, before, "gelu_tanh"),
    "back silu": lambda x, before: gone_back(x, before, "silu"),
}


def ways(rows: int, n: int, k: int, after: str, device: str, dtype: Any) -> dict[str, Callable[[], Any]]:
    """Return the ways to compute one layer and what comes after it."""
    x, weight, bias, residual = (
        torch.randn(*shape, device=device, dtype=dtype) for shape in ((rows, k), (n, k), (n,), (rows, n))
    )
    weight /= k**0.5
    finish, activation = AFTER[after], {"add": "none", "add_relu": "relu"}.get(after, after)
    if after.startswith("back"):
        gradient, back = weight.T, {"d": residual, "activation": after.removeprefix("back "), "combine": "gradient"}
        return {
            "torch": lambda: finish(x @ gradient, residual),
            "apart": lambda: finish(gemm(x, gradient), residual),
            "fused": lambda: gemm(x, gradient, **back),
            "product": lambda: gemm(x, gradient),
        }
    d = residual if after.startswith("add") else None
    return {
        "torch": lambda: finish(functional.linear(x, weight, bias), residual),
        "apart": lambda: finish(op_linear.forward(x, weight, bias), residual),
        "fused": lambda: linear_epilogue(x, weight, bias, d, activation),
        "product": lambda: op_linear.forward(x, weight, bias),
    }


def row_of(layer: tuple[str, int, int, int, str]) -> dict[str, Any]:
    """Return the microseconds of all ways, and how far the fused result is from torch's."""
    name, rows, n, k, after = layer
    calls = ways(rows, n, k, after, "cuda", torch.float16)
    torchs, fused = calls["torch"]().float(), calls["fused"]().float()
    samples = in_turn({way: CapturedCalls([call], REPEATS).sample for way, call in calls.items()}, ROUNDS)
    times = {f"{way}_us": round(min(values) * 1e6, 2) for way, values in samples.items()}
    difference = float((fused - torchs).abs().max() / torchs.abs().max())
    return {"layer": name, "m": rows, "n": n, "k": k, "after": after, **times, "difference": round(difference, 5)}


def main() -> None:
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    for layer in LAYERS:
        with torch.no_grad():
            show_row(row_of(layer), args.out)


if __name__ == "__main__":
    main()
