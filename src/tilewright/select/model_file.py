"""Model files: written in one step, and read as untrusted data.

Every index of the C form is checked here once, so that scoring needs no checks. All sizes are bounded.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..backends.formula_cost import DEVICE
from ..errors import SchemaError, TilewrightError
from ..jit.files import replace_file
from ..model.json_text import parse_json, read_bytes
from .features import FeatureSpec
from .trees import MAX_LEAVES, Trees

if TYPE_CHECKING:
    from .model import SelectionModel

MODEL_SCHEMA = 1
MAX_FILE = 16 << 20  # bytes of a model file; the shipped ones have 140,000
MAX_UNPACKED = 64 << 20  # bytes of its content
MAX_TREES = 4096
MAX_KEEP = 1 << 16
# Limits of what is priced and of the factor by which trees correct it. Beyond them a time would be absurd or infinite;
# the shipped models have prices up to 3e-4 and sums up to 9.
MAX_PRICE = 1.0  # seconds for one unit of work: a microsecond by the cost model, a tile, a launch
MAX_LOG = 50.0  # sum over all trees of the largest leaf: a factor of 5e21
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What a file holds: dtype and number of dimensions.
KINDS: dict[str, tuple[Any, int]] = {
    "head": (np.dtype(np.uint8), 1), "codes": (np.dtype(np.int64), 1), "prices": (np.dtype(np.float64), 2),
    "shown": (np.dtype(np.float64), 2), "feature": (np.dtype(np.int32), 1), "threshold": (np.dtype(np.float32), 1),
    "mask": (np.dtype(np.uint32), 1), "starts": (np.dtype(np.int32), 1), "leaves": (np.dtype(np.float64), 2),
}  # fmt: skip
TREES = ("feature", "threshold", "mask", "starts", "leaves")
OPTIONAL = ("shown",)
TEXTS = ("family", "backend", "op", "arch", "features")
_NAME = re.compile(r"[A-Za-z0-9_]{1,80}")
Arrays = dict[str, npt.NDArray[Any]]


def write_model(path: Path, head: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write a model; the file is never incomplete, not even after a crash."""
    buffer = io.BytesIO()
    packed: dict[str, Any] = {"head": np.frombuffer(json.dumps(head).encode(), np.uint8), **arrays}
    np.savez_compressed(buffer, **packed)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, buffer.getvalue())
    except OSError as error:
        raise TilewrightError(
            f"the model cannot be written to {path}: {error.strerror or error}", remedy="set TILEWRIGHT_DATA_DIR"
        ) from error


def read_model(path: Path) -> tuple[dict[str, Any], Arrays]:
    """Return the head and the arrays of a model file; raise `SchemaError` for anything else."""
    try:
        arrays = _arrays(read_bytes(path, MAX_FILE))
        head = parse_json(arrays.pop("head").tobytes(), "its head", most_bytes=MAX_FILE)
        mistake = _wrong_head(head)
    except SchemaError as error:
        mistake = error.message
    except Exception as error:  # a damaged zip file raises a dozen kinds of errors; none may escape
        mistake = f"{type(error).__name__}: {error}"
    if mistake:
        raise SchemaError(f"model {path} cannot be read: {mistake}", remedy="train it again, or remove the file")
    return head, arrays


def _arrays(data: bytes) -> Arrays:
    """Return the arrays of a zip file, by NumPy's headers. Nothing is unpickled; every size is checked before use."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        found = {info.filename.removesuffix(".npy"): info for info in file.infolist()}
        absent = [name for name in KINDS if name not in found and name not in OPTIONAL]
        if absent:
            raise SchemaError(f"it has no {', '.join(absent)}")
        total = sum(info.file_size for info in file.infolist())
        if total > MAX_UNPACKED or len(file.infolist()) > len(KINDS):
            raise SchemaError(f"it unpacks to {total:,} bytes in {len(file.infolist())} parts; at most "
                              f"{MAX_UNPACKED:,} in {len(KINDS)} are read")  # fmt: skip
        if any(info.compress_type not in METHODS for info in found.values()):
            raise SchemaError("it is packed in an unknown way")
        return {name: _array(file.read(found[name]), name) for name in KINDS if name in found}


def _array(data: bytes, name: str) -> npt.NDArray[Any]:
    stream = io.BytesIO(data)
    readers: dict[tuple[int, int], Callable[..., Any]] = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    magic: Callable[..., tuple[int, int]] = np.lib.format.read_magic  # older stubs give it no types
    shape, fortran, dtype = readers[magic(stream)](stream)
    rest = data[stream.tell() :]
    count = 1
    for size in shape:
        count *= size
    if (dtype, len(shape)) != KINDS[name] or count * dtype.itemsize != len(rest):
        want, dimensions = KINDS[name]
        raise SchemaError(
            f"{name} is {dtype} of shape {shape} in {len(rest)} bytes; {want} of {dimensions} dimensions is read"
        )
    return np.array(np.frombuffer(rest, dtype).reshape(shape, order="F" if fortran else "C"), order="C")


def _wrong_head(head: Any) -> str:
    """Return what is wrong with the head of a model; empty if nothing is."""
    if not isinstance(head, dict):
        return "its head is not an object"
    if head.get("schema") != MODEL_SCHEMA:
        return f"it has schema {head.get('schema')!r}; this version reads {MODEL_SCHEMA}"
    for name in TEXTS:
        if not isinstance(head.get(name), str) or not _NAME.fullmatch(head[name]):
            return f"{name} is not a name"
    keep = head.get("keep")
    if type(keep) is not int or not 1 <= keep <= MAX_KEEP:
        return f"keep is {keep!r}; it must be from 1 to {MAX_KEEP:,}"
    covered = head.get("covered")
    if not isinstance(covered, list) or not all(isinstance(c, str) for c in covered):
        return "covered is not a list of names"
    if not isinstance(head.get("card"), dict):
        return "card is not an object"
    for name in ("kinds", "reach"):
        held = head.get(name, {})
        if not isinstance(held, dict) or not all(_are_numbers(values) for values in held.values()):
            return f"{name} does not hold lists of numbers"
    return ""


def _are_numbers(values: Any) -> bool:
    return isinstance(values, list) and all(type(v) in (int, float) for v in values)


def wrong_model(model: SelectionModel, spec: FeatureSpec) -> str:
    """Return what is wrong with the arrays of a model for these features; empty if nothing is."""
    t, tests = model.trees, []
    tests += [(model.codes.ndim == 1 and bool((np.diff(model.codes) > 0).all()), "codes are not in order")]
    want = (len(model.codes) + 1, len(spec.additive) + 1)
    tests += [
        (model.prices.shape == want, f"prices have the shape {model.prices.shape}; it must be {want}"),
        (bool(((model.prices >= 0) & (model.prices <= MAX_PRICE)).all()), f"a price is not from 0 to {MAX_PRICE:g} s"),
        (model.prices.ndim == 2 and bool(model.prices.any(axis=1).all()), "a list of prices is all 0"),
    ]
    shown = model.shown
    wide = shown.ndim == 2 and (shown.shape[1] == len(spec.tunables) or not shown.size)
    tests += [(wide and bool(np.isfinite(shown).all()), "shown holds no tunables of these kernels")]
    known = {*spec.problem, *DEVICE}
    tests += [
        (set(model.reach) <= known, f"reach names {sorted(set(model.reach) - known)}, which no problem has"),
        (all(len(ends) == 2 and 0 <= ends[0] <= ends[1] for ends in model.reach.values()), "reach is not a range"),
    ]
    return next((text for good, text in tests if not good), "") or _wrong_trees(t, len(spec.names))


def _wrong_trees(t: Trees, features: int) -> str:
    """Return what is wrong with trees that test `features` features: every index and mask must lead to a leaf."""
    trees, nodes = len(t.leaves), len(t.feature)
    if t.leaves.ndim != 2 or t.leaves.shape[1] != MAX_LEAVES or trees > MAX_TREES:
        return f"leaves have the shape {t.leaves.shape}; at most {MAX_TREES} trees of {MAX_LEAVES} are read"
    if not (t.feature.shape == t.threshold.shape == t.mask.shape == (nodes,)):
        return "its nodes have features, thresholds and masks of different numbers"
    if t.starts.shape != (trees + 1,) or t.starts[0] != 0 or t.starts[-1] != nodes or (np.diff(t.starts) < 0).any():
        return f"starts do not divide {nodes} nodes among {trees} trees"
    if (np.diff(t.starts) >= MAX_LEAVES).any():
        return f"a tree has more than {MAX_LEAVES - 1} nodes"
    if nodes and not (t.feature.min() >= 0 and t.feature.max() < features):
        return f"a node tests feature {t.feature.min()} or {t.feature.max()}; there are {features}"
    if np.isnan(t.threshold).any():
        return "a threshold is not a number"
    whole = np.diff(t.starts) > 0
    if nodes and not np.bitwise_and.reduceat(t.mask, t.starts[:-1][whole]).all():
        return "a tree has a path that leads to no leaf"
    if not np.isfinite(t.leaves).all() or np.abs(t.leaves).max(axis=1, initial=0.0).sum() > MAX_LOG:
        return f"leaves add up to more than {MAX_LOG:g}, or are not numbers"
    return ""
