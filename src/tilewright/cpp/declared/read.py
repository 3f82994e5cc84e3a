"""Read the kernel sets of a C++ source."""

from __future__ import annotations

from pathlib import Path

from ...errors import SchemaError
from ...model.json_text import decode_text, read_bytes
from ...model.kernel_set import KernelSet
from .ck import ck_sets
from .notes import Declared, Note
from .own import own_set
from .parse import OWN, parse


def read_declared(path: str | Path, source: str | None = None) -> Declared:
    """Return the kernel sets that a C++ source declares; `source` is its text if it is not to be read from `path`.

    >>> found = read_declared("x.cpp", 'TW_KERNEL_SET(mine).add(inner("fma"), mr(4, 6), nr(16));')
    >>> found.sets[0].name, found.sets[0].algorithms[0]["mr"]
    ('mine', [4, 6])
    """
    if source is None:
        source = decode_text(read_bytes(str(path), error=SchemaError), f"C++ source {path}", SchemaError)
    sets: list[KernelSet] = []
    notes: list[Note] = []
    for declared in parse(source, str(path)):
        if declared.macro == OWN:
            found, noted = [own_set(declared)], list[Note]()
        else:
            found, noted = ck_sets(declared)
        names = {s.name for s in sets}
        for made in found:
            if made.name in names:
                raise declared.token.fail(f"a kernel set named {made.name} is declared already", "rename one")
        sets += found
        notes += noted
    if not sets:
        raise SchemaError(f"{path} declares no kernel set", remedy="write TW_KERNEL_SET(name).add(...);")
    return Declared(tuple(sets), tuple(notes))
