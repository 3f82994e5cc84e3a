"""`train` and `evaluate`: fit selection models to measurements, and evaluate them on held-out problems."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TilewrightError, plural
from .options import AsJson, settings_of
from .output import note, print_json

if TYPE_CHECKING:
    from ..tune.learn.dataset import Dataset
    from ..tune.learn.evaluate import Score
    from ..tune.learn.session import Learnt

Data = Annotated[
    list[str],
    typer.Argument(metavar="FILE", help="Files of measurements; none: your own store.", show_default=False),
]
Only = Annotated[str, typer.Option("--only", metavar="NAME", help="Only datasets whose name contains this.")]
Folder = Annotated[str, typer.Option("--out", metavar="FOLDER", help="Output folder of the models; empty: your own.")]
Warm = Annotated[bool, typer.Option("--warm", help="Continue from the existing model; refused if it gets worse.")]
Margin = Annotated[
    float, typer.Option("--margin", metavar="SHARE", min=0, help="Allowed loss of a warm start (0.005: half a point).")
]
TREES = 500  # as `tune.train.TrainOptions` has it
Trees = Annotated[int, typer.Option("--trees", metavar="N", min=10, help="Maximum number of trees.")]
Share = Annotated[
    float, typer.Option("--held-out", metavar="SHARE", min=0, max=1, help="Share of the problems that are held out.")
]
Among = Annotated[
    str, typer.Option("--among", metavar="WHAT", help="registry: all legal candidates; measured: only measured ones.")
]
Steady = Annotated[
    float,
    typer.Option(
        "--steady", metavar="SHARE", min=0, max=1,
        help="Count only problems at which the best kernel by half of the samples has this share by the others.",
    ),
]  # fmt: skip
Plots = Annotated[str, typer.Option("--plots", metavar="FOLDER", help="Also draw the distributions into this folder.")]
UseModel = Annotated[
    bool, typer.Option("--as-is", help="Evaluate the models as they are, without training on the other problems.")
]


def train(
    data: Data = [],  # noqa: B006 - Typer copies it
    only: Only = "",
    out: Folder = "",
    warm: Warm = False,
    margin: Margin = 0.005,
    trees: Trees = TREES,
    as_json: AsJson = False,
) -> None:
    """Fit selection models to measurements.

    Writes one model per op, direction, dtype family and arch, with its card: data, metrics of a cross-validation by
    problem, importance of the features. Using a model does not need LightGBM.
    """
    from ..select.model_directory import ModelDirectory, models_folder
    from ..tune.learn.train import TrainOptions
    from ..tune.learn.train import train as fit

    settings = settings_of()
    options, folder = (
        TrainOptions(trees=trees, margin=margin),
        Path(out or models_folder(settings)),
    )
    models, done, failures = ModelDirectory.of(settings), [], []
    for dataset in read_datasets(data, only):
        before = models.find(dataset.family, dataset.backend, dataset.arch) if warm else None
        try:
            model = fit(dataset, options, before)
        except TilewrightError as error:
            failures.append(str(error))
            continue
        done.append({"model": model.name, "file": str(model.save(folder)), "card": dict(model.card)})
    if as_json:
        print_json(done)
    for entry in [] if as_json else done:
        _show_card(entry)
    for text in failures:
        note(text)
    if failures or not done:
        raise typer.Exit(1)


def evaluate(
    data: Data = [],  # noqa: B006
    only: Only = "",
    share: Share = 0.3,
    among: Among = "registry",
    steady: Steady = 0.0,
    trees: Trees = TREES,
    as_is: UseModel = False,
    plots: Plots = "",
    as_json: AsJson = False,
) -> None:
    """Compare the choices of selectors with the best measured kernels.

    Some problems are held out: a model is trained on the others and compared on these with first_fit, rules, the cost
    model and the nearest measured problem. A choice that was not measured, or that failed, counts as 0.
    """
    from ..tune.learn.session import Learnt

    if among not in ("registry", "measured"):
        raise TilewrightError(f"--among is {among!r}", remedy="use registry or measured")
    found = []
    for dataset in read_datasets(data, only):
        try:
            found.append(_judge(dataset, share, among, steady, trees, as_is))
        except TilewrightError as error:
            found.append(Learnt(dataset.name, note=str(error)))
    if as_json:
        print_json([learnt_dict(x) for x in found])
    for learnt in [] if as_json else found:
        show_learnt(learnt)
    if plots:
        from ..report.selection import plot_scores

        for learnt in found:
            if learnt.scores:
                note(f"drawn: {plot_scores(learnt.name, learnt.scores, Path(plots))}")
    if not any(x.scores for x in found):
        raise typer.Exit(1)


def read_datasets(files: list[str], only: str = "") -> list[Dataset]:
    """Return the datasets of some files, or of the user's own store."""
    from ..store import Store, read_rows, store_path
    from ..tune.learn.dataset import datasets_of

    if files:
        rows = [r for f in files for r in read_rows(f)]
    else:
        with Store(store_path(settings_of())) as store:
            rows = list(store.rows())
    found = [d for d in datasets_of(rows) if only in d.name]
    if not found:
        raise TilewrightError("there are no measurements to learn from", remedy="run `tilewright tune` first")
    return found


def _judge(dataset: Dataset, share: float, among: str, steady: float, trees: int, as_is: bool) -> Learnt:
    from ..registry import default_registry
    from ..select import get_selector
    from ..select.learned import Learned
    from ..tune.learn.evaluate import Nearest, agreement, gain, judge, winner_flips
    from ..tune.learn.session import Learnt, models_of
    from ..tune.learn.train import TrainOptions
    from ..tune.learn.train import train as fit
    from ..tune.measure.candidates import BASELINES

    settings = settings_of()
    out = dataset.held_out(share)
    kept, all_out = dataset.part([not x for x in out]), dataset.part(out)
    judged = all_out.part([agreement(m) >= steady for m in all_out.problems])
    if not judged.problems or not kept.problems:
        raise TilewrightError(
            f"{dataset.name}: {plural(len(dataset.problems), 'problem')} cannot be split "
            f"({len(all_out.problems)} held out, {len(judged.problems)} of them steady)",
            remedy="tune more problems" + (", or lower --steady" if steady else ""),
        )
    model = None if as_is else fit(kept, TrainOptions(trees=trees))
    learned = Learned(None if model is None else models_of(model), settings)
    selectors = [*(get_selector(n) for n in BASELINES), Nearest(kept), learned]
    scores = judge(judged, selectors, default_registry() if among == "registry" else None)
    if not scores["learned"].verdicts:
        raise TilewrightError(
            f"{dataset.name}: the registry has no legal kernel for any of the held-out problems",
            remedy="use --among measured",
        )
    better = gain(scores["learned"], scores["analytical"])
    unsteady = len(all_out.problems) - len(judged.problems)
    return Learnt(dataset.name, model, scores, better, winner_flips(dataset), unsteady=unsteady)


def show_learnt(learnt: Learnt) -> None:
    """Print the tables of one dataset."""
    from ..report.tables import Table, fitted

    print(f"\n{learnt.name}")
    if learnt.note:
        print(fitted(f"  {learnt.note}", 2))
    if learnt.scores:
        table = Table(["selector", "mean", "median", "P10", "min", "top 8 P10", "missing", "problems"],
                      right=["mean", "median", "P10", "min", "top 8 P10", "missing", "problems"])  # fmt: skip
        for name, score in learnt.scores.items():
            s = score.summary()
            table.add(
                name,
                *(_percent(s[k]) for k in ("mean", "median", "p10", "min", "top8_p10")),
                s["missing"],
                s["problems"],
            )
        table.show()
        _show_slices(learnt.scores)
    if learnt.unsteady:
        print(fitted(f"not judged: {learnt.unsteady} held-out problems whose samples do not agree", 2))
    if learnt.gain is not None:
        print(fitted(f"learned over analytical: {learnt.gain.text()}", 2))
    if learnt.flips is not None and learnt.flips.problems:
        f = learnt.flips
        print(fitted(f"winner flips: {f.rate:.1%} beyond the tie band, {f.flips} of {f.problems} problems in all", 2))
    if learnt.path:
        print(f"model: {learnt.path}")
    if learnt.refused:
        print(fitted(f"model: not installed, because {learnt.refused}. What was measured is used without it.", 2))


def _show_slices(scores: Mapping[str, Score]) -> None:
    from ..report.tables import Table

    right = ["problems", "learned", "P10", "min", "regret", "analytical", "P10 ", "regret "]
    table = Table(["slice", "value", *right], right=right)
    other = scores["analytical"].by_slice()
    for name, values in scores["learned"].by_slice().items():
        for value, s in values.items():
            o = other[name][value]
            learned = [_percent(s[k]) for k in ("mean", "p10", "min", "regret")]
            table.add(name, value, int(s["problems"]), *learned, *(_percent(o[k]) for k in ("mean", "p10", "regret")))
    print()
    table.show()


def _show_card(entry: Mapping[str, Any]) -> None:
    from ..report.tables import fitted

    card, cv = entry["card"], entry["card"]["cross_validation"]
    print(fitted(f"{entry['model']}: {card['rows']} rows of {card['problems']} problems, {card['trees']} trees", 2))
    shares = ", ".join(f"{k} {_percent(cv[k])}" for k in ("mean", "median", "p10"))
    print(fitted(f"  cross-validation by problem: {shares}", 2))
    best = ", ".join(f"{n} {v:.0%}" for n, v in list(card["importance"].items())[:6])
    print(fitted(f"  most used: {best}", 2))
    print(f"  {entry['file']}")


def learnt_dict(learnt: Learnt) -> dict[str, Any]:
    """Return a trained model and its scores as plain JSON data."""
    better, flips = learnt.gain, learnt.flips
    return {
        "name": learnt.name,
        "note": learnt.note,
        "model": learnt.path,
        "refused": learnt.refused,
        "scores": {n: {**s.summary(), "slices": s.by_slice()} for n, s in learnt.scores.items()},
        "unsteady": learnt.unsteady,
        "gain": None if better is None else vars(better),
        "winner_flips": None if flips is None else {**vars(flips), "rate": flips.rate},
    }


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"
