"""The manifest of generated kernels: the full spec and digest of each file. Tools read it instead of file names."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
    """Return the manifest of a folder, or None if there is none."""
    path = folder / NAME
    if not path.exists():
        return None
    data = read_json(path)
    if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
        got = data.get("schema") if isinstance(data, Mapping) else None
        raise SchemaError(
            f"{path} has schema {got!r}; this version reads {SCHEMA}", remedy="generate the kernels again"
        )
    revision, kernels, rejected = data.get("ck_revision"), data.get("kernels"), data.get("rejected", {})
    if not isinstance(revision, str) or not isinstance(kernels, dict) or not isinstance(rejected, dict):
        raise SchemaError(f"{path} lacks ck_revision, kernels or rejected", remedy="generate the kernels again")
    return Manifest(revision, kernels, rejected)
