"""The manifest of a bundle: what is in it, with a digest of every file. Reading checks every field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ..arch import get_arch, get_supported_archs
from ..errors import SchemaError, TilewrightError, check_known
from ..model.abi import ABI_VERSION
from ..model.arch import CpuArch
from ..model.fields import fields_from, real_number, shortened, shown
from ..model.json_text import Json, read_json

BUNDLE_SCHEMA = 2  # 1: kernels of CPUs, one file each
SELECTION_ABI = 2
KIND = "tilewright bundle"
REMEDY = "make the bundle again"
MANIFEST = "manifest.json"
CPU = "cpu"  # the kind of all archs of CPUs; GPUs have that of their make
PARTS = {CPU: ("runtime", "selection", "program", "models")}  # by kind of arch
GPU_PARTS = ("selection", "program", "models")
ARCH_FIELDS = ("kind", "machines", "cpu_flags")  # besides its name
VERSIONS = {"schema": BUNDLE_SCHEMA, "abi": ABI_VERSION, "selection_abi": SELECTION_ABI}
# A file inside of the bundle: no part of its path begins with a dot.
SAFE_NAME = re.compile(r"(?!.*\.\.)(?=.{1,1024}$)[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")


@dataclass(frozen=True)
class StoredFile:
    """A file of a bundle, relative to its folder."""

    file: str
    sha256: str
    bytes: int

    def __post_init__(self) -> None:
        if not SAFE_NAME.fullmatch(self.file):
            raise SchemaError(f"the manifest names the file {shown(self.file)}, which is not inside the bundle")


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
    factor: float
    basis: str
    counted: Mapping[str, float]

    def __post_init__(self) -> None:
        if not self.files:
            raise SchemaError(f"kernel {shown(self.name)} has no files")
        if any(real_number(n) is None for n in self.counted.values()):
            raise SchemaError(f"counted numbers of a kernel are {shown(self.counted)}; they must be numbers")


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
    report: Mapping[str, Any]

    def to_dict(self) -> Json:
        """Return plain JSON data: fields of the arch are an object of their own."""
        data = asdict(self)
        arch = {"name": data.pop("arch"), **{name: data.pop(name) for name in ARCH_FIELDS}}
        return {"kind": KIND, **VERSIONS, **data, "arch": arch}


TOP_FIELDS = {"kind", *VERSIONS, *({f.name for f in fields(Manifest)} - {*ARCH_FIELDS})}


def holds_bundle(folder: Path) -> bool:
    """Return whether a folder holds a bundle, of any version; other programs call a file manifest.json too.

    >>> holds_bundle(Path("/nowhere/at/all"))
    False
    """
    try:
        data = read_json(folder / MANIFEST)
    except SchemaError:
        return False
    return isinstance(data, Mapping) and data.get("kind") == KIND


def read_manifest(folder: str | Path) -> Manifest:
    """Return the manifest of the bundle in `folder`; raise `SchemaError` if it is damaged or of another version."""
    path = Path(folder) / MANIFEST
    if not path.is_file():
        raise SchemaError(f"{folder} holds no {MANIFEST}", remedy="give the folder that `tilewright bundle` wrote")
    data = read_json(path, what=f"bundle manifest {path}")
    if not isinstance(data, Mapping) or data.get("kind") != KIND:
        raise SchemaError(f"{path} is not the manifest of a bundle", remedy=REMEDY)
    for name, known in VERSIONS.items():
        _check_version(data, name, known, path)
    try:
        return _read(data)
    except TilewrightError as error:
        raise SchemaError(f"{path}: {error.message}", remedy=REMEDY) from None


def _read(data: Mapping[str, Any]) -> Manifest:
    for name in data:
        check_known("manifest field", shortened(str(name)), TOP_FIELDS)
    arch = data.get("arch")
    if not isinstance(arch, Mapping) or set(arch) != {"name", *ARCH_FIELDS}:
        raise SchemaError(f"arch of the manifest is {shown(arch)}; it must have name, {', '.join(ARCH_FIELDS)}")
    own = {"arch": arch["name"], **{name: arch[name] for name in ARCH_FIELDS}}
    given = {name: value for name, value in data.items() if name not in VERSIONS}
    found = fields_from(Manifest, {**given, **own}, "manifest")
    kinds = sorted({CPU, *(get_arch(n).kind for n in get_supported_archs() if not isinstance(get_arch(n), CpuArch))})
    check_known("kind of arch in the manifest", found["kind"], kinds)
    parts, libraries = PARTS.get(found["kind"], GPU_PARTS), found["libraries"]
    if set(libraries) != set(parts):
        raise SchemaError(f"libraries of the manifest are {shown([*libraries])}; they must be {', '.join(parts)}")
    stored = {part: StoredFile(**fields_from(StoredFile, libraries[part], part)) for part in parts}
    return Manifest(**{**found, "libraries": stored})


def _check_version(data: Mapping[str, Any], name: str, known: int, path: Path) -> None:
    if data.get(name) != known or isinstance(data.get(name), bool):
        got = f"bundle {path.parent} has {name} version {shown(data.get(name))}; this tilewright reads {known}"
        raise SchemaError(got, remedy="make the bundle again with this version, or use the version that made it")
