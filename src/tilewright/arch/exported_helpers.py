"""The query helpers of the exported Python module. They use only the tables that the exporter writes above them.

Inside tilewright use `tilewright.arch`; this file is the source of the static copy, and a test compares the two.
"""

from __future__ import annotations

import copy
import difflib
import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

ARCHS: dict[str, Any] = {}
DEVICES: dict[str, Any] = {}
ELEMENT_SIZES: dict[str, float] = {}
PIPELINE_LDS_FRACTIONS: dict[str, float] = {}
PRESHUFFLE_PIPELINES: list[str] = []
EPILOGUES: list[str] = []
SCHEDULERS: list[str] = []
UNSUPPORTED_TRAITS: list[list[str]] = []
DTYPE_COMBINATIONS: dict[str, dict[str, str]] = {}
FMHA_TABLES: dict[str, Any] = {}

# The exporter copies what follows.


# The tables under the names of CK's dispatcher.
ARCH_FAMILY_MAP: dict[str, str] = {name: entry["family"] for name, entry in ARCHS.items()}
ELEMENT_SIZE_MAP = ELEMENT_SIZES
_AMD = {name: entry for name, entry in ARCHS.items() if entry["kind"] == "amd"}
WARP_SUPPORTED_COMBINATIONS: dict[str, list[list[int]]] = {n: e["wave_maps"] for n, e in _AMD.items()}
WARP_TILE_SUPPORTED_COMBINATIONS: dict[str, dict[str, list[list[int]]]] = {n: e["warp_tiles"] for n, e in _AMD.items()}
PRESHUFFLE_WARP_TILE_SUPPORTED_COMBINATIONS: dict[str, dict[str, list[list[int]]]] = {
    n: e["preshuffle_warp_tiles"] for n, e in _AMD.items() if e.get("preshuffle_warp_tiles")
}
LDS_BYTES = 65536  # of every arch but gfx950; give `get_lds_limit` an arch to be exact
LDS_CAPACITY_LIMITS: dict[str, int] = {
    **{name: int(LDS_BYTES * fraction) for name, fraction in PIPELINE_LDS_FRACTIONS.items()},
    "default": LDS_BYTES,
}
TRAIT_UNSUPPORTED_COMBINATIONS: set[tuple[str, ...]] = {tuple(traits) for traits in UNSUPPORTED_TRAITS}

STRICT = True
"""False: unknown names have the defaults of CK's module ("unknown", 2.0, [], 65536, fp32) instead of an error."""


class UnknownNameError(ValueError):
    """A name that is not in its table; the message names the nearest known one."""


def _one_of(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the name as the table has it; upper and lower case are the same."""
    names = list(known)
    if name in names:
        return name
    same = [n for n in names if n.lower() == str(name).lower()]
    if same:
        return same[0]
    near = difflib.get_close_matches(str(name).lower(), names, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise UnknownNameError(f"unknown {kind} {name!r}{hint}")


_Query = TypeVar("_Query", bound=Callable[..., Any])


def _lenient(value: Any) -> Callable[[_Query], _Query]:
    """Make a query return `value` for an unknown name unless STRICT."""

    def wrap(query: _Query) -> _Query:
        @functools.wraps(query)
        def answer(*names: Any) -> Any:
            try:
                return query(*names)
            except UnknownNameError:
                if STRICT:
                    raise
                return copy.copy(value)

        return cast("_Query", answer)

    return wrap


def _arch(name: str) -> dict[str, Any]:
    entry: dict[str, Any] = ARCHS[_one_of("arch", name, ARCHS)]
    return entry


def _amd(name: str) -> dict[str, Any]:
    entry: dict[str, Any] = _AMD[_one_of("AMD arch", name, _AMD)]
    return entry


def _dtype_key(key: str) -> str:
    return _one_of("dtype key", key, [c["key"] for c in DTYPE_COMBINATIONS.values()])


def get_supported_archs() -> list[str]:
    """Return the names of all archs."""
    return list(ARCHS)


@_lenient("unknown")
def get_arch_family(arch: str) -> str:
    """Return the product generation of an arch."""
    return str(_arch(arch)["family"])


@_lenient(2.0)
def get_element_size(dtype: str) -> float:
    """Return bytes per element; 0.5 for the 4-bit types."""
    return ELEMENT_SIZES[_one_of("dtype", dtype, ELEMENT_SIZES)]


def get_wave_size(arch: str) -> int:
    """Return threads per wave (AMD) or warp (NVIDIA)."""
    entry = _arch(arch)
    return int(entry["warp_size"] if entry["kind"] == "nvidia" else _amd(arch)["wave_size"])


@_lenient([])
def get_wave_maps(arch: str) -> list[list[int]]:
    """Return the waves per block [m, n, k] that an AMD arch allows."""
    maps: list[list[int]] = _amd(arch)["wave_maps"]
    return maps


get_warp_configs = get_wave_maps
"""Another name of `get_wave_maps`, as in CK's dispatcher."""


@_lenient([])
def get_warp_tile_combos(arch: str, dtype_key: str) -> list[list[int]]:
    """Return the warp tiles [m, n, k] of an AMD arch for `A_B_Acc`; empty if it has none."""
    entry = _amd(arch)
    tiles: list[list[int]] = entry["warp_tiles"].get(_own_key(entry, _dtype_key(dtype_key)), [])
    return tiles


def _own_key(entry: Any, dtype_key: str) -> str:
    """Return `A_B_Acc` with the 8-bit floats of an arch: CK calls fp8_fnuz and bf8_fnuz of gfx942 fp8 and bf8."""
    if "fp8" in entry["dtypes"] or "fp8_fnuz" not in entry["dtypes"] or "fnuz" in dtype_key:
        return dtype_key
    return "_".join(f"{part}_fnuz" if part in ("fp8", "bf8") else part for part in dtype_key.split("_"))


@_lenient([])
def get_preshuffle_warp_tile_combos(arch: str, dtype_key: str) -> list[list[int]]:
    """Return the warp tiles of an AMD arch for GEMMs with a pre-shuffled B; empty if it has none."""
    entry = _amd(arch)
    tiles: list[list[int]] = entry.get("preshuffle_warp_tiles", {}).get(_own_key(entry, _dtype_key(dtype_key)), [])
    return tiles


def get_preshuffle_pipelines() -> list[str]:
    """Return the pipelines that read a pre-shuffled B."""
    return list(PRESHUFFLE_PIPELINES)


@_lenient(LDS_BYTES)
def get_lds_limit(pipeline: str, arch: str = "") -> int:
    """Return bytes of LDS that the A and B tiles of `pipeline` may take on `arch`; without it, of 64 KiB."""
    if pipeline == "default":
        return int(_amd(arch)["lds_bytes"] if arch else LDS_BYTES)
    fraction = PIPELINE_LDS_FRACTIONS[_one_of("pipeline", pipeline, PIPELINE_LDS_FRACTIONS)]
    return int((_amd(arch)["lds_bytes"] if arch else LDS_BYTES) * fraction)


@_lenient(False)
def is_trait_combo_unsupported(pipeline: str, epilogue: str, scheduler: str) -> bool:
    """Return whether CK Tile has no kernel with this pipeline, epilogue and scheduler."""
    traits = (
        _one_of("pipeline", pipeline, PIPELINE_LDS_FRACTIONS),
        _one_of("epilogue", epilogue, EPILOGUES),
        _one_of("scheduler", scheduler, SCHEDULERS),
    )
    return traits in TRAIT_UNSUPPORTED_COMBINATIONS


@_lenient({"acc": "fp32", "notes": "unknown"})
def get_dtype_info(dtype_a: str, dtype_b: str) -> dict[str, str]:
    """Return accumulator, `A_B_Acc` key and notes of a pair of operand dtypes."""
    pair = f"{_one_of('dtype', dtype_a, ELEMENT_SIZES)}_{_one_of('dtype', dtype_b, ELEMENT_SIZES)}"
    return DTYPE_COMBINATIONS[_one_of("dtype pair", pair, DTYPE_COMBINATIONS)]


@_lenient(False)
def is_dtype_combo_valid(dtype_a: str, dtype_b: str) -> bool:
    """Return whether operands of these two dtypes can be multiplied without converting one of them."""
    pair = f"{_one_of('dtype', dtype_a, ELEMENT_SIZES)}_{_one_of('dtype', dtype_b, ELEMENT_SIZES)}"
    return pair in DTYPE_COMBINATIONS


def get_valid_dtype_combos() -> list[str]:
    """Return all valid operand pairs, as `A_B`."""
    return list(DTYPE_COMBINATIONS)


def get_fmha_tiles(arch: str, family: str, dtype: str) -> list[dict[str, Any]]:
    """Return the attention tiles of an AMD arch; empty if it has none for this family and dtype."""
    families = {f for a in ARCHS.values() for f in a.get("fmha", {}).get("families", {})}
    _one_of("attention family", family, sorted(families))
    _one_of("dtype", dtype, ELEMENT_SIZES)
    table = _amd(arch).get("fmha", {}).get("families", {}).get(family, {}).get(dtype)
    tiles: list[dict[str, Any]] = FMHA_TABLES[table]["tiles"] if table else []
    return tiles
