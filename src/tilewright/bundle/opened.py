"""Bundle: an opened bundle in Python. It needs no compiler: kernels, thread pool and selection are in the folder."""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import shlex
import shutil
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from ..arch import get_arch
from ..backends import get_backend_op
from ..backends.plain import spec_from_dict
from ..dispatcher import Dispatcher
from ..errors import ArchError, SchemaError, SelectionError, plural
from ..jit.host_cpu import host_cpu
from ..jit.library import adopt_runtime
from ..model.device import Device
from ..model.json_text import parse_json
from ..model.kernel import KernelSpec
from ..model.locks import cached_property
from ..model.problem import Problem
from ..plan import Plan
from ..registry import Registry
from ..registry.entry import checked_entry
from ..settings import Settings
from .files import METADATA
from .manifest import CPU, BundledKernel, Manifest, StoredFile, read_manifest


@dataclass(frozen=True)
class _BundledArtifact:
    """A kernel's files as loaders take them."""

    path: Path
    files: Mapping[str, str]
    metadata: Mapping[str, Any]

    def file(self, name: str | None = None) -> Path:
        return self.path / (name or next(iter(self.files)))


class BundleDispatcher(Dispatcher):
    """A dispatcher over the kernels of a bundle. It never builds."""

    def __init__(self, bundle: Bundle, registry: Registry, selector: str, settings: Settings) -> None:
        super().__init__(registry, selector, settings)
        self._bundle = bundle

    def device_for(self, problem: Problem, arch: str | None = None) -> Device:
        """Return the device of a problem; raise `ArchError` if the bundle has no kernels for it."""
        device = super().device_for(problem, arch)
        self._bundle.check_device(device, problem.device)
        return device

    def _padded_plan(self, problem: Problem) -> Plan:
        """Return the plan of a problem that no kernel accepts as it is; errors name the bundle command."""
        try:
            return super()._padded_plan(problem)
        except SelectionError as error:
            raise SelectionError(error.message, remedy=self._remedy(problem)) from None

    def _remedy(self, problem: Problem) -> str:
        """Return the command that makes a bundle for a problem, in another folder: this one has other kernels."""
        manifest = self._bundle.manifest
        text = json.dumps({k: v for k, v in problem.to_dict().items() if k != "device"})
        backend = " --backend ck_tile" if manifest.backend == "ck_tile" else ""
        arch, out = shlex.quote(manifest.arch), shlex.quote(f"{manifest.name}_more")
        command = f"tilewright bundle {shlex.quote(text)} --arch {arch}{backend} --out {out}"
        return f"add the problem to those of the bundle, or make a second one: {command}"

    def _load(self, spec: KernelSpec) -> Any:
        """Return the loaded kernel of the bundle, after comparing its bytes with their digest."""
        return self._bundle.load(spec)


class Bundle:
    """A bundle in a folder.

    `open` reads the manifest and checks versions, the arch and that every file is there. The bytes of a kernel are
    compared with their digest before it is loaded; `verify` compares all of them.

        bundle = tilewright.Bundle.open("my_bundle")
        out = bundle.dispatcher().run(problem, a=a, b=b, out=out)
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder, self.manifest = folder, manifest
        self._by_digest = {k.digest: k for k in manifest.kernels}

    def __repr__(self) -> str:
        held = plural(len(self.manifest.kernels), "kernel")
        return f"<Bundle {self.manifest.name!r}: {self.manifest.backend}, {self.manifest.arch}, {held}>"

    @classmethod
    def open(cls, folder: str | Path, verify: bool = False) -> Bundle:
        """Return the bundle in `folder`; raise `SchemaError` or `ArchError` if it cannot be used here."""
        bundle = cls(Path(folder), read_manifest(folder))
        bundle._check_arch()
        for stored in bundle.files():
            bundle._check_size(stored)
        if verify:
            bundle.verify()
        return bundle

    def files(self) -> list[StoredFile]:
        """Return every file with a digest, each once."""
        found = [*self.manifest.libraries.values(), *(s for k in self.manifest.kernels for s in k.files)]
        return list({s.file: s for s in found}.values())

    def verify(self) -> None:
        """Raise `SchemaError` if the bytes of a file are not those that were stored."""
        for stored in self.files():
            self._checked_bytes(stored)

    @cached_property
    def specs(self) -> tuple[KernelSpec, ...]:
        """The kernels of the bundle, in the order of the manifest."""
        return tuple(self._spec(k) for k in self.manifest.kernels)

    def registry(self) -> Registry:
        """Return a registry of the bundle's kernels with their priorities."""
        registry = Registry(self.manifest.name)
        rows = zip(self.specs, self.manifest.kernels, strict=True)
        registry.take([checked_entry(spec, kernel.priority, "bundle") for spec, kernel in rows])
        return registry

    def dispatcher(self, selector: str = "analytical", settings: Settings | None = None) -> Dispatcher:
        """Return a dispatcher that runs the bundle's kernels and never builds one."""
        chosen = replace(settings or Settings.from_env(), build="never")
        runtime = self.manifest.libraries.get("runtime")
        if runtime is not None:
            chosen = replace(chosen, cpu_arch=self.manifest.arch)
            adopt_runtime(self.folder / runtime.file, runtime.sha256)
        return BundleDispatcher(self, self.registry(), selector, chosen)

    def load(self, spec: KernelSpec) -> Any:
        """Return the loaded kernel of a spec."""
        kernel = self._by_digest.get(spec.digest)
        if kernel is None:
            raise SelectionError(f"kernel {spec.name} is not in the bundle {self.manifest.name!r}")
        data = {Path(s.file).name: self._checked_bytes(s) for s in kernel.files}
        names = {Path(s.file).name: s.sha256 for s in kernel.files}
        metadata = parse_json(data[METADATA], f"{METADATA} of {kernel.name}") if METADATA in data else {}
        # A library of a CPU is compared with its digest when it is loaded; a driver reads files at a first launch.
        path = (self.folder / kernel.files[0].file).parent if self.manifest.kind == CPU else _private_copy(data)
        return get_backend_op(spec.backend, spec.op).load(spec, _BundledArtifact(path, names, metadata))

    def _spec(self, kernel: BundledKernel) -> KernelSpec:
        spec = spec_from_dict(kernel.spec)
        if spec.digest != kernel.digest:
            raise SchemaError(f"kernel {kernel.name} has digest {spec.digest[:12]}, the manifest says another")
        return spec

    def check_device(self, device: Device, place: str) -> None:
        """Raise `ArchError` if a device, which is at `place`, does not run the kernels of this bundle."""
        m = self.manifest
        if m.kind == CPU or device.arch == m.arch:
            return
        remedy = "make a bundle for this GPU" if place != "cpu" else 'give the problem a device, such as "cuda:0"'
        raise ArchError(f"bundle {m.name!r} is for {m.arch}; {device.name} at {place} is {device.arch}", remedy=remedy)

    def _check_arch(self) -> None:
        """Raise `ArchError` if this CPU does not run the kernels; which GPUs are here is asked for each problem."""
        m, own = self.manifest, host_cpu()
        if m.kind != get_arch(m.arch).kind and m.kind != CPU:
            raise ArchError(f"bundle {m.name!r} is for {m.arch}, which is not of the kind {m.kind}")
        if m.kind != CPU:
            return
        if m.machines and own.machine not in m.machines:
            got = f"bundle {m.name!r} is for {' or '.join(m.machines)} ({m.arch}); this machine is {own.machine}"
            raise ArchError(got, remedy="make a bundle for this machine")
        lacking = sorted(set(m.cpu_flags) - own.flags)
        if lacking:
            got = f"bundle {m.name!r} is for {m.arch}; this CPU lacks {', '.join(lacking)}"
            raise ArchError(got, remedy="make a bundle for an arch of this CPU: see `tilewright doctor`")

    def _check_size(self, stored: StoredFile) -> None:
        path = self.folder / stored.file
        try:
            fact = os.stat(path)
        except OSError as problem:
            raise self._lacking(stored, problem) from None
        if not stat.S_ISREG(fact.st_mode) or fact.st_size != stored.bytes:
            raise self._altered(stored)

    def _checked_bytes(self, stored: StoredFile) -> bytes:
        self._check_size(stored)  # a pipe or a device would be read for ever
        try:
            data = (self.folder / stored.file).read_bytes()
        except OSError as problem:
            raise self._lacking(stored, problem) from None
        if hashlib.sha256(data).hexdigest() != stored.sha256:
            raise self._altered(stored)
        return data

    def _lacking(self, stored: StoredFile, problem: OSError) -> SchemaError:
        return SchemaError(
            f"bundle {self.folder} lacks {stored.file}, or it cannot be read: {problem.strerror or problem}",
            remedy="copy the bundle again, with all files",
        )

    def _altered(self, stored: StoredFile) -> SchemaError:
        return SchemaError(
            f"{stored.file} of bundle {self.folder} is not the file that the manifest describes",
            remedy="copy the bundle again, or make it again",
        )


def _private_copy(data: Mapping[str, bytes]) -> Path:
    """Return a folder with these files that no other user can change; it goes when the process ends."""
    folder = Path(tempfile.mkdtemp(dir=_private_folder()))
    for name, found in data.items():
        (folder / name).write_bytes(found)
    return folder


@cache
def _private_folder() -> str:
    folder, owner = tempfile.mkdtemp(prefix="tilewright-bundle-"), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # not at the end of a fork
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
