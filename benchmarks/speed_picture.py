"""Draw docs/pictures/speed.svg from the results: a dot for each problem, at the peer's time divided by ours.

python benchmarks/speed_picture.py            # writes the picture
python benchmarks/speed_picture.py --check    # exits with 1 if the committed picture is another one
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from math import exp, log
from pathlib import Path
from typing import Any

from tilewright.report.collect import collect
from tilewright.report.results import Run

RESULTS = Path(__file__).parent / "results"
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "speed.svg"
LEAST, MOST = 0.5, 8.0  # ends of the axis; a dot beyond them is drawn at its end
TITLE = "The other library's time divided by ours: one dot per problem, right of 1 is faster"
LEFT, RIGHT, TOP, PITCH = 250, 700, 56, 30
Problem = Mapping[str, Any]


def of_dtype(dtype: str) -> Callable[[Run], bool]:
    return lambda run: run.dtype == dtype and run.threads <= 1


def bucket(problem: Problem) -> str:
    """Return the kind of a convolution by its channels per group."""
    groups, channels = problem.get("g", 1), problem["c"]
    if groups == 1:
        return "dense"
    if groups == channels:
        return "depthwise"
    return "few" if channels // groups <= 16 else "wide"


def convs(kind: str) -> Callable[[Run], bool]:
    return lambda run: bucket(run.problem) == kind and run.threads <= 1


# Heading, or label, file, peer and which runs.
ROWS: list[tuple[Any, ...]] = [
    ("NVIDIA H200",),
    ("GEMM fp16 vs cuBLAS", "gemm_gpu_h200_chain.jsonl", "torch", of_dtype("fp16")),
    ("GEMM bf16 vs cuBLAS", "gemm_gpu_h200_chain.jsonl", "torch", of_dtype("bf16")),
    ("conv, few channels vs cuDNN", "conv_gpu_h200.jsonl", "torch", convs("few")),
    ("conv, depthwise vs cuDNN", "conv_gpu_h200.jsonl", "torch", convs("depthwise")),
    ("conv, wide groups vs cuDNN", "conv_gpu_h200.jsonl", "torch", convs("wide")),
    ("conv, dense vs cuDNN", "conv_gpu_h200.jsonl", "torch", convs("dense")),
    ("attention vs flash, cuDNN", "fmha_gpu.jsonl", "fastest", lambda r: r.problem["seqlen_q"] > 1),
    ("attention, decoding", "fmha_gpu.jsonl", "fastest", lambda r: r.problem["seqlen_q"] == 1),
    ("x86-64 with AMX, one thread",),
    ("GEMM fp32 vs MKL", "gemm_cpu.jsonl", "torch", of_dtype("fp32")),
    ("GEMM bf16 vs oneDNN", "gemm_cpu.jsonl", "torch", of_dtype("bf16")),
    ("convolution fp32 vs oneDNN", "conv_cpu.jsonl", "torch", of_dtype("fp32")),
    ("attention fp32 vs torch", "attention_cpu.jsonl", "torch", of_dtype("fp32")),
    ("attention bf16 vs torch", "attention_cpu.jsonl", "torch", of_dtype("bf16")),
]
STYLE = """
.page { fill: #ffffff; stroke: #c9ced6 } .grid { stroke: #d9dde4 } .one { stroke: #1c2230; stroke-width: 1.5 }
.dot { fill: #4a63a9; fill-opacity: .45 } .mean { stroke: #c2410c; stroke-width: 3 } text { fill: #1c2230 }
.head { font-weight: 600 } .num { fill: #c2410c; font-weight: 600 }
@media (prefers-color-scheme: dark) {
.page { fill: #171b24; stroke: #3a4150 } .grid { stroke: #343b4a } .one { stroke: #e8ebf2 }
.dot { fill: #8ea5e6 } .mean { stroke: #fb923c } text { fill: #e8ebf2 } .num { fill: #fb923c }
}"""


def ratios(file: str, peer: str, chosen: Callable[[Run], bool]) -> list[float]:
    """Return the ratios of the chosen runs of a results file; the peer `fastest` is the fastest one of each run."""
    runs = [r for r in collect([RESULTS / file]).runs if r.peers and (peer == "fastest" or peer in r.peers)]
    return [min(r.peers.values()) if peer == "fastest" else r.peers[peer] for r in runs if chosen(r)]


def place(ratio: float) -> float:
    """Return the x of a ratio, on a logarithmic axis."""
    inside = min(max(ratio, LEAST), MOST)
    return LEFT + (RIGHT - LEFT) * log(inside / LEAST) / log(MOST / LEAST)


def row(label: str, values: list[float], y: int) -> str:
    mean = exp(sum(map(log, values)) / len(values))
    dots = "".join(
        f'<circle class="dot" cx="{place(v):.1f}" cy="{y + (i * 7 % 11 - 5) * 1.4:.1f}" r="2.6"/>'
        for i, v in enumerate(values)
    )
    mark = f'<path class="mean" d="M{place(mean):.1f} {y - 10}v20"/>'
    texts = f'<text x="18" y="{y + 4}">{label.replace("<", "&lt;")}</text>'
    return f'{texts}{dots}{mark}<text class="num" x="{RIGHT + 14}" y="{y + 4}">{mean:.2f}x</text>'


def picture() -> str:
    """Return the picture as SVG text; the same results give the same text."""
    bottom = TOP + PITCH * len(ROWS)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 {bottom + 34}" role="img" aria-label="Speed '
        'compared with other libraries, one dot per problem" font-family="system-ui, sans-serif" font-size="13">',
        f"<style>{STYLE}</style>",
        f'<rect class="page" x="1" y="1" width="778" height="{bottom + 32}" rx="10"/>',
        f'<text class="head" x="18" y="26">{TITLE}</text>',
    ]
    for tick in (0.5, 1, 2, 4, 8):
        kind = "one" if tick == 1 else "grid"
        parts.append(f'<path class="{kind}" d="M{place(tick):.1f} {TOP - 14}V{bottom}"/>')
        parts.append(
            f'<text x="{place(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{tick:g}x{"+" * (tick == MOST)}</text>'
        )
    parts.append(f'<text class="num" x="18" y="{bottom + 18}">orange: geometric mean</text>')
    for index, (label, *source) in enumerate(ROWS):
        y = TOP + PITCH * index + 4
        parts.append(
            row(label, ratios(*source), y) if source else f'<text class="head" x="18" y="{y + 4}">{label}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> int:
    text = picture()
    if "--check" in sys.argv[1:]:
        return int(PICTURE.read_text() != text)
    PICTURE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
