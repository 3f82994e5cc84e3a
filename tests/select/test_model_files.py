"""A model file of a stranger is used or set aside; it never ends a call."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright.dispatcher import Dispatcher
from tilewright.errors import SchemaError
from tilewright.ops import problem_from_dict
from tilewright.select import model_file
from tilewright.select.model import SelectionModel
from tilewright.select.model_directory import SHIPPED, ModelDirectory, load_named
from tilewright.settings import Settings

FILE = SHIPPED / "gemm_fp32-cpu-x86_64_amx.npz"
P = problem_from_dict({"op": "gemm", "m": 64, "n": 96, "k": 128, "dtype": "fp32"})


def parts(path: Path = FILE) -> dict[str, Any]:
    with np.load(path) as data:
        return {name: data[name] for name in data.files}


def written(folder: Path, arrays: dict[str, Any], **head: Any) -> Path:
    """The shipped model with other arrays, or other values in its head."""
    if head:
        data = {**json.loads(arrays["head"].tobytes()), **head}
        arrays = {**arrays, "head": np.frombuffer(json.dumps(data).encode(), np.uint8)}
    folder.mkdir(exist_ok=True)
    np.savez_compressed(folder / FILE.name, **arrays)
    return folder / FILE.name


def at(name: str, place: Any, value: Any) -> Any:
    """A change of one number."""

    def change(arrays: dict[str, Any]) -> dict[str, Any]:
        other = arrays[name].copy()
        other[place] = value
        return {**arrays, name: other}

    return change


def instead(name: str, make: Any) -> Any:
    return lambda arrays: {**arrays, name: make(arrays[name])}


DAMAGE = {
    "feature too large": at("feature", 7, 10_000),
    "feature negative": at("feature", 7, -1),
    "starts beyond the nodes": at("starts", -1, 1 << 30),
    "starts going back": at("starts", 5, 0),
    "starts not at 0": at("starts", 0, 3),
    "no way to a leaf": at("mask", slice(None), 0),
    "threshold NaN": at("threshold", 3, np.nan),
    "leaf infinite": at("leaves", (0, 0), np.inf),
    "leaf huge": at("leaves", (0, 0), 1e30),
    "price NaN": at("prices", (0, 0), np.nan),
    "price negative": at("prices", (0, 0), -1.0),
    "price huge": at("prices", (0, 0), 1e300),
    "price of more than a second": at("prices", (-1, -1), 1.5),
    "a kind that costs nothing": at("prices", -1, 0.0),
    "leaves that add up to e^60": at("leaves", (slice(0, 60), 0), 1.0),
    "prices of another width": instead("prices", lambda x: x[:, :-1]),
    "too few price lists": instead("prices", lambda x: x[:-1]),
    "prices flat": instead("prices", lambda x: x.reshape(-1)),
    "codes twice": instead("codes", lambda x: np.zeros(3, np.int64)),
    "leaves of another width": instead("leaves", lambda x: x[:, :16]),
    "leaves of one tree less": instead("leaves", lambda x: x[:-1]),
    "masks missing": lambda arrays: {k: v for k, v in arrays.items() if k != "mask"},
    "a scalar": instead("feature", lambda x: np.int32(3)),
    "fp64 features": instead("feature", lambda x: x.astype(np.float64)),
    "big-endian": instead("feature", lambda x: x.astype(">i4")),
    "objects": instead("feature", lambda x: x.astype(object)),
    "shown of another width": lambda arrays: {**arrays, "shown": np.ones((2, 3))},
    "a head that is no JSON": instead("head", lambda x: x[:-2]),
    "a head that is no object": instead("head", lambda x: np.frombuffer(b"[1]", np.uint8)),
    "many parts more": lambda arrays: {**arrays, **{f"x{i}": np.zeros(3) for i in range(9)}},
}
HEADS: list[dict[str, Any]] = [
    {"keep": 0}, {"keep": -1}, {"keep": 1 << 40}, {"keep": "32"}, {"keep": True}, {"schema": 99}, {"backend": 3},
    {"backend": "os.path"}, {"backend": "nosuch"}, {"backend": "reference"}, {"op": "../x"}, {"arch": None},
    {"features": "0" * 64}, {"covered": "all"}, {"kinds": {"mr": "x"}}, {"kinds": []}, {"reach": {"flops": [1.0]}},
    {"reach": {"colour": [0.0, 1.0]}}, {"card": []}, {"reach": {"flops": [2.0, 1.0]}}, {"reach": {"flops": [-1, 1]}},
]  # fmt: skip


@pytest.mark.parametrize("change", DAMAGE.values(), ids=DAMAGE)
def test_arrays_that_would_crash_the_scorer_are_refused(change: Any, tmp_path: Path) -> None:
    path = written(tmp_path, change(parts()))
    with pytest.raises(SchemaError, match=FILE.stem):
        SelectionModel.load(path)


@pytest.mark.parametrize("head", HEADS, ids=str)
def test_heads_that_say_nonsense_are_refused(head: dict[str, Any], tmp_path: Path) -> None:
    path = written(tmp_path, parts(), **head)
    with pytest.raises(SchemaError, match=FILE.stem):
        SelectionModel.load(path)


def test_a_whole_copy_is_read(tmp_path: Path) -> None:
    """What the tests above change is the reason why they are refused."""
    assert SelectionModel.load(written(tmp_path, parts())).digest == SelectionModel.load(FILE).digest
    saved = SelectionModel.load(FILE).save(tmp_path / "saved")
    assert SelectionModel.load(saved).digest == SelectionModel.load(FILE).digest
    assert [p.name for p in saved.parent.iterdir()] == [FILE.name]


@pytest.mark.parametrize("name", [p.name for p in sorted(SHIPPED.glob("*.npz"))])
def test_shipped_models_pass(name: str) -> None:
    assert load_named(SHIPPED / name).name == Path(name).stem


def broken(kind: str) -> bytes:
    """Files that are no model at all."""
    good = FILE.read_bytes()
    if kind == "bomb":
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
            for name in model_file.KINDS:
                with file.open(f"{name}.npy", "w") as part:
                    for _ in range(16):
                        part.write(bytes(1 << 20))
        return buffer.getvalue()
    if kind == "claims":  # 10^12 numbers in a few bytes
        header = b"{'descr': '<i4', 'fortran_order': False, 'shape': (1000000000000,), }"
        header += b" " * (118 - len(header) - 1) + b"\n"
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as file:
            for name in model_file.KINDS:
                file.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
        return buffer.getvalue()
    return {"empty": b"", "text": b"no model", "half": good[: len(good) // 2], "a byte less": good[:-1],
            "zip": b"PK\x05\x06" + bytes(18), "large": bytes((16 << 20) + 1)}[kind]  # fmt: skip


@pytest.mark.parametrize("kind", ["empty", "text", "half", "a byte less", "zip", "large", "bomb", "claims"])
def test_a_bad_file_is_set_aside_and_reported_once(kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / FILE.name
    path.write_bytes(broken(kind))
    named = FILE.stem.split("-")
    for _ in range(2):
        models = ModelDirectory([tmp_path])
        assert models.find(*named) is None  # type: ignore[call-arg]
        assert str(path) in models.refused(*named)  # type: ignore[call-arg]
        assert [p for p, _ in models.bad_files()] == [path]
    assert len(caplog.records) == 1
    under = ModelDirectory([tmp_path, SHIPPED])
    assert under.find(*named) is not None  # type: ignore[call-arg]


def test_changed_bytes_never_end_in_a_traceback(tmp_path: Path) -> None:
    good, path = FILE.read_bytes(), tmp_path / FILE.name
    refused = 0
    for place in range(0, len(good), len(good) // 200):
        data = bytearray(good)
        data[place] ^= 0x3C
        path.write_bytes(data)
        try:
            SelectionModel.load(path)
        except SchemaError:
            refused += 1
    assert refused > 150


def test_a_model_under_another_name_is_not_taken_for_it(tmp_path: Path) -> None:
    (tmp_path / "gemm_16bit-cpu-x86_64_amx.npz").write_bytes(FILE.read_bytes())
    models = ModelDirectory([tmp_path])
    assert models.find("gemm_16bit", "cpu", "x86_64_amx") is None
    assert "holds model gemm_fp32" in models.refused("gemm_16bit", "cpu", "x86_64_amx")


def test_the_next_selector_answers(tmp_path: Path) -> None:
    settings = Settings.from_env(threads=1, data_dir=str(tmp_path), selector="chain", ledger=False)
    dispatcher = Dispatcher(settings=settings)
    arch = dispatcher.device_for(P).arch
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / f"gemm_fp32-cpu-{arch}.npz").write_bytes(FILE.read_bytes()[:5000])
    ranked = Dispatcher(settings=settings, selector="chain").explain(P).ranked
    if (SHIPPED / f"gemm_fp32-cpu-{arch}.npz").exists():
        assert ranked[0].reason.startswith("learned: ")  # by the shipped one below it
    else:
        assert "cannot be read" in ranked[0].reason


def test_doctor_names_bad_models_and_stores(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / FILE.name).write_bytes(b"")
    (tmp_path / "measurements.sqlite").write_bytes(b"no store at all, but long enough to be looked at" * 50)
    env = {**os.environ, "TILEWRIGHT_DATA_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "tilewright", "doctor", "--json"], capture_output=True, text=True, env=env
    )
    findings = {f["what"]: f for f in json.loads(done.stdout)["findings"] if f["area"] == "data"}
    assert findings[FILE.name]["state"] == findings["measurements"]["state"] == "missing"
    assert findings["models"]["state"] == "ok"


def test_a_failed_save_leaves_the_model_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = SelectionModel.load(FILE)
    path = model.save(tmp_path)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(Exception, match="No space left"):
        replace(model, keep=5).save(tmp_path)
    assert SelectionModel.load(path).keep == model.keep
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["gemm_cpu", "gemm_h200"])
def test_models_read_the_numbers_that_they_learned_from(name: str) -> None:
    """Numbers of the version that models name: bytes of the three matrices, and the alignment of their lines."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'tune' is not installed")
    from tilewright.model.dtype import get_dtype
    from tilewright.ops.gemm.features import VERSION, numbers

    data = Path(__file__).parents[2] / "benchmarks" / "data" / f"{name}.parquet"
    texts = set(parquet.read_table(data, columns=["problem"]).column("problem").to_pylist())
    assert VERSION == 1
    assert len(texts) > 1000
    for text in texts:
        p = problem_from_dict(json.loads(text))
        found = numbers(p)
        a, b, out = (get_dtype(d).bytes for d in (p.dtype_a, p.dtype_b, p.dtype_out))
        assert found["bytes"] == p.batch * (p.m * p.k * a + p.k * p.n * b + p.m * p.n * out), text
        for role in "ab":
            line = int(found[f"line_{role}"])
            assert found[f"align_{role}"] == (min(128, line & -line) or 128), text
