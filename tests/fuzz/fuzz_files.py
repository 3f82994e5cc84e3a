"""Fuzz targets for files of data: measurements (JSON lines, Parquet, SQLite) and trained models."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import math
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from fuzz_targets import AcceptedError, check_types, document
from fuzz_values import NUMBERS, bad_value, changed, changed_bytes, changed_text

from tilewright.backends.formula_cost import device_numbers
from tilewright.dispatcher import nominal_device
from tilewright.dispatcher.contest import Outcome, Outcomes
from tilewright.model.canonical import canonical
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry
from tilewright.select.chain import Measured
from tilewright.select.compiled import CompiledModel
from tilewright.select.features import problem_numbers
from tilewright.select.model import SelectionModel
from tilewright.select.model_directory import SHIPPED
from tilewright.select.scorer import Scorer
from tilewright.settings import Settings
from tilewright.store import Measurement, Store, merge_file, write_rows
from tilewright.store.measurement import STATUSES

# Kernels are built once, in the cache of the process that started the tests.
BUILT = os.environ.get("TILEWRIGHT_CACHE_DIR", "")
DEVICE = nominal_device("x86_64_amx")
MODELS = tuple(sorted(SHIPPED.glob("gemm_*-cpu-*.npz")))
_build_keys: dict[str, str] = {}


@cache
def problem() -> Any:
    return problem_from_dict(document("problems.json")[0])


@cache
def candidates() -> list[Any]:
    legal = default_registry(["cpu"]).legal(problem(), DEVICE)
    return legal[:: max(1, len(legal) // 20)]


@cache
def rows() -> list[Any]:
    """Plain measurements of real candidates, so that what is merged is also selected by."""
    made = [
        Measurement(
            problem().to_dict(), problem().tuning_key, c.spec.to_dict(), c.spec.digest, canonical(c.launch), "b",
            DEVICE.to_dict(), samples=(3e-6, 2e-6), error=0.5, tolerance=1.0, tier="float64", clocks={"load": 0.5},
            policy={"statistic": "median"}, artifact="c", toolchain="gcc 12", host="h", run="r", at=float(i + 1),
            message="",
        )
        for i, c in enumerate(candidates()[:5])
    ]  # fmt: skip
    return [json.loads(json.dumps(row.to_dict())) for row in made]


def check_measurement(row: Measurement) -> None:
    """Raise if a row was taken that a rule forbids; written apart from the code it judges."""
    check_types(row)
    wrong = [s for s in row.samples if not (math.isfinite(s) and 0 < s < 1e8)]
    if wrong or row.status not in STATUSES or not (row.seconds > 0):
        raise AcceptedError(f"a measurement with samples {row.samples!r} and status {row.status!r}")
    if Measurement.from_dict(json.loads(json.dumps(row.to_dict()))).id != row.id:
        raise AcceptedError("a measurement is another after a round trip")


def check_merged(file: Path, folder: Path) -> None:
    """Merge a file, then use what was taken, as a later plan does."""
    with Store(folder / "mine.sqlite") as store:
        new, known, *_ = merge_file(store, file)
        taken = list(store.rows())
        for row in taken:
            check_measurement(row)
        if store.check() or len(taken) != len(store) or len(taken) > new + known:
            raise AcceptedError(f"{len(taken)} of {len(store)} rows can be read; {new} and {known} were merged")
        ranker = Measured(store)
        ranker._build_keys = _build_keys  # of kernels, which no input changes
        ranker.rank(problem(), candidates(), DEVICE)


@contextmanager
def holding(name: str, data: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        yield path


def measurement(rng: Random) -> None:
    check_measurement(Measurement.from_dict(changed(rng.choice(rows()), rng)))


def measurement_lines(rng: Random) -> None:
    good = [json.dumps(row).encode() for row in rows()]
    lines = [changed_text(row, rng) if rng.random() < 0.2 else json.dumps(row).encode() for row in rows()]
    said = rng.choice((len(lines), len(lines), rng.randrange(9)))
    lines += [json.dumps({"rows": said}).encode()] if rng.random() < 0.8 else []
    data = b"\n".join(lines) + b"\n"
    ending, pack = rng.choice(((".jsonl", bytes), (".jsonl.gz", gzip.compress), (".jsonl.xz", lzma.compress)))
    packed = pack(data)
    with holding(f"rows{ending}", changed_bytes(packed, rng) if rng.random() < 0.3 else packed) as path:
        check_merged(path, path.parent)
        if path.read_bytes() == packed and lines[:-1] == good and said != len(good):
            raise AcceptedError(f"{len(good)} rows were taken of a file that ends with {said}")


def kept_rows(rng: Random) -> None:
    """Outcomes that programs keep: nothing in their file may stop a call, or lose what is added later."""
    good = {f.name: 2e-6 if f.name.endswith("seconds") else "t" for f in fields(Outcome)}
    lines = [changed_text(good, rng) if rng.random() < 0.5 else json.dumps(changed(good, rng)).encode() for _ in "1234"]
    data = b"\n".join(lines) + b"\n"
    with holding("rows.jsonl", changed_bytes(data, rng) if rng.random() < 0.3 else data) as path:
        rows = Outcomes(path)
        rows.get(("t", "t"))
        known = dict(rows._known or {})
        for found in known.values():
            check_types(found)
        added = Outcome(**{**good, "tuning_key": "new"})  # type: ignore[arg-type]
        rows.add(added)
        again = Outcomes(path)
        if any(again.get(key) != one for key, one in {**known, ("new", "t"): added}.items()):
            raise AcceptedError("a row is lost or another one after a row was added")


@cache
def exported(ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"rows{ending}")
        write_rows([Measurement.from_dict(row) for row in rows()], path)
        return path.read_bytes()


def measurement_parquet(rng: Random) -> None:
    data = changed_bytes(exported(".parquet"), rng) if rng.random() < 0.5 else _changed_table(rng)
    with holding("rows.parquet", data) as path:
        check_merged(path, path.parent)


def _changed_table(rng: Random) -> bytes:
    """A whole Parquet file with other columns or values."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(exported(".parquet")))
    name = rng.choice(table.column_names)
    at, act = table.column_names.index(name), rng.randrange(5)
    if act == 0:
        table = table.drop([name])
    elif act == 1:
        table = table.replace_schema_metadata({b"tilewright.measurements": str(bad_value(rng)).encode()})
    elif act == 2:
        table = pa.concat_tables([table, table.slice(rng.randrange(6))])
    else:
        values = table.column(name).to_pylist()
        bad = bad_value(rng)
        values[rng.randrange(len(values))] = json.dumps(bad) if isinstance(bad, list | dict) else bad
        try:
            kind = table.schema.field(name).type if act == 3 else None
            table = table.set_column(at, name, pa.array(values, kind))
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            table = table.set_column(at, name, pa.array([json.dumps(v) for v in values]))
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def measurement_store(rng: Random) -> None:
    import sqlite3

    with holding("rows.sqlite", exported(".sqlite")) as path:
        if rng.random() < 0.5:
            path.write_bytes(changed_bytes(path.read_bytes(), rng))
        else:
            db = sqlite3.connect(path)
            table, column = rng.choice((("measurements", "samples"), ("measurements", "at"), ("measurements", "error"),
                                        ("measurements", "policy"), ("measurements", "launch"), ("specs", "data"),
                                        ("problems", "data"), ("devices", "data"), ("meta", "value")))  # fmt: skip
            bad = bad_value(rng)
            value = json.dumps(bad) if isinstance(bad, list | dict) or rng.random() < 0.5 else bad
            try:
                with db:
                    db.execute(f"UPDATE {table} SET {column} = ?", (value,))
            except (OverflowError, sqlite3.Error):
                return  # SQLite itself refuses the value
            finally:
                db.close()
        check_merged(path, path.parent)


@cache
def model_parts(path: Path) -> dict[str, Any]:
    with np.load(path) as data:
        return {name: data[name] for name in data.files}


@cache
def scorer_settings() -> Settings:
    """Settings under which the C form of the model is built already: no input pays for the compiler."""
    settings = Settings.from_env(cache_dir=BUILT)
    assert all(CompiledModel.of(SelectionModel.load(path), settings) is not None for path in MODELS)
    return settings


def model_file(rng: Random) -> None:
    settings, path = scorer_settings(), rng.choice(MODELS)
    if rng.random() < 0.25:
        data = changed_bytes(path.read_bytes(), rng)
    else:
        buffer, arrays = io.BytesIO(), dict(model_parts(path))
        for name in rng.sample(list(arrays), rng.choice((1, 1, 2))):
            _change_array(arrays, name, rng)
        np.savez(buffer, **arrays)
        data = buffer.getvalue()
    with holding(path.name, data) as file:
        model = SelectionModel.load(file)
    check_model(model)
    asked, where = problem_numbers(problem()), device_numbers(DEVICE, problem().operand_dtype)
    if model.beyond(asked, where):
        return
    scorer = Scorer(model, settings)
    scores = scorer.predict(candidates(), asked, where)
    if not scorer.how == "C" or scores is None or not (_is_time(scores.seconds) and _is_time(scores.score)):
        raise AcceptedError(f"model {model.name} predicts no times: {scores}")


def _is_time(seconds: Any) -> bool:
    return bool((seconds >= 0).all() and (seconds < 1e40).all())


def _change_array(arrays: dict[str, Any], name: str, rng: Random) -> None:
    array, act = arrays[name], rng.randrange(8)
    if name == "head" and act:
        head = json.loads(array.tobytes())
        text = json.dumps(changed(head, rng)).encode() if act < 6 else changed_text(head, rng)
        arrays["head"] = np.frombuffer(text, np.uint8)
    elif act == 0:
        del arrays[name]
    elif act == 1:
        arrays[name] = array.astype(rng.choice(("int8", "float64", "int32", "uint64", ">i4", "complex64", "bool")))
    elif act == 2:
        arrays[name] = rng.choice((array.reshape(-1), array[None], array[:-1], array[..., :-1], array[:0]))
    elif array.size:
        made = array.copy()
        for _ in range(rng.choice((1, 3))):
            with np.errstate(all="ignore"):
                number = np.array(float(rng.choice(NUMBERS)) if rng.random() < 0.7 else rng.random()).astype(made.dtype)
            made.reshape(-1)[rng.randrange(made.size)] = number
        arrays[name] = made


def check_model(model: SelectionModel) -> None:
    """Raise if a number of the model leads out of an array, or is none; written apart from the code it judges."""
    trees = model.trees
    features = len(model.spec.candidate) + len(model.spec.problem) + len(model.spec.work)
    inside = bool(((trees.feature >= 0) & (trees.feature < features)).all())
    parts = len(trees.starts) == len(trees.leaves) + 1 and trees.starts[-1] == len(trees.feature) == len(trees.mask)
    numbers = np.isfinite(model.prices).all() and np.isfinite(trees.leaves).all()
    if not (inside and parts and numbers and 1 <= model.keep <= 1 << 16):
        raise AcceptedError(f"model {model.name} was taken with numbers that lead out of its arrays")


FILES: dict[str, Callable[[Random], None]] = {
    f.__name__: f
    for f in (
        measurement,
        measurement_lines,
        measurement_parquet,
        measurement_store,
        kept_rows,
        model_file,
    )
}
