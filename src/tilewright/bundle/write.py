"""Write a bundle: build the kernels, copy them with thread pool, selection and headers, describe all in a manifest."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import __version__
from ..arch import get_arch
from ..backends import get_backend_op
from ..backends.formula_cost import FormulaCost
from ..cpp.models import bundled_models
from ..cpp.selection import BACKENDS, ON_CPUS, backend_parts, selection_program, selection_request
from ..errors import BuildError, SpecError, TilewrightError
from ..jit import Artifact, Cache
from ..jit.host_cpu import host_cpu
from ..jit.native_build import NATIVE, runtime_request
from ..jit.pool import build_one
from ..model.arch import Arch, CpuArch
from ..model.kernel import KernelSpec
from ..registry import Registry
from ..select.model_directory import ModelDirectory
from ..settings import Settings
from .files import store_file, write_files
from .manifest import CPU, BundledKernel, Manifest, StoredFile, holds_bundle

HEADERS = Path(__file__).parents[1] / "cpp" / "include" / "tilewright"
SOURCES = Path(__file__).parents[1] / "cpp" / "source"
CMAKE = Path(__file__).parents[1] / "cpp" / "cmake"
CMAKE_FOLDER = "lib/cmake/tilewright_bundle"


def make_bundle(
    specs: Sequence[KernelSpec],
    out: str | Path,
    *,
    name: str = "",
    priorities: Mapping[str, int] | None = None,
    report: Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    progress: Any = None,
    assembly: bool = False,
) -> Manifest:
    """Build `specs`, all of one arch and backend, and write them as a bundle to the folder `out`; return its manifest.

    The folder must not exist or be a bundle, which is replaced. `priorities` has priorities by spec digest. `assembly`
    adds the assembly text of GPU kernels, which the emulator executes.
    """
    settings, specs = settings or Settings.from_env(), list({s.digest: s for s in specs}.values())
    backend, arch = _backend_of(specs), _arch_of(specs)
    _check_each(specs, backend)
    built = build_kernels(specs, settings, progress)
    cache, target = Cache.from_settings(settings), Path(out)
    _check_target(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        libraries = _write_libraries(folder, settings, cache, backend)
        models = bundled_models(backend, arch.name, {s.op for s in specs}, ModelDirectory.of(settings))
        libraries["models"] = store_file(folder, "lib/models.json", json.dumps(models, separators=(",", ":")).encode())
        kernels = tuple(
            _bundled(folder, spec, built[spec.digest], assembly, (priorities or {}).get(spec.digest, 0))
            for spec in sorted(specs, key=lambda s: s.digest)
        )
        machines, flags = (arch.machines, arch.cpu_flags) if isinstance(arch, CpuArch) else ((host_cpu().machine,), ())
        kind = CPU if isinstance(arch, CpuArch) else arch.kind
        manifest = Manifest(
            name or target.name, __version__, backend, arch.name, kind, machines, flags, libraries, kernels,
            report or {},
        )  # fmt: skip
        (folder / "manifest.json").write_text(json.dumps(manifest.to_dict(), indent=1) + "\n")
        _write_package(folder)
        folder.chmod(0o755)
        _replace(folder, target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return manifest


def _bundled(folder: Path, spec: KernelSpec, artifact: Artifact, assembly: bool, priority: int) -> BundledKernel:
    files, (factor, basis, counted) = write_files(folder, spec, artifact, assembly), cost_facts(spec)
    return BundledKernel(
        spec.name, files, spec.digest, artifact.spec_digest, priority, spec.to_dict(), kernel_numbers(spec), factor,
        basis, counted,
    )  # fmt: skip


def _backend_of(specs: Sequence[KernelSpec]) -> str:
    names = sorted({s.backend for s in specs})
    if len(names) > 1:
        raise SpecError(
            f"a bundle has kernels of one backend; these are of {', '.join(names)}",
            remedy="make one bundle for each; a C++ registry takes several",
        )
    if not names:
        raise SpecError("a bundle has kernels of one arch; these are for none")
    if names[0] not in BACKENDS:
        raise SpecError(f"bundles hold no kernels of {names[0]}", remedy=f"use one of {', '.join(BACKENDS)}")
    return names[0]


def _check_each(specs: Sequence[KernelSpec], backend: str) -> None:
    for spec in specs:
        reason = backend_parts(backend).refusal(spec)
        if reason:
            raise SpecError(f"a bundle cannot hold {spec.name}: {reason}", remedy="leave it out; Python dispatches it")


def _arch_of(specs: Sequence[KernelSpec]) -> Arch:
    names = sorted({s.arch for s in specs})
    if len(names) != 1:
        raise SpecError(f"a bundle has kernels of one arch; these are for {', '.join(names)}")
    return get_arch(names[0])


def build_kernels(specs: Sequence[KernelSpec], settings: Settings, progress: Any = None) -> dict[str, Artifact]:
    """Return the built kernels by spec digest; raise `BuildError` with the first failure."""
    wanted = list({s.digest: s for s in specs}.values())
    if wanted and all(spec.backend == "vendor" for spec in wanted):
        return _callers(wanted, settings)
    results = Registry("bundle").build(specs=wanted, settings=settings, progress=progress)
    failed = [r for r in results if not isinstance(r, Artifact)]
    if failed:
        raise BuildError(f"{len(failed)} of {len(results)} kernels failed; the first: {failed[0].error()}")
    return {spec.digest: artifact for spec, artifact in zip(wanted, results, strict=True)}


def _callers(specs: Sequence[KernelSpec], settings: Settings) -> dict[str, Artifact]:
    """Return what calls a library from C++; in Python nothing of it has to be built."""
    from ..backends.vendor.gemm.bundled import bundle_request

    _check_each(specs, "vendor")
    cache = Cache.from_settings(settings)
    return {spec.digest: build_one(bundle_request(spec, settings), cache) for spec in specs}


def kernel_numbers(spec: KernelSpec) -> tuple[float, ...]:
    """Return the numbers of a kernel in the cost formulas; empty for an op without formulas.

    >>> from tilewright.registry import default_registry
    >>> from tilewright.ops import get_op
    >>> best = default_registry(["cpu"]).select(get_op("gemm").plain_problem("fp32"))[0]
    >>> len(kernel_numbers(best.candidate.spec)) > 9
    True
    """
    if spec.op not in backend_parts(spec.backend).WITH_FORMULAS:
        return ()
    op: Any = get_backend_op(spec.backend, spec.op)
    cost: FormulaCost = op.formula_cost
    return cost.kernel_numbers(spec)


def cost_facts(spec: KernelSpec) -> tuple[float, str, dict[str, float]]:
    """Return what the cost model knows of a kernel in addition to its numbers in the formulas of its op.

    That is a factor on its time, what the prediction rests on, and, for a product that is judged by the counts of its
    code, its numbers in the formulas of products on AMD GPUs.
    """
    op = get_backend_op(spec.backend, spec.op)
    apart = op.has_custom_cost(spec.arch)
    if apart is None or not apart(spec):
        return 1.0, op.cost_basis(spec), {}
    counted: Any = backend_parts(spec.backend).counted_facts(spec)
    return counted[0], op.cost_basis(spec), counted[1]


def _check_target(target: Path) -> None:
    if target.exists() and not holds_bundle(target) and (not target.is_dir() or any(target.iterdir())):
        raise TilewrightError(f"{target} exists and is not a bundle", remedy="name another folder with --out")


def _replace(folder: Path, target: Path) -> None:
    """Put the new folder in place of the old one, which a crash in between leaves in a hidden folder beside it.

    Of several processes that write one bundle, the last one wins.
    """
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        while True:
            with contextlib.suppress(FileNotFoundError):
                os.rename(target, aside / "old")
            try:
                os.rename(folder, target)
                return
            except OSError as problem:
                if problem.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
            shutil.rmtree(aside / "old", ignore_errors=True)  # another process was faster: its bundle is next
    except BaseException:
        if (aside / "old").exists() and not target.exists():
            os.rename(aside / "old", target)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _write_libraries(folder: Path, settings: Settings, cache: Cache, backend: str) -> dict[str, StoredFile]:
    requests = {"runtime": runtime_request(settings)} if backend in ON_CPUS else {}
    requests["selection"] = selection_request(settings)
    found = {}
    for part, request in requests.items():
        artifact = cache.find(request.build_key) or build_one(request, cache)
        found[part] = store_file(folder, f"lib/tw_{part}.so", artifact.file().read_bytes())
    program = json.dumps(selection_program(backend), separators=(",", ":")).encode()
    found["program"] = store_file(folder, "lib/selection.json", program)
    return found


def _write_package(folder: Path) -> None:
    """Copy headers, the sources behind them and the CMake package."""
    include = folder / "include" / "tilewright"
    shutil.copytree(HEADERS, include)
    for name in ("tilewright_abi.h", "tilewright_extent.h"):
        shutil.copy(NATIVE / name, include)
    shutil.copytree(SOURCES, folder / "src")
    (folder / CMAKE_FOLDER).mkdir(parents=True)
    for path in sorted(CMAKE.glob("*.cmake")):
        shutil.copy(path, folder / CMAKE_FOLDER)
