"""Figures in the text are those of the results files."""

from __future__ import annotations

import json
from collections import Counter
from math import isfinite
from statistics import geometric_mean
from typing import Any

import pytest
from figures import RESULTS, ROOT, figures, mistakes, value_of

PAGES: tuple[str, ...] = ("README.md",)
KNOWN = {"here": {"file": "selection_gemm_h200.json", "dataset": "gemm_16bit-triton-sm_90", "selector": "learned",
                  "score": "mean", "scale": 100}}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_every_figure_of_a_page_is_from_a_results_file(name: str) -> None:
    assert mistakes((ROOT / name).read_text()) == []


@pytest.mark.parametrize("name", sorted(figures()))
def test_every_recipe_gives_a_number(name: str) -> None:
    recipe = figures()[name]
    assert (RESULTS / recipe["file"]).is_file()
    assert value_of(json.dumps(recipe)) > 0


@pytest.mark.parametrize("text", ["98.8%<!--here-->", "99%<!--here--> of `5x` and 64x48", "sizes 1.5 and 3"])
def test_true_figures_pass(text: str) -> None:
    assert mistakes(text, KNOWN) == []


@pytest.mark.parametrize(
    "text", ["98.7%<!--here-->", "98%<!--here-->", "98.8%<!--there-->", "98.8%", "1.7x NumPy", "5 us", "1.37 and 1.04"]
)
def test_false_and_unmarked_figures_are_found(text: str) -> None:
    assert mistakes(text, KNOWN)


def test_figures_agree_with_the_performance_page() -> None:
    """The same numbers, counted by the benchmarks themselves, stand on the page of all figures."""
    page = (ROOT / "docs" / "performance.md").read_text()
    shown = {
        "gemm-bf16-first": "| bf16 vs oneDNN, large | 1.37, 1.04 |",
        "h200-attention-backward": "geometric mean is 1.05",
    }
    for name, text in shown.items():
        assert text in page
        assert f"{value_of(json.dumps(figures()[name])):.2f}" in text


def test_wrong_results_are_in_no_figure() -> None:
    """Nor those of which nothing is known, because the gradients of the peer overflow too."""
    for name in ("compile_nets_h200.jsonl", "models_cuda.jsonl", "patch_nets_h200.jsonl"):
        for line in (RESULTS / name).read_text().splitlines():
            row = json.loads(line)
            judged = row["ok"].values() if isinstance(row.get("ok"), dict) else [row.get("ok")]
            assert all(map(isfinite, row.get("errors", {}).values())) or not any(judged), (row["net"], row["task"])
    file, side = "compile_nets_h200.jsonl", "ours_graphs"
    rows = [json.loads(line) for line in (RESULTS / file).read_text().splitlines()]
    trained = [row for row in rows if row["task"] == "train" and side in row["ratios"]]
    right = [row["ratios"][side] for row in trained if row["ok"][side]]
    assert 0 < len(right) < len(trained)
    recipe = {"file": file, "peer": "torch_graphs", "side": side, "task": "train", "how": "geomean"}
    assert value_of(json.dumps(recipe)) == pytest.approx(geometric_mean(right), abs=1e-3)


def test_counts_of_the_readme() -> None:
    """Figures without a comment: how many problems, nets and examples there are."""
    text = (ROOT / "README.md").read_text()
    shapes = len((RESULTS / "gemm_gpu_h200_chain.jsonl").read_text().splitlines())
    assert f"fp16 and bf16 GEMM, {shapes} shapes" in text
    rows = [json.loads(line) for line in (RESULTS / "models_cuda.jsonl").read_text().splitlines()]
    chosen = [r for r in rows if r["mode"] == "graphs" and r["task"] == "inference" and r["ok"]]
    nets = {r["net"] for r in chosen if r["convolutional"]}
    assert (len(nets), "six convolution nets" in text) == (6, True)
    rows = [json.loads(line) for line in (RESULTS / "compile_nets_h200.jsonl").read_text().splitlines()]
    counts = Counter(r["task"] for r in rows if r["sides"][0] == "torch_graphs" and r["ok"].get("ours_graphs"))
    assert f"{counts['inference']} nets for inference / {counts['train']} in training" in text
    examples = len(list((ROOT / "examples").glob("*/[0-9]*.py")))
    assert f"(examples/README.md), {examples} of them" in text


def test_figures_of_many_machines() -> None:
    """The table of the page is what `benchmarks/merge_measurements.py` wrote, and the merge is as fast as promised."""
    found = json.loads((RESULTS / "merge_measurements.json").read_text())
    counts = " / ".join(f"{found[name]:,}" for name in ("kept", "same", "replaced", "conflicts", "false"))
    shown = [
        f"| rows, in 1,020 files | {found['rows']:,} |",
        f"| kept / twice / replaced / in conflict / false | {counts} |",
        f"| rows per second of CPU time | {round(found['rows per CPU second'], -3):,} |",
        f"| rows per second by the clock | {round(found['rows per second'], -2):,} |",
        f"| memory | {found['peak GiB']} GiB |",
        f"| the merged file | {found['file MB']} MB |",
        *(training_line(trained) for trained in found["training"]),
    ]
    page = (ROOT / "docs" / "many-machines.md").read_text()
    assert [line for line in shown if line not in page] == []
    assert (found["hosts"], found["rows"] >= 10_000_000, found["rows per second"] >= 50_000) == (1000, True, True)


def training_line(trained: dict[str, Any]) -> str:
    models = trained["models"].values()
    exam, folds = (", ".join(f"{m[name]:.0%}" for m in models) for name in ("exam", "cross-validation"))
    kernels = f"{max(m['kernels per problem'] for m in models):.2g}"
    return f"| {trained['rows']:,} | {trained['seconds']:.0f} s | {kernels} | {exam} | {folds} |"


def test_more_merged_rows_make_a_better_model() -> None:
    """Judged on the same problems and kernels; the cross-validations, each on its own rows, say the contrary."""
    few, many = (
        t["models"].values() for t in json.loads((RESULTS / "merge_measurements.json").read_text())["training"]
    )
    assert all(less["exam"] < more["exam"] for less, more in zip(few, many, strict=True))
    assert all(less["cross-validation"] > more["cross-validation"] for less, more in zip(few, many, strict=True))


def test_figures_of_bundles() -> None:
    """The kernels and bytes of two nets are those of `benchmarks/cpu/bundle_cost.py --budget`."""
    found = json.loads((RESULTS / "bundle_budget_cpu.json").read_text())
    text = f"{found['problems']} problems) need {found['kernels taken']} kernels, {found['bytes'] / 1e6:.1f} MB"
    assert text in (ROOT / "docs" / "bundles.md").read_text()
    assert found["covered time"] == found["times the best kernels' time"] == 1
