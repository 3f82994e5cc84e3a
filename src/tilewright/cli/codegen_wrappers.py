"""`codegen wrappers`: write a translation unit per generated kernel, and the files that build them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .codegen_kernels import FileProgress, Verbose
from .options import AsJson
from .output import note, print_json

if TYPE_CHECKING:
    from ..backends.ck_tile.toolchain import Toolchain

KernelDir = Annotated[str, typer.Option("--kernel-dir", metavar="FOLDER", help="Folder of the generated headers.")]
OutputDir = Annotated[
    str, typer.Option("--output-dir", metavar="FOLDER", help="Output folder of wrappers and build files.")
]
Pattern = Annotated[str, typer.Option("--pattern", metavar="GLOB", help="Which headers to wrap.")]
Cmake = Annotated[bool, typer.Option("--generate-cmake", help="Write CMakeLists.txt.")]
Ninja = Annotated[bool, typer.Option("--generate-ninja", help="Write build.ninja.")]
Makefile = Annotated[bool, typer.Option("--generate-makefile", help="Write a Makefile.")]
Parallel = Annotated[
    bool, typer.Option("--parallel/--no-parallel", help="Accepted for the CK dispatcher's sake; has no effect.")
]
MainOnly = Annotated[
    bool, typer.Option("--main-only", help="Compile only the kernel for long K of each, for a quick check.")
]
SHOWN = 5
HOW = {
    "ninja": "ninja -C {folder}",
    "makefile": "make -C {folder} -j2",
    "cmake": "cmake -S {folder} -B {folder}/build && cmake --build {folder}/build --parallel 2",
}


def wrappers(
    kernel_dir: KernelDir,
    output_dir: OutputDir,
    pattern: Pattern = "*.hpp",
    generate_cmake: Cmake = False,
    generate_ninja: Ninja = False,
    generate_makefile: Makefile = False,
    parallel: Parallel = True,
    main_only: MainOnly = False,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> None:
    """Write one translation unit per generated kernel, which instantiates it, and the requested build files.

    No compiler is needed. If one is found, `build.ninja` and the Makefile call it; otherwise they call hipcc.
    """
    from ..codegen.ck.wrappers import generate_wrappers

    asked = {"ninja": generate_ninja, "makefile": generate_makefile, "cmake": generate_cmake}
    systems = [name for name, wanted in asked.items() if wanted]
    progress = FileProgress(verbose, as_json)
    toolchain = _toolchain()
    done = generate_wrappers(
        kernel_dir,
        output_dir,
        toolchain,
        pattern=pattern,
        build_systems=systems,
        main_only=main_only,
        on_file=progress.add,
    )
    progress.finish()
    if as_json:
        units = [{"kernel": u.name, "digest": u.digest, "arch": u.arch, "output": u.output} for u in done.units]
        kind = toolchain.kind if toolchain is not None else "none"
        facts = {"folder": str(done.folder), "toolchain": kind, "written": list(done.written),
                 "removed": list(done.removed)}  # fmt: skip
        print_json({**facts, "kernels": units, "build_files": list(done.build_files)})
        return
    written, count = done.wrappers_written, len(done.units)
    print(f"{count} wrappers in {output_dir}: {written} written, {count - written} unchanged")
    if done.removed:
        more = f" and {len(done.removed) - SHOWN} more" if len(done.removed) > SHOWN else ""
        shown = ", ".join(done.removed[:SHOWN]) + more
        note(f"removed what an earlier run wrote and this one was not asked for: {shown}")
    if toolchain is None:
        note("no compiler for AMD GPUs was found: build files are for hipcc on the machine that builds")
    elif systems:
        print(f"built by {toolchain.version} ({toolchain.kind})")
    for name in systems:
        print(f"build with: {HOW[name].format(folder=output_dir)}")


def _toolchain() -> Toolchain | None:
    """Return the compiler for AMD GPUs, None if there is none."""
    from ..backends.ck_tile.toolchain import find_toolchain
    from ..errors import ToolchainError

    try:
        return find_toolchain()
    except ToolchainError:
        return None
