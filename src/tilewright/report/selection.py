"""Plots of how well selectors choose: the distribution of efficiency, and efficiency by slice."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import MissingExtraError

if TYPE_CHECKING:
    from ..tune.learn.evaluate import Score


def plot_scores(name: str, scores: Mapping[str, Score], folder: Path) -> Path:
    """Plot efficiency over the share of problems for each selector, and means by slice; return the file."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError("matplotlib", extra="report", why="to draw plots") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(12, 4.5))
    for selector, score in scores.items():
        ordered = sorted(score.efficiencies)
        share = [i / max(1, len(ordered) - 1) for i in range(len(ordered))]
        left.plot(share, ordered, label=f"{selector} ({100 * score.efficiencies.mean():.1f})")
    left.set(xlabel="share of held-out problems", ylabel="efficiency of the choice", title=name, ylim=(0, 1.02))
    left.legend(loc="lower right")
    slices = {s: score.by_slice() for s, score in scores.items() if s in ("learned", "analytical", "nearest")}
    keys = [(n, v) for n, values in next(iter(slices.values()), {}).items() for v in values]
    width = 0.8 / max(1, len(slices))
    for number, (selector, found) in enumerate(slices.items()):
        places = [i + number * width for i in range(len(keys))]
        right.bar(places, [found[n][v]["mean"] for n, v in keys], width, label=selector)
    right.set_xticks(range(len(keys)), [f"{n} {v}" for n, v in keys], rotation=60, ha="right", fontsize=7)
    right.set(ylabel="mean efficiency", ylim=(0, 1.02))
    right.legend(loc="lower right")
    figure.tight_layout()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return path
