"""Counts of compiled AMD kernels: what their code holds and what the emulator executed of it.

A cold selection cannot compile, so the counts of some kernels ship as data: `kernel_counts.jsonl` in the folder of a
backend, one row for each kernel; the setting `kernel_counts` names a file with more. Rows are written by
`benchmarks/ck_tile/ck_tile_audit.py --execute --counts` and by `tilewright build --verify --counts`. Counts are no
measurements: they say what a kernel does, and `counted_cost` models how long that takes.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...arch import get_arch
from ...errors import SchemaError, TilewrightError
from ...model.arch import AmdArch
from ...model.json_text import parse_json
from ...model.kernel import KernelSpec
from ...settings import Settings
from .occupancy import blocks_per_unit

log = logging.getLogger(__name__)

SCHEMA = 1
FILE = "kernel_counts.jsonl"
SIZES = ("threads", "vector_registers", "accumulation_registers", "lds_bytes", "scratch_bytes")
COUNTS = (
    "matrix", "vector", "scalar", "load", "store", "lds", "scratch", "wait", "barrier", "branch", "multiply_adds",
    "lds_cycles", "lds_ideal", "loaded_bytes", "stored_bytes", "scratch_bytes",
)  # fmt: skip
FIELDS = ("schema", "digest", "spec", *SIZES, "loop")
OPTIONAL = ("name", "code", "toolchain", "whole", "workgroups")  # what the cost model does not read
MAX_COUNT = 1 << 50


@dataclass(frozen=True)
class KernelCounts:
    """One compiled kernel: registers of a lane, LDS and scratch, and counts by name.

    `loop` is the work of the main loop on a small problem, summed over all waves.
    """

    digest: str
    arch: str
    threads: int
    vector_registers: int
    accumulation_registers: int
    lds_bytes: int
    scratch_bytes: int
    loop: Mapping[str, int]

    @property
    def waves(self) -> int:
        """Waves of a block."""
        return -(-self.threads // amd_arch(self.arch).wave_size)

    @property
    def resident(self) -> int:
        """Blocks that share a compute unit, by registers, LDS and wave slots."""
        registers = self.vector_registers + self.accumulation_registers
        return blocks_per_unit(amd_arch(self.arch), self.threads, registers, self.lds_bytes)

    def per_product(self, name: str) -> float:
        """Return a count of the main loop for each multiply-add."""
        return self.loop.get(name, 0) / self.loop["multiply_adds"]


def amd_arch(name: str) -> AmdArch:
    """Return the facts of an AMD arch."""
    arch = get_arch(name)
    assert isinstance(arch, AmdArch)
    return arch


def counts_from_row(row: Any, what: str = "counts of a kernel") -> KernelCounts:
    """Return the counts of one row; `SchemaError` names the field that is wrong.

    >>> counts_from_row({"schema": 1})
    Traceback (most recent call last):
    ...
    tilewright.errors.SchemaError: counts of a kernel: no 'digest'.
    """
    if not isinstance(row, Mapping):
        raise SchemaError(f"{what}: a row must be an object")
    for name in FIELDS:
        if name not in row:
            raise SchemaError(f"{what}: no {name!r}")
    unknown = sorted(set(row) - {*FIELDS, *OPTIONAL})
    if unknown:
        raise SchemaError(f"{what}: unknown field {unknown[0]!r}")
    if row["schema"] != SCHEMA:
        raise SchemaError(f"{what}: schema {row['schema']!r} cannot be read; this version reads {SCHEMA}")
    if not isinstance(row["digest"], str) or not re.fullmatch("[0-9a-f]{64}", row["digest"]):
        raise SchemaError(f"{what}: digest must be 64 hex digits")
    sizes = {name: _number(row[name], name, what) for name in SIZES}
    loop = _counts(row["loop"], "loop", what)
    if not loop.get("multiply_adds") or not sizes["threads"]:
        raise SchemaError(f"{what}: a kernel has threads, and its loop has multiply_adds")
    arch = row["spec"].get("arch") if isinstance(row["spec"], Mapping) else None
    if not isinstance(arch, str) or not isinstance(get_arch(arch), AmdArch):
        raise SchemaError(f"{what}: spec must name an AMD arch")
    return KernelCounts(row["digest"], arch, **sizes, loop=loop)


def _number(value: Any, name: str, what: str) -> int:
    if type(value) is not int or not 0 <= value <= MAX_COUNT:
        raise SchemaError(f"{what}: {name} must be a whole number from 0 to {MAX_COUNT}")
    return value


def _counts(value: Any, name: str, what: str) -> dict[str, int]:
    if not isinstance(value, Mapping) or not set(value) <= set(COUNTS):
        raise SchemaError(f"{what}: {name} must hold counts by name: {', '.join(COUNTS)}")
    return {key: _number(number, f"{name}.{key}", what) for key, number in value.items()}


def short_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as it ships: without counts of 0 and without what the cost model does not read.

    >>> short_row({"digest": "00", "code": {}, "loop": {"matrix": 2, "scratch": 0}})
    {'digest': '00', 'loop': {'matrix': 2}}
    """
    kept = {name: value for name, value in row.items() if name not in OPTIONAL}
    return {**kept, "loop": {name: count for name, count in row["loop"].items() if count > 0}}


def rows_of(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield (place, row) of a file of counts; nothing if there is no file."""
    if path.is_file():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip():
                place = f"{path.name}, line {number}"
                yield place, parse_json(line, place)


# (signature, algorithm) by equality: a digest takes ten times longer, and most kernels of a space have no counts.
_Table = dict[Any, dict[Any, KernelCounts]]


@cache
def _shipped(backend: str, op: str, arch: str) -> _Table:
    """Return the shipped counts of one backend's kernels for an op on an arch."""
    rows = rows_of(Path(__file__).parents[1] / backend / FILE)
    return _table(row for row in rows if row[1]["spec"]["op"] == op and row[1]["spec"]["arch"] == arch)


def _table(rows: Iterable[tuple[str, Any]]) -> _Table:
    from ..plain import spec_from_dict

    found: _Table = {}
    for place, row in rows:
        counts = counts_from_row(row, place)
        spec = spec_from_dict(row["spec"])
        if spec.digest != counts.digest:
            raise SchemaError(f"{place}: these are counts of another kernel", remedy="count the kernel again")
        found.setdefault(spec.algorithm, {})[spec.signature] = counts
    return found


@cache
def shipped_counts(backend: str, op: str, arch: str) -> tuple[tuple[KernelSpec, KernelCounts], ...]:
    """Return the shipped kernels of one backend for an op on an arch, with their counts."""
    table = _shipped(backend, op, arch)
    return tuple(
        (KernelSpec(op, backend, arch, signature, algorithm), counts)
        for algorithm, found in table.items()
        for signature, counts in found.items()
    )


@cache
def _own() -> dict[str, KernelCounts]:
    """Return the counts in the user's own file, by digest; a file that cannot be read is reported and left out."""
    path = Settings.from_env().kernel_counts
    if not path:
        return {}
    try:
        if not Path(path).is_file():
            raise SchemaError(f"{path} is no file", remedy="write it with `tilewright build --verify --counts FILE`")
        return {c.digest: c for c in (counts_from_row(row, place) for place, row in rows_of(Path(path)))}
    except (TilewrightError, OSError, UnicodeDecodeError) as error:
        log.warning("kernels are judged without your own counts: %s", error)
        return {}


def counts_of(spec: KernelSpec) -> KernelCounts | None:
    """Return the counts of a kernel; None if none are known, or if it is not one for an AMD GPU.

    >>> from tilewright.backends.cpu.gemm import OP
    >>> from tilewright.ops.gemm import GemmSignature
    >>> counts_of(KernelSpec("gemm", "cpu", "x86_64_v3", GemmSignature("fp32", "fp32", "fp32", "fp32"), None)) is None
    True
    """
    if not isinstance(get_arch(spec.arch), AmdArch):
        return None
    own = _own()
    if own and spec.digest in own:
        return own[spec.digest]
    return _shipped(spec.backend, spec.op, spec.arch).get(spec.algorithm, {}).get(spec.signature)


def cost_basis(spec: KernelSpec) -> str:
    """Return what a prediction for a kernel on an AMD GPU rests on, in words; empty for other GPUs."""
    if not isinstance(get_arch(spec.arch), AmdArch):
        return ""
    return "by tile sizes" if counts_of(spec) is None else "by counts of the compiled kernel"
