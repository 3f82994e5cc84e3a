"""`doctor`: what was found on this machine, what is missing, and what to do about it."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any

import typer

from .. import __version__
from ..errors import TilewrightError
from ..settings import PREFIX, Settings
from .options import AsJson
from .output import print_json

# extra -> (package, what it is for)
EXTRAS = {
    "torch": ("torch", "torch tensors, and comparing with PyTorch"),
    "triton": ("triton", "GPU kernels"),
    "tune": ("lightgbm", "training selection models, Parquet files"),
    "report": ("matplotlib", "plots"),
    "cluster": ("ray", "tuning on several machines"),
}
NOTABLE = (
    "avx2",
    "fma",
    "f16c",
    "avx512f",
    "avx512_vnni",
    "avx512_bf16",
    "avx_vnni",
    "amx_tile",
    "amx_bf16",
    "amx_int8",
    "asimd",
    "asimdhp",
    "asimddp",
    "asimdfhm",
    "bf16",
    "i8mm",
    "sve",
    "sve2",
)


@dataclass(frozen=True)
class Finding:
    """One line of the report. `state` is ok, missing (a part cannot be used) or broken (nothing can be built)."""

    area: str
    what: str
    state: str
    found: str
    remedy: str = ""


def doctor(as_json: AsJson = False) -> None:
    """Show what was found here, and what is missing.

    Lists CPU, GPUs, compiler, launcher, cache, extras and settings, with a remedy for each missing part. The exit
    status is 1 if nothing can be built.
    """
    from ..report.tables import Table, fitted

    findings = list(_examine())
    broken = [f for f in findings if f.state == "broken"]
    if as_json:
        print_json({"version": __version__, "ok": not broken, "findings": [asdict(f) for f in findings]})
    else:
        table = Table(["area", "what", "state", "found"])
        for f in findings:
            table.add(f.area, f.what, f.state, f.found + (f". Fix: {f.remedy}" if f.remedy else ""))
        table.show()
        print()
        print(fitted(_verdict(findings)))
    if broken:
        raise typer.Exit(1)


def _verdict(findings: list[Finding]) -> str:
    broken = [f.what for f in findings if f.state == "broken"]
    if broken:
        return f"tilewright cannot build kernels here yet: see {', '.join(broken)} above."
    missing = dict.fromkeys(f.what for f in findings if f.state == "missing")
    rest = f" Not available: {', '.join(missing)}." if missing else ""
    return f"tilewright can build and run kernels on this machine.{rest}"


def _examine() -> Iterator[Finding]:
    settings = Settings.from_env()
    yield Finding("tilewright", "version", "ok", __version__)
    yield Finding("python", "version", "ok", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    yield from _cpu(settings)
    yield from _gpus()
    yield from _toolchain(settings)
    yield from _backends(settings)
    yield from _cache(settings)
    yield from _data(settings)
    yield from _extras()
    yield from _settings(settings)


def _cpu(settings: Settings) -> Iterator[Finding]:
    from ..backends.cpu.detect import caches, cpu_flags, cpu_name, host_arch, host_archs
    from ..report.tables import size

    yield Finding("cpu", "model", "ok", f"{cpu_name()}, {settings.resolved_threads()} threads in use")
    features = [flag for flag in NOTABLE if flag in cpu_flags()]
    yield Finding("cpu", "features", "ok", " ".join(features) or "no feature that kernels use")
    yield Finding("cpu", "caches", "ok", ", ".join(f"{name} {size(count)}" for name, count in caches().items()))
    try:
        arch, runs = host_arch(settings), host_archs()
        yield Finding("cpu", "arch", "ok", f"{arch.name} (runs {', '.join(a.name for a in runs)})")
        if arch != runs[0] and not settings.cpu_arch:
            found = f"the compiler accepts the flags of {arch.name}, not those of {runs[0].name}, which this CPU runs"
            yield Finding("cpu", "compiler", "missing", found, "install a newer g++ or clang++")
    except TilewrightError as error:
        yield Finding("cpu", "arch", "broken", error.message, error.remedy or "")


def _gpus() -> Iterator[Finding]:
    from ..backends.gpu.detect import gpu_devices, missing_gpu
    from ..backends.gpu.hip_detect import hip_devices, missing_hip

    for kind, devices, missing in (("NVIDIA", gpu_devices(), missing_gpu()), ("AMD", hip_devices(), missing_hip())):
        found = ", ".join(f"{d.name} ({d.arch})" for d in devices)
        yield Finding("gpu", f"{kind} GPU", "ok" if found else "missing", found or missing or "none was found")


def _toolchain(settings: Settings) -> Iterator[Finding]:
    from ..jit import find_compiler
    from ..jit.launcher import launcher_status

    try:
        compiler = find_compiler(settings)
    except TilewrightError as error:
        yield Finding("toolchain", "C++ compiler", "broken", error.message, error.remedy or "")
        return
    yield Finding("toolchain", "C++ compiler", "ok", f"{compiler.path} ({compiler.family} {compiler.version})")
    status = launcher_status()
    yield Finding("toolchain", "launcher", "ok" if status.startswith("C launcher") else "missing", status)


def _backends(settings: Settings) -> Iterator[Finding]:
    from ..backends import backend_names, get_backend

    for name in backend_names():
        try:
            backend = get_backend(name)
            missing, devices = backend.missing(settings), list(backend.devices(settings))
        except (TilewrightError, ImportError) as error:
            yield Finding("backend", name, "missing", str(error))
            continue
        found = ", ".join(f"{d.name} ({d.arch})" for d in devices) or "no such device on this machine"
        if missing:
            yield Finding("backend", name, "missing", missing)
        elif not devices and "any" not in backend.arch_kinds:
            yield Finding("backend", name, "missing", found)
        else:
            yield Finding("backend", name, "ok", found if devices else "runs anywhere, slowly: the reference")


def _cache(settings: Settings) -> Iterator[Finding]:
    from ..jit import Cache
    from ..report.tables import size

    cache = Cache.from_settings(settings)
    try:
        with cache.locked("doctor"):  # only a try shows it: a full disk or a read-only mount refuses even root
            pass
        info = cache.info()
        yield Finding("cache", "own", "ok", f"{info.root}: {info.entries} kernels, {size(info.total_bytes)}")
    except TilewrightError as error:
        yield Finding("cache", "own", "broken", error.message, error.remedy or "")
        info = cache.info()
    for root, count in info.shared:
        yield Finding("cache", "shared", "ok" if root.is_dir() else "missing", f"{root}: {count} kernels")


def _data(settings: Settings) -> Iterator[Finding]:
    """Yield findings about measurements and trained models, and which of them cannot be used."""
    from ..select.model_directory import ModelDirectory
    from ..store import Store, store_path

    path = store_path(settings)
    try:
        with Store(path) as store:
            mistakes = store.check()
            found = f"{path}: {len(store):,} measurements" if path.exists() else f"{path}: none yet"
        if mistakes:
            remedy = "export the others (`tilewright data export`) and remove the file"
            yield Finding("data", "measurements", "missing", f"{found}, {len(mistakes)} bad: {mistakes[0]}", remedy)
        else:
            yield Finding("data", "measurements", "ok", found)
    except TilewrightError as error:
        yield Finding("data", "measurements", "missing", error.message, error.remedy or "")
    models = ModelDirectory.of(settings)
    bad = models.bad_files()
    yield Finding("data", "models", "ok", f"{len(models.files()) - len(bad)} can be used")
    for file, why in bad:
        yield Finding("data", file.name, "missing", why.message, why.remedy or "")


def _extras() -> Iterator[Finding]:
    for extra, (package, purpose) in EXTRAS.items():
        version = _version(package)
        if version:
            yield Finding("extra", extra, "ok", f"{package} {version}: {purpose}")
        else:
            yield Finding("extra", extra, "missing", f"{package}: {purpose}", f"pip install 'tilewright[{extra}]'")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _settings(settings: Settings) -> Iterator[Finding]:
    known: dict[str, Any] = {name: default for name, default, _ in Settings.documented()}
    for name in sorted(n for n in os.environ if n.startswith(PREFIX)):
        if name in known:
            value = getattr(settings, name.removeprefix(PREFIX).lower())
            yield Finding("setting", name, "ok", f"{value!r} (default {known[name]})")
        else:
            from ..errors import nearest

            near = nearest(name, [k.lower() for k in known])
            hint = f"did you mean {near.upper()}?" if near else f"known: {', '.join(known)}"
            yield Finding("setting", name, "missing", "is not a setting and is ignored", hint)
