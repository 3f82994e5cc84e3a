"""Variants of Triton's AMD GEMM kernels that are worse in one known way, compiled for real."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tilewright.arch import get_arch
from tilewright.backends.triton.compile_job import compile_source
from tilewright.backends.triton.gemm import TritonGemm
from tilewright.backends.triton.gemm.launch import open_kernels
from tilewright.backends.triton.gemm.source import source_of
from tilewright.model.kernel import KernelSpec
from tilewright.ops.gemm.signature import GemmSignature
from tilewright.settings import Settings
from tilewright.tune.verify.count import count_kernel

BINARY, TEXT, FACTS = "kernel.hsaco", "kernel.amdgcn", "kernel.json"


def gemm(arch: str, dtype: str = "fp16", **algorithm: Any) -> KernelSpec:
    """Return a Triton GEMM for an AMD GPU, of two stages unless the algorithm says otherwise."""
    acc = "int32" if dtype == "int8" else "fp32"
    out = "int32" if dtype == "int8" else dtype
    return KernelSpec(
        "gemm", "triton", arch, GemmSignature(dtype, dtype, acc, out), TritonGemm(**{"stages": 2, **algorithm})
    )


@contextmanager
def without_swizzle() -> Iterator[None]:
    """Let Triton lay tiles out in LDS row by row: lanes that read a column then meet in one bank."""
    from triton._C.libtriton import ir
    from triton.backends.amd.compiler import HIPBackend

    made = HIPBackend.make_llir

    def flat(src: Any, metadata: Any, options: Any) -> Any:
        text, count = re.subn(r"maxPhase = \d+", "maxPhase = 1", str(src))
        assert count, "no swizzled layout in this kernel"
        with tempfile.NamedTemporaryFile("w", suffix=".ttgir") as file:
            file.write(text)
            file.flush()
            module = ir.parse_mlir_module(file.name, src.context)
        module.context = src.context
        return made(module, metadata, options)

    HIPBackend.make_llir = staticmethod(flat)
    try:
        yield
    finally:
        HIPBackend.make_llir = staticmethod(made)


def compiled(spec: KernelSpec, folder: Path, *, options: Mapping[str, Any] | None = None, swizzle: bool = True) -> None:
    """Compile the product of a spec into a folder, with other options of the compiler or without swizzled LDS."""
    import triton

    source = source_of(spec)
    source.options.update(options or {})
    with tempfile.TemporaryDirectory() as cache, triton.knobs.cache.scope():
        triton.knobs.cache.dir = cache  # a variant must not be found in place of the kernel
        if swizzle:
            binary, text, facts = compile_source(source, get_arch(spec.arch))
        else:
            with without_swizzle():
                binary, text, facts = compile_source(source, get_arch(spec.arch))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / BINARY).write_bytes(binary)
    (folder / TEXT).write_text(text)
    (folder / FACTS).write_text(json.dumps(facts))


def with_descriptor(folder: Path, to: Path, *, registers: int = 0, lds_bytes: int = 0) -> None:
    """Copy a compiled kernel that asks for more registers or LDS than it uses, so that fewer blocks are resident."""
    to.mkdir(parents=True, exist_ok=True)
    text, facts = (folder / TEXT).read_text(), json.loads((folder / FACTS).read_text())
    if registers:
        text = re.sub(r"(\.amdhsa_next_free_vgpr) .*", rf"\1 {registers}", text)
    facts["shared"] = max(facts["shared"], lds_bytes)
    (to / BINARY).write_bytes((folder / BINARY).read_bytes())
    (to / TEXT).write_text(text)
    (to / FACTS).write_text(json.dumps(facts))


def counted(spec: KernelSpec, folder: Path) -> dict[str, Any]:
    """Return the counts of a compiled product."""
    row = count_kernel(spec, open_kernels(spec, folder), Settings.from_env())
    assert row is not None, spec.name
    return row
