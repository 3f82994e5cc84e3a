"""Figures in the text are those of the results files."""

from __future__ import annotations

import json

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
