"""Compiles one kernel in a process of its own: `python -m tilewright.backends.triton.compile_job job.json`.

The job names a kernel spec; the machine code, its assembly and `kernel.json` (what a launch needs to know) are written
beside it. No GPU is touched, so the target need not be here.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from ...arch import get_arch
from ...model.arch import Arch, NvidiaArch
from ...model.json_text import read_json
from ..plain import spec_from_dict
from .releases import released
from .target import FILES, triton_target

META_SCHEMA = 1
COPY = "cp.async.cg.shared.global"


def compile_source(source: Any, arch: Arch) -> tuple[bytes, str, dict[str, Any]]:
    """Return (machine code, assembly, launch metadata) of a source for an arch."""
    import triton
    from triton.compiler import ASTSource

    # Line tables would put this machine's folders into the binary, and make equal kernels differ.
    triton.knobs.compilation.disable_line_info = True
    target = triton_target(arch)
    make: Any = ASTSource
    if source.function.is_gluon():
        from triton.experimental.gluon._runtime import GluonASTSource

        make = GluonASTSource
    attrs = {path: [["tt.divisibility", n]] for path, n in source.hints.items()}
    compiled = triton.compile(
        make(source.function, source.signature, source.constants, attrs), target=target, options=source.options
    )
    binary, assembly = (compiled.asm[name.split(".")[1]] for name in FILES[target.backend])
    meta = compiled.metadata
    args = arguments(source, getattr(meta, "tensordesc_meta", None))
    if source.cluster > 1:
        binary, assembly = _clustered(source, assembly, args, target)
    if source.lines:
        binary, assembly = _assembled(source, assembly.replace(COPY, f"{COPY}.L2::128B"), target)
    if source.loose:
        binary, assembly = _loosened(source, assembly, target)
    if source.columns:
        binary, assembly = _narrowed(source, assembly, args, target)
    described = {
        "schema": META_SCHEMA,
        "name": meta.name,
        "arch": arch.name,
        "backend": target.backend,
        "triton": triton.__version__,
        "threads": meta.num_warps * meta.warp_size if target.backend == "hip" else meta.num_warps * 32,
        "shared": meta.shared,
        "pdl": bool(getattr(meta, "launch_pdl", False)),
        "global_scratch": getattr(meta, "global_scratch_size", 0) or 0,
        "profile_scratch": getattr(meta, "profile_scratch_size", 0) or 0,
        "args": args,
        "cluster": source.cluster,
        **resources(binary, assembly, arch),
    }
    return binary, assembly, described


def _clustered(source: Any, assembly: str, args: list[dict[str, Any]], target: Any) -> tuple[bytes, str]:
    """Return (machine code, assembly) in which the programs of a cluster share copies."""
    from .cluster import share_copies

    maps = tuple(i for i, arg in enumerate(args) if arg["path"] in source.shared)
    return _assembled(source, share_copies(assembly, maps, source.cluster, 32 * source.options["num_warps"]), target)


def _narrowed(source: Any, assembly: str, args: list[dict[str, Any]], target: Any) -> tuple[bytes, str]:
    """Return (machine code, assembly) whose tiles are narrower than what was compiled; copies of B are as wide."""
    from .columns import leave_out_columns

    name, copied, block, columns = source.columns
    next(arg for arg in args if arg["path"] == name)["box"][-2] = copied
    return _assembled(source, leave_out_columns(assembly, block, columns), target)


def _loosened(source: Any, assembly: str, target: Any) -> tuple[bytes, str]:
    """Return (machine code, assembly) whose groups of warps hand stages back by themselves."""
    from .loose import free_stages

    return _assembled(source, free_stages(assembly, source.loose), target)


def _assembled(source: Any, assembly: str, target: Any) -> tuple[bytes, str]:
    """Return (machine code, assembly) of an assembly that was changed."""
    from triton.compiler import make_backend

    backend = make_backend(target)
    return backend.make_cubin(assembly, {}, backend.parse_options(source.options), target.arch), assembly


def arguments(source: Any, descriptors: Any) -> list[dict[str, Any]]:
    """Return the kernel's parameters in order, each with the dotted path of its value and its kind."""
    found: list[dict[str, Any]] = []
    queue = list(descriptors or [])
    for name, kind in source.signature.items():
        _flatten(name, kind, queue, found)
    return found


def _flatten(path: str, kind: Any, descriptors: list[Any], found: list[dict[str, Any]]) -> None:
    if isinstance(kind, tuple):
        for i, inner in enumerate(kind):
            _flatten(f"{path}.{i}", inner, descriptors, found)
    elif kind.startswith("tensordesc"):
        _flatten_descriptor(path, kind, descriptors, found)
    elif kind != "constexpr":
        found.append({"path": path, "kind": "pointer" if kind[0] == "*" else kind})


def _flatten_descriptor(path: str, kind: str, descriptors: list[Any], found: list[dict[str, Any]]) -> None:
    """A tensor map, then its shape and strides, which the kernel is handed as well."""
    from triton.backends.nvidia.driver import TMA_DTYPE_DEVICE_TO_HOST

    if not descriptors:
        raise RuntimeError(f"{path}: the compiler lowered this descriptor to pointers; TMA needs sm_90")
    meta = descriptors.pop(0)
    block = [int(n) for n in re.findall(r"\[([^]]*)\]", kind)[0].split(",")]
    found.append(
        {
            "path": path,
            "kind": "tensormap",
            "swizzle": meta["swizzle"],
            "element_bytes": meta["elem_size"],
            "element_type": TMA_DTYPE_DEVICE_TO_HOST[meta["elem_type"]],
            "box": list(meta["block_size"]),
        }
    )
    found += [{"path": f"{path}.shape.{i}", "kind": "i32"} for i in range(len(block))]
    found += [{"path": f"{path}.strides.{i}", "kind": "i64"} for i in range(len(block))]


def resources(binary: bytes, assembly: str, arch: Arch) -> dict[str, int]:
    """Registers per thread and spilled bytes, if the binary says them."""
    if not isinstance(arch, NvidiaArch):
        return {k: int(n) for k, n in re.findall(r"^; (NumVgprs|NumAgprs|ScratchSize): (\d+)", assembly, re.M)}
    import tempfile

    import triton

    tool = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(binary)
        file.flush()
        said = subprocess.run([str(tool), "-res-usage", file.name], capture_output=True, text=True, check=False).stdout
    found = re.search(r"REG:(\d+) STACK:(\d+)", said)
    return {"registers": int(found[1]), "stack_bytes": int(found[2])} if found else {}


def run(job: dict[str, Any], folder: Path) -> None:
    """Compile every kernel of `job` and write its files into `folder`: PREFIX.cubin, PREFIX.ptx, PREFIX.json."""
    arch = get_arch(job["arch"])
    for prefix, what in job["jobs"].items():
        source = _source(what)
        binary, assembly, described = compile_source(source, arch)
        if described["backend"] == "hip":
            binary, assembly = released(binary, assembly, triton_target(arch), source.options)
        for name, data in zip(FILES[described["backend"]], (binary, assembly.encode()), strict=True):
            (folder / f"{prefix}.{name.split('.')[1]}").write_bytes(data)
        (folder / f"{prefix}.json").write_text(json.dumps(described, indent=1) + "\n")


def _source(what: dict[str, Any]) -> Any:
    spec = spec_from_dict(what["spec"])  # which checks every field: they become constants of the kernel
    return import_module(f".{spec.op}.source", __package__).job_source(what, spec)


def main(argv: list[str] | None = None) -> int:
    """Entry point; the only argument is the job file."""
    path = Path((argv if argv is not None else sys.argv[1:])[0])
    run(read_json(path), path.parent)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
