"""From a spec to a build request: sources to assembly, assembly to a code object, and an inspection of both.

Matrix instructions are counted in the assembly. Assembling it takes a fraction of the compile time, so nothing is
compiled twice.
"""

from __future__ import annotations

from pathlib import Path

from ...jit.artifact import BuildRequest
from ...jit.compiler import find_compiler
from ...model.kernel import KernelSpec
from ...settings import Settings
from .ck_revision import detect
from .inspect import ARGUMENTS, ASSEMBLY, CODE, EXPECT, expectation_text
from .lower import INCLUDE_DIRS, lower
from .toolchain import Toolchain, find_toolchain, header_scan

PACKER, PACKER_OBJECT = "arguments.cpp", "arguments.o"
DEFAULT_TIMEOUT = 1800.0  # seconds; CK kernels of many instances take minutes on shared cores


def request_of(
    spec: KernelSpec,
    settings: Settings,
    *,
    main_only: bool = False,
    assembly_only: bool = False,
    toolchain: Toolchain | None = None,
) -> BuildRequest:
    """Return the build of one CK Tile kernel: a code object for the spec's arch, inspected.

    `main_only` compiles only the kernel for long K; `assembly_only` stops at the assembly, which is enough for checks.
    """
    tools = toolchain or find_toolchain(settings)
    [include] = tools.include_dirs
    source = lower(spec, detect(include))
    instances = source.instances[:1] if main_only else source.instances
    unit, extra = f"{source.name}.cpp", ("-DTW_CK_MAIN_ONLY",) if main_only else ()
    own = tuple(f"-I{folder}" for folder in INCLUDE_DIRS)
    compile_ = tools.command(spec.arch, spec.op, unit, ASSEMBLY, assembly=True, extra=(*extra, *own))
    commands = (compile_,) if assembly_only else (compile_, tools.assemble(spec.arch, ASSEMBLY, CODE))
    packs = bool(source.arguments_text) and not assembly_only
    closure = header_scan((*map(Path, INCLUDE_DIRS), include)).closure(
        source.header_text + (source.arguments_text if packs else "")
    )
    return BuildRequest(
        spec_digest=spec.digest,
        name=spec.name,
        inputs={
            f"{source.name}.hpp": source.header_text,
            unit: source.wrapper_text,
            EXPECT: expectation_text(spec, instances),
            **({PACKER: source.arguments_text} if packs else {}),
        },
        commands=(*commands, *(_packer(tools, spec, own, settings) if packs else ())),
        # The emulator executes the assembly.
        outputs=(ASSEMBLY,) if assembly_only else (CODE, ASSEMBLY, *((ARGUMENTS,) if packs else ())),
        key={"toolchain": tools.identity, "headers": closure.digest},
        inspect="tilewright.backends.ck_tile.inspect:inspect_build",
        # The default limit is meant for CPU kernels, which compile in a second; a limit set by the user is kept.
        timeout=DEFAULT_TIMEOUT if settings.build_timeout == Settings().build_timeout else settings.build_timeout,
        spec=spec.to_dict(),
    )


def _packer(
    tools: Toolchain, spec: KernelSpec, includes: tuple[str, ...], settings: Settings
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the commands of the library of kernel arguments: compiled like device code, linked for this host."""
    compile_ = tools.host_command(spec.arch, spec.op, PACKER, PACKER_OBJECT, includes)
    # No symbol is left to be found when it is loaded.
    return compile_, (*find_compiler(settings).argv, "-shared", "-Wl,-z,defs", PACKER_OBJECT, "-o", ARGUMENTS)
