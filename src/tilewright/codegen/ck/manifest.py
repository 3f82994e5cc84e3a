"""The manifest beside generated kernels: file -> full spec -> digest. Tools read it; nobody parses file names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...backends.plain import spec_from_dict
from ...errors import SchemaError
from ...model.kernel import KernelSpec
from .folder import write_changed

NAME = "tilewright_manifest.json"
SCHEMA = 1


@dataclass
class Manifest:
    """What a folder of generated kernels holds: per header file its spec, digest, content hash and device kernels.

    `rejected` counts the combinations that each rule removed, per command that wrote into the folder.
    """

    revision: str
    kernels: dict[str, dict[str, Any]] = field(default_factory=dict)
    rejected: dict[str, dict[str, int]] = field(default_factory=dict)

    def spec(self, file: str) -> KernelSpec:
        """The spec of one header file; a manifest that was edited by hand is told by its digest."""
        entry = self.kernels[file]
        spec = spec_from_dict(entry["spec"])
        if spec.digest != entry["digest"]:
            raise SchemaError(
                f"{NAME}: {file} claims digest {entry['digest'][:16]}..., its spec has {spec.digest[:16]}...",
                remedy="generate the kernels again",
            )
        return spec

    def to_text(self) -> str:
        """The JSON text, the same for the same content."""
        data = {
            "schema": SCHEMA,
            "backend": "ck_tile",
            "ck_revision": self.revision,
            "kernels": dict(sorted(self.kernels.items())),
            "rejected": dict(sorted(self.rejected.items())),
        }
        return json.dumps(data, indent=1, sort_keys=True) + "\n"

    def write(self, folder: Path) -> bool:
        """Writes the manifest into `folder`; whether it changed."""
        return write_changed(folder / NAME, self.to_text())


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a folder, or None where there is none."""
    path = folder / NAME
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise SchemaError(f"{path} cannot be read: {error}", remedy="generate the kernels again") from None
    if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
        got = data.get("schema") if isinstance(data, Mapping) else None
        raise SchemaError(
            f"{path} has schema {got!r}; this version reads {SCHEMA}", remedy="generate the kernels again"
        )
    return Manifest(str(data["ck_revision"]), dict(data["kernels"]), dict(data.get("rejected", {})))
