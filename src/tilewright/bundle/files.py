"""The files of a kernel in a bundle: a library of a CPU kernel; machine code and launch records of a GPU kernel."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from ..arch import get_arch
from ..jit import Artifact
from ..model.arch import CpuArch
from ..model.kernel import KernelSpec
from .manifest import StoredFile

ASSEMBLY = (".ptx", ".amdgcn", ".s")
METADATA = "metadata.json"  # what an artifact knows in addition to its files


def store_file(folder: Path, name: str, data: bytes) -> StoredFile:
    """Write a file of a bundle and return its entry in the manifest."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return StoredFile(name, hashlib.sha256(data).hexdigest(), len(data))


def kept_files(spec: KernelSpec, artifact: Artifact, assembly: bool = False) -> dict[str, bytes]:
    """Return what a bundle keeps of an artifact, by name; assembly text only if it is wanted."""
    if isinstance(get_arch(spec.arch), CpuArch):
        return {f"{artifact.spec_digest[:32]}.so": artifact.file().read_bytes()}
    folder = artifact.spec_digest[:32]
    names = [n for n in sorted(artifact.files) if assembly or not n.endswith(ASSEMBLY)]
    found = {f"{folder}/{name}": artifact.file(name).read_bytes() for name in names}
    if artifact.metadata.get("symbols"):
        found[f"{folder}/{METADATA}"] = json.dumps({"symbols": artifact.metadata["symbols"]}).encode()
    return found


def write_files(folder: Path, spec: KernelSpec, artifact: Artifact, assembly: bool) -> tuple[StoredFile, ...]:
    """Write the files of a kernel into the folder `kernels` of a bundle."""
    kept = kept_files(spec, artifact, assembly)
    return tuple(store_file(folder, f"kernels/{name}", data) for name, data in kept.items())


def kept_sizes(spec: KernelSpec, artifact: Artifact) -> dict[str, int]:
    """Return the bytes of each file of a kernel in a bundle, without assembly."""
    return {name: len(data) for name, data in kept_files(spec, artifact).items()}
