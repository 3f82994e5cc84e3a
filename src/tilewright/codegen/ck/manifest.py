"""The manifest of generated kernels: the full spec and digest of each file. Tools read it instead of file names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...backends.plain import spec_from_dict
from ...errors import SchemaError
from ...model.json_text import read_json
from ...model.kernel import KernelSpec
from .folder import write_changed

NAME = "tilewright_manifest.json"
SCHEMA = 1
FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_+.\-]{0,250}\.hpp")


@dataclass
class Manifest:
    """Contents of a folder of generated kernels: per header file its spec, digest, content hash and device kernels.

    `rejected` counts the combinations that each rule removed, per command that wrote into the folder.
    """

    revision: str
    kernels: dict[str, dict[str, Any]] = field(default_factory=dict)
    rejected: dict[str, dict[str, int]] = field(default_factory=dict)

    def spec(self, file: str) -> KernelSpec:
        """Return the spec of one header file; the digest reveals a manifest that was edited by hand."""
        entry = self.kernels[file]
        spec = spec_from_dict(entry["spec"])
        if spec.digest != entry["digest"]:
            raise SchemaError(
                f"{NAME}: {file} claims digest {entry['digest'][:16]}..., its spec has {spec.digest[:16]}...",
                remedy="generate the kernels again",
            )
        return spec

    def to_text(self) -> str:
        """Return the JSON text, the same for the same content."""
        data = {
            "schema": SCHEMA,
            "backend": "ck_tile",
            "ck_revision": self.revision,
            "kernels": dict(sorted(self.kernels.items())),
            "rejected": dict(sorted(self.rejected.items())),
        }
        return json.dumps(data, indent=1, sort_keys=True) + "\n"

    def write(self, folder: Path) -> bool:
        """Write the manifest into `folder`; return whether it changed."""
        return write_changed(folder / NAME, self.to_text())


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of a folder, None if there is none; raise `SchemaError` if it is damaged."""
    path = folder / NAME
    if not path.exists():
        return None
    data = read_json(path)
    if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
        got = data.get("schema") if isinstance(data, Mapping) else None
        raise SchemaError(
            f"{path} has schema {got!r}; this version reads {SCHEMA}", remedy="generate the kernels again"
        )
    mistake = _mistake(data)
    if mistake:
        raise SchemaError(f"{path} {mistake}", remedy="generate the kernels again")
    return Manifest(data["ck_revision"], data["kernels"], data.get("rejected", {}))


def _mistake(data: Mapping[str, Any]) -> str:
    """Return what is wrong with the data of a manifest; empty if nothing is.

    Files that are no longer needed are removed by these names, so a name must not lead out of the folder.
    """
    revision, kernels, rejected = data.get("ck_revision"), data.get("kernels"), data.get("rejected", {})
    if not isinstance(revision, str) or not isinstance(kernels, dict) or not isinstance(rejected, dict):
        return "lacks ck_revision, kernels or rejected"
    for file, entry in kernels.items():
        if not FILE.fullmatch(file):
            return f"lists {file[:80]!r}, which is no name of a header"
        if not isinstance(entry, dict) or not isinstance(entry.get("spec"), dict):
            return f"has no spec of {file}"
        if not isinstance(entry.get("digest"), str):
            return f"has no digest of {file}"
    if not all(isinstance(counts, dict) and _are_counts(counts.values()) for counts in rejected.values()):
        return "counts rejected combinations by something that is no number"
    return ""


def _are_counts(values: Iterable[Any]) -> bool:
    return all(type(value) is int and value >= 0 for value in values)
