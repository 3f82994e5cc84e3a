"""What the GPU backends generate: C++ text of CK Tile, intermediate code of Triton; neither depends on the host."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from replay_digest import digest
from replay_samples import Sample, variant

from tilewright.model.kernel import KernelSpec

# Line numbers and the version that the assembler of this machine asks for say nothing about the kernel.
NOT_CODE = re.compile(r"^\s*(?://.*|\.version .*|\.loc .*|\.file .*)$", re.M)
FLAGS = ("split", "swap_ab", "operands", "reduce", "fold", "cluster", "consumers")


def ck_source(spec: KernelSpec) -> str:
    """Digest of header and wrapper of a CK Tile kernel."""
    from tilewright.backends.ck_tile.ck_revision import REFERENCE
    from tilewright.backends.ck_tile.lower import lower

    made = lower(spec, REFERENCE)
    return digest([made.header_text, made.wrapper_text, list(made.instances)])


def triton_code(samples: Iterable[Sample]) -> dict[str, dict[str, str]]:
    """Digest of what is handed to the Triton compiler, by kernel name and file: intermediate code and options.

    The assembly of programs that share copies is held too: it is changed after the compiler made it.
    """
    found: dict[str, dict[str, str]] = {}
    shares = False
    for spec in _triton_specs(samples):
        files = found[f"code {spec.name}"] = {}
        for prefix, source in _sources(spec):
            files[prefix] = digest([_intermediate(source, spec.arch), _beside(source)])
            if source.cluster > 1 and not shares:
                shares, files[f"{prefix}.ptx"] = True, digest(_assembly(source, spec.arch))
    assert shares
    return found


def _triton_specs(samples: Iterable[Sample]) -> Iterator[KernelSpec]:
    """One kernel for each direction or family, pipeline, and choice that adds steps; each op on every arch."""
    seen: set[Any] = set()
    for spec in (c.spec for sample in samples for c in sample.chosen):
        pipeline, s = variant(spec)[0], spec.signature
        what = spec.op, getattr(s, "direction", ""), getattr(s, "family", ""), pipeline
        shown = {(*what, *(getattr(spec.algorithm, name, None) for name in FLAGS)), (spec.arch, spec.op)}
        if not shown <= seen and pipeline != "gemm":  # a product is the gemm backend's own kernel
            seen |= shown
            yield spec


def _sources(spec: KernelSpec) -> Iterator[tuple[str, Any]]:
    """The compile jobs of a kernel, as the compile process reads them."""
    from tilewright.backends import get_backend_op
    from tilewright.backends.triton.compile_job import _source
    from tilewright.settings import Settings

    request = get_backend_op("triton", spec.op).request(spec, Settings())
    for prefix, job in json.loads(request.inputs["job.json"])["jobs"].items():
        yield prefix, _source(job)


class _CaptureError(Exception):
    """Carries what `triton.compile` was called with."""


def _intermediate(source: Any, arch: str) -> str:
    """Triton's IR before any pass, without locations."""
    import triton
    from triton._C.libtriton import ir
    from triton.compiler import make_backend

    from tilewright.arch import get_arch
    from tilewright.backends.triton.compile_job import compile_source

    def capture(made: Any, target: Any, options: Any) -> None:
        raise _CaptureError(made, target, options)

    original, triton.compile = triton.compile, capture
    try:
        compile_source(source, get_arch(arch))
        raise AssertionError("compile_source no longer calls triton.compile")
    except _CaptureError as captured:
        made, target, options = captured.args
    finally:
        triton.compile = original
    backend = make_backend(target)
    parsed = backend.parse_options({**options, **made.parse_options()})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    functions, modules = backend.get_codegen_implementation(parsed), backend.get_module_map()
    text: str = made.make_ir(target, parsed, functions, modules, context).str_nodebug()
    return text


def _beside(source: Any) -> Any:
    """What decides the machine code besides the intermediate code."""
    return [sorted(source.options.items()), source.cluster, list(source.shared), source.lines]


def _assembly(source: Any, arch: str) -> str:
    from tilewright.arch import get_arch
    from tilewright.backends.triton.compile_job import compile_source

    return NOT_CODE.sub("", compile_source(source, get_arch(arch))[1])
