"""The manifest of a bundle: what is in it, with a digest of every file. Reading checks every field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..arch import get_arch, get_supported_archs
from ..errors import SchemaError, check_known
from ..model.abi import ABI_VERSION
from ..model.arch import CpuArch
from ..model.fields import shown
from ..model.json_text import Json, read_json

BUNDLE_SCHEMA = 2  # 1: kernels of CPUs, one file each
SELECTION_ABI = 2
KIND = "tilewright bundle"
REMEDY = "make the bundle again"
MAX_NAME = 1024  # of a file, with its folders
MANIFEST = "manifest.json"
CPU = "cpu"  # the kind of all archs of CPUs; GPUs have that of their make
PARTS = {CPU: ("runtime", "selection", "program", "models")}  # by kind of arch
GPU_PARTS = ("selection", "program", "models")
TOP_FIELDS = {
    "schema": int, "kind": str, "abi": int, "selection_abi": int, "tilewright": str, "name": str, "backend": str,
    "arch": dict, "libraries": dict, "kernels": list, "report": dict,
}  # fmt: skip
KERNEL_FIELDS = {
    "name": str, "files": list, "digest": str, "code": str, "priority": int, "spec": dict, "numbers": list,
    "factor": float, "basis": str, "counted": dict,
}  # fmt: skip
FILE_FIELDS = {"file": str, "sha256": str, "bytes": int}
ARCH_FIELDS = {"name": str, "kind": str, "machines": list, "cpu_flags": list}
SAFE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")


@dataclass(frozen=True)
class StoredFile:
    """A file of a bundle, relative to its folder."""

    file: str
    sha256: str
    bytes: int

    def to_dict(self) -> Json:
        """Return plain JSON data."""
        return {"file": self.file, "sha256": self.sha256, "bytes": self.bytes}


@dataclass(frozen=True)
class BundledKernel:
    """A kernel of a bundle, and the files of it. `code` is the digest of what was compiled; kernels may share files.

    A CPU kernel is one library. A GPU kernel has machine code and a launch record for each of its launches.
    """

    name: str
    files: tuple[StoredFile, ...]
    digest: str
    code: str
    priority: int
    spec: Mapping[str, Any]
    numbers: tuple[float, ...]
    factor: float = 1.0
    basis: str = ""
    counted: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> Json:
        """Return plain JSON data."""
        return {
            "name": self.name, "files": [s.to_dict() for s in self.files], "digest": self.digest, "code": self.code,
            "priority": self.priority, "spec": self.spec, "numbers": list(self.numbers), "factor": self.factor,
            "basis": self.basis, "counted": dict(self.counted),
        }  # fmt: skip


@dataclass(frozen=True)
class Manifest:
    """The contents of a bundle: kernels of one backend for one arch, of a `kind`: cpu, or the make of a GPU."""

    name: str
    tilewright: str
    backend: str
    arch: str
    kind: str
    machines: tuple[str, ...]
    cpu_flags: tuple[str, ...]
    libraries: Mapping[str, StoredFile]
    kernels: tuple[BundledKernel, ...]
    report: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> Json:
        """Return plain JSON data."""
        return {
            "schema": BUNDLE_SCHEMA,
            "kind": KIND,
            "abi": ABI_VERSION,
            "selection_abi": SELECTION_ABI,
            "tilewright": self.tilewright,
            "name": self.name,
            "backend": self.backend,
            "arch": {
                "name": self.arch,
                "kind": self.kind,
                "machines": list(self.machines),
                "cpu_flags": list(self.cpu_flags),
            },
            "libraries": {part: s.to_dict() for part, s in self.libraries.items()},
            "kernels": [k.to_dict() for k in self.kernels],
            "report": dict(self.report),
        }


def read_manifest(folder: str | Path) -> Manifest:
    """Return the manifest of the bundle in `folder`; raise `SchemaError` if it is damaged or of another version."""
    path = Path(folder) / MANIFEST
    if not path.is_file():
        raise SchemaError(f"{folder} holds no {MANIFEST}", remedy="give the folder that `tilewright bundle` wrote")
    data = read_json(path, what=f"bundle manifest {path}")
    if not isinstance(data, Mapping) or data.get("kind") != KIND:
        raise SchemaError(f"{path} is not the manifest of a bundle", remedy=REMEDY)
    _check_version(data, "schema", BUNDLE_SCHEMA, path)
    _check_version(data, "abi", ABI_VERSION, path)
    _check_version(data, "selection_abi", SELECTION_ABI, path)
    _fields(data, TOP_FIELDS, "manifest")
    arch = _fields(data["arch"], ARCH_FIELDS, "arch of the manifest")
    kinds = sorted({CPU, *(get_arch(n).kind for n in get_supported_archs() if not isinstance(get_arch(n), CpuArch))})
    check_known("kind of arch in the manifest", arch["kind"], kinds)
    parts = PARTS.get(arch["kind"], GPU_PARTS)
    libraries = _fields(data["libraries"], dict.fromkeys(parts, dict), "libraries of the manifest")
    return Manifest(
        data["name"], data["tilewright"], data["backend"], arch["name"], arch["kind"],
        _texts(arch["machines"], "machines"), _texts(arch["cpu_flags"], "CPU flags"),
        {part: _stored(_fields(libraries[part], FILE_FIELDS, part)) for part in parts},
        tuple(_kernel(row) for row in data["kernels"]), data["report"],
    )  # fmt: skip


def _check_version(data: Mapping[str, Any], name: str, known: int, path: Path) -> None:
    if data.get(name) != known or isinstance(data.get(name), bool):
        got = f"bundle {path.parent} has {name} version {shown(data.get(name))}; this tilewright reads {known}"
        raise SchemaError(got, remedy="make the bundle again with this version, or use the version that made it")


def _fields(data: Any, kinds: Mapping[str, type], what: str) -> Mapping[str, Any]:
    """Return an object whose fields are exactly these, each of its type."""
    if not isinstance(data, Mapping):
        raise SchemaError(f"{what} is {shown(data)}; it must be an object", remedy=REMEDY)
    for name in data:
        check_known(f"field of the {what}", name, kinds)
    for name, kind in kinds.items():
        if name not in data or not isinstance(data[name], kind) or (kind is int and isinstance(data[name], bool)):
            got = shown(data[name]) if name in data else "missing"
            raise SchemaError(f"{name} of the {what} is {got}; it must be a {kind.__name__}", remedy=REMEDY)
    return data


def _texts(values: list[Any], what: str) -> tuple[str, ...]:
    if not all(isinstance(value, str) for value in values):
        raise SchemaError(f"{what} of the manifest are {shown(values)}; they must be names", remedy=REMEDY)
    return tuple(values)


def _numbers(values: Iterable[Any], what: str) -> tuple[float, ...]:
    found = tuple(values)
    if not all(type(value) in (int, float) for value in found):
        raise SchemaError(f"{what} of a kernel are {shown([*found])}; they must be numbers", remedy=REMEDY)
    return tuple(map(float, found))


def _stored(data: Mapping[str, Any]) -> StoredFile:
    if not SAFE_NAME.fullmatch(data["file"]) or ".." in data["file"] or len(data["file"]) > MAX_NAME:
        raise SchemaError(f"the manifest names the file {shown(data['file'])}, which is not inside the bundle")
    return StoredFile(data["file"], data["sha256"], data["bytes"])


def _kernel(row: Any) -> BundledKernel:
    data = _fields(row, KERNEL_FIELDS, "kernel")
    numbers = _numbers(data["numbers"], "numbers")
    _numbers(data["counted"].values(), "counted numbers")
    files = tuple(_stored(_fields(file, FILE_FIELDS, "file of a kernel")) for file in data["files"])
    if not files:
        raise SchemaError(f"kernel {shown(data['name'])} of the manifest has no files", remedy=REMEDY)
    cost = (numbers, data["factor"], data["basis"], data["counted"])
    return BundledKernel(data["name"], files, data["digest"], data["code"], data["priority"], data["spec"], *cost)
