"""The last line of a generated header: its spec and CK revision. A header is known by it, in any folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import SchemaError
from ...model.json_text import decode_text, parse_json, read_bytes
from ...model.kernel import KernelSpec

MARK = "// tilewright: "


def with_trailer(text: str, spec: KernelSpec, revision: str) -> str:
    """Return the text of a header file: the generated text, then the line that `read_trailer` reads."""
    data = {"ck_revision": revision, "digest": spec.digest, "spec": spec.to_dict()}
    return f"{text}{MARK}{json.dumps(data, sort_keys=True, separators=(',', ':'))}\n"


def read_trailer(path: Path) -> dict[str, Any] | None:
    """Return the data of a header's last line; None if tilewright did not write the header."""
    last = decode_text(read_bytes(path), path.name).rstrip("\n").rsplit("\n", 1)[-1]
    if not last.startswith(MARK):
        return None
    data = parse_json(last.removeprefix(MARK), path.name)
    if not isinstance(data, Mapping) or not isinstance(data.get("spec"), Mapping):
        raise SchemaError(f"{path}: its last line holds no spec", remedy="generate the kernels again")
    if not isinstance(data.get("digest"), str) or not isinstance(data.get("ck_revision"), str):
        raise SchemaError(f"{path}: its last line lacks digest or ck_revision", remedy="generate the kernels again")
    return dict(data)
