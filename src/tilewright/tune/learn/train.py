"""Training: prices by non-negative least squares, then LightGBM trees on the residual, evaluated on held-out problems.
The result does not need LightGBM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import __version__
from ...errors import MissingExtraError, TilewrightError, plural
from ...select.features import only_shown, problem_numbers, reach_of
from ...select.model import SelectionModel
from ...select.model_file import wrong_model
from ...select.trees import Trees, trees_from_lightgbm
from .dataset import Arrays, Dataset, arrays_of

LEAVES = 31
MIN_PROBLEMS, MIN_ROWS = 8, 100
GROUP_PROBLEMS = 200  # kinds of kernels measured on fewer problems share one price list
KERNEL_PROBLEMS = 60  # the same, where each kernel has its own
MAX_TREES = 800
FOLDS = 4
# Numbers of trees to choose from.
CHECKPOINTS = (0, 5, 10, 20, 30, 40, 60, 80, 100, 125, 150, 175, 200, 250, 300, 350, 400, 450, 500)
FLOOR = 1e-9  # seconds: nothing is free
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TrainOptions:
    """The options: maximum number of trees, learning rate, seed, and the allowed loss of a warm start.

    `focus` is the power by which slow candidates count less: the fast ones must be distinguished. More `threads` help
    only from about ten thousand rows on, and are much slower if other programs use the cores.
    """

    trees: int = 500
    rate: float = 0.16
    seed: int = 0
    focus: float = 3.0
    margin: float = 0.005
    threads: int = 1


def train(data: Dataset, options: TrainOptions | None = None, warm: SelectionModel | None = None) -> SelectionModel:
    """Return a model of `data` with its card; `warm` continues an earlier model and is refused if it gets worse."""
    options = options or TrainOptions()
    usable = sum(row.ok for m in data.problems for row in m.rows)
    if len(data.problems) < MIN_PROBLEMS or usable < MIN_ROWS:
        raise TilewrightError(
            f"{data.name}: {plural(len(data.problems), 'problem')} and {plural(usable, 'right row')} are too few to "
            f"learn from; at least {MIN_PROBLEMS} and {MIN_ROWS} are needed",
            remedy="measure more: `tilewright tune`",
        )
    if len({m.group for m in data.problems}) < 2:
        raise TilewrightError(
            f"{data.name}: its {len(data.problems)} problems differ only in their batch, so none can be held out to "
            "judge a model",
            remedy="measure problems of other sizes too",
        )
    arrays = arrays_of(data)
    start = warm if warm is not None and len(warm.trees) + options.trees // 2 <= MAX_TREES else None
    count, folds = _cross_validate(data, arrays, options, start)
    fitted = _fit(data, arrays, options, count, start)
    model = replace(fitted, card=_card(data, arrays, options, count, folds, fitted, start))
    mistake = wrong_model(model, model.spec)
    if mistake:  # such a file would be refused when it is read
        raise TilewrightError(f"{data.name}: the model cannot be used: {mistake}", remedy="look for bad measurements")
    if warm is not None:
        _refuse_worse(data, model, warm, options)
    return model


def _fit(
    data: Dataset, arrays: Arrays, options: TrainOptions, count: int, warm: SelectionModel | None
) -> SelectionModel:
    """Return a model of all rows: the earlier model (or new prices), and `count` new trees."""
    everything = np.ones(len(arrays.seconds), bool)
    before = _priced(data, arrays, everything, warm)
    covered = {r.candidate.spec.how for m in data.problems for r in m.rows if r.ok}
    new, importance = Trees.none(), {}
    if count:
        booster = _boost(arrays, _residual(before, arrays), everything, options, count)
        new, importance = trees_from_lightgbm(booster.dump_model()).rounded(), _importance(booster, arrays.spec.names)
    return replace(
        before, trees=joined(before.trees, new), covered=before.covered | covered, card={"importance": importance},
        kinds=_kinds(arrays, before), reach=_reach(data, before), shown=_shown(arrays, before),
    )  # fmt: skip


def _reach(data: Dataset, before: SelectionModel) -> dict[str, list[float]]:
    """Return the smallest and largest sizes of problems and devices, now and before."""
    numbers = [problem_numbers(m.problem) for m in data.problems]
    seen = {name: [float(n[name]) for n in numbers] for name in reach_of(data.op)}
    seen["threads"] = [float(m.device.threads) for m in data.problems]
    joined = {name: [*values, *before.reach.get(name, ())] for name, values in seen.items()}
    return {name: [min(values), max(values)] for name, values in joined.items()}


def _kinds(arrays: Arrays, before: SelectionModel) -> dict[str, list[float]]:
    """Return the values of names and switches of the measured kernels, now and before."""
    found = arrays.spec.kinds(arrays.table)
    return {n: sorted({*np.unique(column).tolist(), *before.kinds.get(n, ())}) for n, column in found.items()}


def _shown(arrays: Arrays, before: SelectionModel) -> Floats:
    """Return the tunables of all measured kernels, now and before, if the model must predict no others."""
    spec = arrays.spec
    if not only_shown(spec.backend, spec.op):
        return before.shown
    mine = arrays.table[:, : len(spec.tunables)]
    return np.unique(np.concatenate([mine, before.shown]) if before.shown.size else mine, axis=0)


def _priced(data: Dataset, arrays: Arrays, where: Any, warm: SelectionModel | None) -> SelectionModel:
    """Return the model that new trees correct: an earlier one, or prices fitted to the rows in `where`."""
    if warm is not None:
        return warm
    codes, prices = fit_prices(arrays, where)
    return SelectionModel(data.family, data.backend, data.op, data.arch, arrays.spec.digest, codes, prices,
                          Trees.none(), frozenset())  # fmt: skip


def _residual(model: SelectionModel, arrays: Arrays) -> Floats:
    base = np.log(np.maximum(model.base(arrays.table, arrays.work), FLOOR))
    return np.log(arrays.seconds) - base - model.trees.score(arrays.x)


def _boost(arrays: Arrays, target: Floats, where: Any, options: TrainOptions, count: int) -> Any:
    """Return `count` trees that predict the target from the features, on the rows in `where`.

    The common part of all candidates of a problem is removed first: it decides no choice, and costs trees.
    """
    lightgbm = _lightgbm()
    weight = (arrays.best / arrays.seconds) ** options.focus
    common = np.bincount(arrays.index, weight * target) / np.maximum(np.bincount(arrays.index, weight), 1e-30)
    target = target - common[arrays.index]
    rows = int(where.sum())
    parameters = {
        "objective": "l2", "num_leaves": LEAVES, "learning_rate": options.rate, "verbosity": -1,
        "min_data_in_leaf": max(4, min(20, rows // 150)), "feature_fraction": 0.8, "bagging_fraction": 0.9,
        "bagging_freq": 1, "lambda_l2": 1.0, "use_missing": False, "seed": options.seed, "deterministic": True,
        "force_col_wise": True, "num_threads": options.threads, "max_bin": 255, "boost_from_average": False,
    }  # fmt: skip
    return lightgbm.train(parameters, lightgbm.Dataset(arrays.x[where], target[where], weight=weight[where]), count)


def fit_prices(arrays: Arrays, where: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return (codes, price lists): one list for each kind of kernel with enough rows, the common one last."""
    at = [arrays.spec.work.index(n) for n in arrays.spec.additive]
    code = arrays.spec.groups(arrays.table)
    problems_of = {c: len(np.unique(arrays.index[where & (code == c)])) for c in np.unique(code[where])}
    enough = KERNEL_PROBLEMS if arrays.spec.lists else GROUP_PROBLEMS
    codes = [c for c, problems in problems_of.items() if problems >= enough]
    lists = [_prices(arrays, at, where & (code == c)) for c in codes]
    return np.array(codes, np.int64), np.array([*lists, _prices(arrays, at, where)])


def _prices(arrays: Arrays, at: list[int], where: Any, most: int = 6000) -> Floats:
    """Return prices >= 0 with the smallest relative error; fast candidates count more."""
    try:
        from scipy.optimize import nnls
    except ImportError:
        raise MissingExtraError("scipy", extra="tune", why="to fit prices") from None
    rows = np.flatnonzero(where)
    rows = rows[:: max(1, len(rows) // most)]
    counts = np.column_stack([arrays.work[rows][:, at], np.ones(len(rows))])
    seconds = arrays.seconds[rows]
    weight = (arrays.best[rows] / seconds) ** 0.7 / seconds
    scale = np.maximum(np.abs(counts).max(axis=0), 1e-30)
    try:
        prices, _ = nnls(counts / scale * weight[:, None], seconds * weight, maxiter=50 * counts.shape[1])
    except RuntimeError:  # no convergence: one price for everything
        prices = np.zeros(counts.shape[1])
    prices = prices / scale
    prices[-1] = max(prices[-1], FLOOR if prices.any() else float(np.median(seconds)))
    # Least squares of relative errors prefer small predictions, differently for each kind: centre each in logarithms.
    share = (arrays.best[rows] / seconds) ** 2
    prices *= np.exp(np.average(np.log(seconds / (counts @ prices)), weights=share))
    return np.asarray(prices, np.float64)


def _cross_validate(
    data: Dataset, arrays: Arrays, options: TrainOptions, warm: SelectionModel | None
) -> tuple[int, dict[str, Any]]:
    """Return (the number of trees that is best on held-out problems, the quality of the choice there)."""
    groups = sorted({m.group for m in data.problems})
    fold_of = {g: i % FOLDS for i, g in enumerate(np.random.default_rng(options.seed).permutation(groups).tolist())}
    fold = np.array([fold_of[m.group] for m in data.problems])[arrays.index]
    counts = [c for c in CHECKPOINTS if c <= options.trees]
    efficiency: dict[int, list[float]] = {c: [] for c in counts}
    squares: dict[int, list[float]] = {c: [] for c in counts}
    for number in range(FOLDS):
        train_rows, test_rows = fold != number, fold == number
        if not test_rows.any() or not train_rows.any():
            continue
        residual = _residual(_priced(data, arrays, train_rows, warm), arrays)
        booster = _boost(arrays, residual, train_rows, options, counts[-1])
        x, left, log_time = arrays.x[test_rows], residual[test_rows], np.log(arrays.seconds[test_rows])
        for c in counts:
            learnt = booster.predict(x, num_iteration=c) if c else np.zeros(len(x))
            efficiency[c] += _efficiencies(arrays, test_rows, log_time - left + learnt)
            squares[c].append(float(np.mean((left - learnt) ** 2)))
    # The quality of the choice decides; among equally good numbers of trees, the better prediction of times.
    count = max(counts, key=lambda c: (round(float(np.mean(efficiency[c])), 3), -float(np.mean(squares[c]))))
    # Trees must choose significantly better than prices alone; otherwise they are omitted.
    better = np.array(efficiency[count]) - np.array(efficiency[0])
    if better.mean() < better.std() / np.sqrt(len(better)):
        count = 0
    best = efficiency[count]
    summary = {"folds": FOLDS, "mean": float(np.mean(best)), "median": float(np.median(best)),
               "p10": float(np.quantile(best, 0.1)), "log_error": float(np.sqrt(np.mean(squares[count]))),
               "without_trees": float(np.mean(efficiency[0]))}  # fmt: skip
    return count, summary


def _efficiencies(arrays: Arrays, where: Any, score: Floats) -> list[float]:
    """Return best time / time of the row with the smallest score, for each problem."""
    index, seconds = arrays.index[where], arrays.seconds[where]
    order = np.lexsort((score, index))
    first = np.unique(index[order], return_index=True)[1]
    return [float(x) for x in arrays.best[where][order][first] / seconds[order][first]]


def joined(a: Trees, b: Trees) -> Trees:
    """Return two ensembles as one.

    >>> none = trees_from_lightgbm({"tree_info": []})
    >>> len(joined(none, none))
    0
    """
    return Trees(
        np.concatenate([a.feature, b.feature]),
        np.concatenate([a.threshold, b.threshold]),
        np.concatenate([a.mask, b.mask]),
        np.concatenate([a.starts, a.starts[-1] + b.starts[1:]]),
        np.concatenate([a.leaves, b.leaves]),
    )


def mean_efficiency(data: Dataset, model: SelectionModel) -> float:
    """Return the mean efficiency of a model's choice among the measured candidates of each problem."""
    arrays = arrays_of(data)
    log_time = np.log(arrays.seconds) - _residual(model, arrays)
    return float(np.mean(_efficiencies(arrays, np.ones(len(arrays.seconds), bool), log_time)))


def _refuse_worse(data: Dataset, model: SelectionModel, before: SelectionModel, options: TrainOptions) -> None:
    """Compare on problems that the new model has not seen in training; refuse a loss beyond the margin."""
    out = data.held_out()
    if all(out) or not any(out):
        return
    kept, judged = data.part([not x for x in out]), data.part(out)
    arrays = arrays_of(kept)
    old = mean_efficiency(judged, before)
    start = before if len(before.trees) + options.trees // 2 <= MAX_TREES else None
    new = mean_efficiency(judged, _fit(kept, arrays, options, int(model.card["trees_added"]), start))
    if new < old - options.margin:
        raise TilewrightError(
            f"{data.name}: with the new data the choice drops from {old:.2%} to {new:.2%} of the best on "
            f"{len(judged.problems)} held-out problems, more than the margin of {options.margin:.2%}",
            remedy="look for bad measurements, raise --margin, or train without --warm",
        )


def _card(
    data: Dataset, arrays: Arrays, options: TrainOptions, count: int, folds: Mapping[str, Any], fitted: SelectionModel,
    warm: SelectionModel | None,
) -> dict[str, Any]:  # fmt: skip
    devices = sorted({m.device.name for m in data.problems})
    sources = [r.source for m in data.problems for r in m.rows]
    return {
        "tilewright": __version__,
        "data": data.digest,
        "problems": len(data.problems),
        "rows": len(arrays.seconds),
        "failed_rows": data.count - len(arrays.seconds),
        "kernels": len(fitted.covered),
        "devices": devices,
        "device_threads": sorted({m.device.threads for m in data.problems}),
        "toolchains": sorted({s.toolchain for s in sources}),
        "hosts": len({s.host for s in sources}),
        "trees": len(fitted.trees),
        "trees_added": count,
        "warm_start": warm.digest if warm is not None else None,
        "options": vars(options),
        "cross_validation": dict(folds),
        "features": list(arrays.spec.names),
        "importance": fitted.card["importance"],
    }


def _importance(booster: Any, names: tuple[str, ...]) -> dict[str, float]:
    gain = booster.feature_importance("gain")
    total = float(gain.sum()) or 1.0
    ranked = sorted(zip(names, gain, strict=True), key=lambda pair: -pair[1])
    return {name: round(float(value) / total, 4) for name, value in ranked if value > 0}


def _lightgbm() -> Any:
    try:
        import lightgbm
    except ImportError:
        raise MissingExtraError("lightgbm", extra="tune", why="to train selection models") from None
    return lightgbm
