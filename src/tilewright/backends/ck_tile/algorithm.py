"""The common parts of this backend's algorithms: checked fields, and the shape of a block that multiplies one tile."""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...errors import SpecError, check_known, count_mistakes
from ...model.tunable import tunables_of

Triple = tuple[int, int, int]


class CheckedFields:
    """Base of algorithm dataclasses: a name that a tunable does not list, or a value of a wrong type, is an error."""

    def __post_init__(self) -> None:
        own: Any = type(self)
        values, (names, kinds) = vars(self), _facts(own)
        for name, known in names:
            check_known(name, values[name], known)
        wrong = [(name, kind) for name, kind in kinds if type(values[name]) is not kind]
        if wrong:
            mistakes = [f"{name} is {values[name]!r}; it must be of type {kind.__name__}" for name, kind in wrong]
            op = type(self).__name__.removeprefix("CkTile").lower()
            raise SpecError(count_mistakes(f"ck_tile {op} algorithm", mistakes))


@lru_cache(maxsize=16)
def _facts(algorithm: Any) -> tuple[list[tuple[str, tuple[str, ...]]], list[tuple[str, type]]]:
    """Return (closed lists of names, types) of the fields of an algorithm."""
    names = [(t.name, t.choices) for t in tunables_of(algorithm) if isinstance(t.default, str)]
    return names, [(f.name, type(f.default)) for f in fields(algorithm)]


class BlockShape(CheckedFields):
    """An algorithm whose blocks multiply one tile: its shapes as triples in m, n, k."""

    if TYPE_CHECKING:
        tile_m: int
        tile_n: int
        tile_k: int
        waves_m: int
        waves_n: int
        waves_k: int
        warp_tile_m: int
        warp_tile_n: int
        warp_tile_k: int

    @property
    def tile(self) -> Triple:
        """The block tile in m, n, k."""
        return (self.tile_m, self.tile_n, self.tile_k)

    @property
    def waves(self) -> Triple:
        """Waves per block along m, n, k."""
        return (self.waves_m, self.waves_n, self.waves_k)

    @property
    def warp_tile(self) -> Triple:
        """The tile that one wave multiplies at once, in m, n, k."""
        return (self.warp_tile_m, self.warp_tile_n, self.warp_tile_k)

    @property
    def wave_count(self) -> int:
        """Waves per block."""
        return self.waves_m * self.waves_n * self.waves_k

    def shapes(self) -> list[str]:
        """Return tile, waves and warp tile as text."""
        return ["x".join(map(str, triple)) for triple in (self.tile, self.waves, self.warp_tile)]
