"""`codegen wrappers`: write a translation unit per generated kernel, and the files that build them."""

from __future__ import annotations

from typing import Annotated

import typer

from .codegen_kernels import Teller, Verbose
from .options import AsJson
from .output import print_json

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
    """Write one translation unit per generated kernel, which instantiates it, and the requested build files."""
    from ..backends.ck_tile.toolchain import find_toolchain
    from ..codegen.ck.wrappers import generate_wrappers

    asked = {"ninja": generate_ninja, "makefile": generate_makefile, "cmake": generate_cmake}
    systems = [name for name, wanted in asked.items() if wanted]
    teller = Teller(verbose, as_json)
    toolchain = find_toolchain()
    done = generate_wrappers(
        kernel_dir,
        output_dir,
        toolchain,
        pattern=pattern,
        build_systems=systems,
        main_only=main_only,
        tell=teller.tell,
    )
    teller.finish()
    if as_json:
        units = [{"kernel": u.name, "digest": u.digest, "arch": u.arch, "output": u.output} for u in done.units]
        facts = {"folder": str(done.folder), "toolchain": toolchain.kind, "written": list(done.written)}
        print_json({**facts, "kernels": units, "build_files": list(done.build_files)})
        return
    print(f"{len(done.units)} kernels wrapped in {output_dir} for {toolchain.version} ({toolchain.kind})")
    for name in systems:
        print(f"build with: {HOW[name].format(folder=output_dir)}")
