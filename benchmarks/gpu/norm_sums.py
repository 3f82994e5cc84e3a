"""Gradients of layer norm by Inductor on a GPU: the rows that are summed in one part, and torch's sum of the parts.

`off` sums the rows in kernels of their own; `inductor` takes the parts that Inductor chooses, a number so many rows.

    python benchmarks/gpu/norm_sums.py --out rows.jsonl
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1]
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "src")]

import torch  # noqa: E402
from json_rows import show_row  # noqa: E402
from turns import in_turn  # noqa: E402

from tilewright.backends.gpu.timing import CapturedCalls  # noqa: E402
from tilewright.torch.compile.inductor import PART_ROWS  # noqa: E402

SHAPES = (
    (4608, 2048), (8192, 768), (8192, 1024), (8192, 4096), (12000, 768), (12000, 1280), (12608, 768), (16384, 768),
    (32768, 512),
)  # fmt: skip
PARTS: tuple[Any, ...] = ("off", "inductor", 2, 4, 8, 12, 16, 32, 64, 128)
REPEATS, ROUNDS = 20, 7


def gradients(dy: Any, residual: Any, x: Any, weight: Any, mean: Any, rstd: Any) -> tuple[Any, ...]:
    """Return the gradients of a norm's input, weight and bias, and of the bias of the product before it."""
    total = dy + residual
    scaled, normal = total.float() * weight.float(), (x.float() - mean) * rstd
    shift, slope = scaled.mean(-1, keepdim=True), (scaled * normal).mean(-1, keepdim=True)
    dx = ((scaled - shift - normal * slope) * rstd).half()
    return dx, (total.float() * normal).sum(0).half(), total.float().sum(0).half(), dx.sum(0)


def row_of(rows: int, columns: int) -> dict[str, Any]:
    """Return the microseconds of each way; None where Inductor does not compile it."""
    half = [torch.randn(*shape, device="cuda", dtype=torch.float16) for shape in ((rows, columns),) * 3 + ((columns,),)]
    given = [*half, torch.randn(rows, 1, device="cuda"), torch.rand(rows, 1, device="cuda") + 0.5]
    graphs: dict[str, CapturedCalls] = {}
    for part in PARTS:
        torch._dynamo.reset()
        rows_of_part = part if isinstance(part, int) else None
        options = {"triton.mix_order_reduction": part != "off", f"triton.{PART_ROWS}": rows_of_part}
        call = torch.compile(gradients, options=options)
        try:
            graphs[str(part)] = CapturedCalls([lambda call=call: call(*given)], REPEATS)
        except Exception as error:  # Inductor asserts that parts are multiples of what it reads at once
            print(f"{rows} x {columns} in parts of {part}: {error}".splitlines()[0], file=sys.stderr)
    samples = in_turn({part: graph.sample for part, graph in graphs.items()}, ROUNDS)
    times = {part: round(min(samples[part]) * 1e6, 1) if part in samples else None for part in map(str, PARTS)}
    return {"rows": rows, "columns": columns, "us": times, "on": torch.cuda.get_device_name()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    for shape in SHAPES:
        with torch.no_grad():
            show_row(row_of(*shape), args.out)


if __name__ == "__main__":
    main()
