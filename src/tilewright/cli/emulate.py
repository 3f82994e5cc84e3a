"""`emulate`: execute a kernel of any code object or assembly text on the AMD emulator, under the sanitizer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from math import prod
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import KernelArgumentError
from .options import AsJson, Seed
from .output import print_json

File = Annotated[
    str, typer.Argument(metavar="FILE", help="A code object (.co, .hsaco) or assembly text (.s, .amdgcn).")
]
KernelName = Annotated[str, typer.Option("--kernel", metavar="NAME", help="The kernel; empty: the only one.")]
Grid = Annotated[str, typer.Option("--grid", metavar="X,Y,Z", help="Workgroups in each dimension.")]
Block = Annotated[str, typer.Option("--block", metavar="X,Y,Z", help="Work items of a workgroup in each dimension.")]
Arguments = Annotated[
    list[str],
    typer.Option(
        "--args",
        metavar="TEXT",
        help="Arguments, separated by blanks; may be repeated. A number: i32=5. An array: f16[128,64]=random; also "
        "zeros, ones, arange, a number, or a .npy file.",
    ),
]
Save = Annotated[
    list[str], typer.Option("--save", metavar="N=FILE", help="Write argument N (from 0) to a .npy file; repeatable.")
]
Expect = Annotated[
    list[str],
    typer.Option("--expect", metavar="N=FILE", help="Compare argument N with a .npy file; exit with 1 if it differs."),
]
Tolerance = Annotated[
    float, typer.Option("--tolerance", metavar="X", min=0, help="Largest difference that --expect allows.")
]
ArchOfBundle = Annotated[str, typer.Option("--arch", metavar="ARCH", help="The arch, if the file holds several.")]
Lds = Annotated[int, typer.Option("--lds", metavar="BYTES", min=0, help="Dynamic LDS of the launch.")]
NoSanitizer = Annotated[bool, typer.Option("--no-sanitize", help="Do not check for races, missing waits and so on.")]
Traced = Annotated[str, typer.Option("--trace", metavar="FILE", help="Write each executed instruction; - for here.")]

HOW = "write i32=5 or f16[8,8]=random"
ARGUMENT = re.compile(r"(?P<type>\w+)(?:\[(?P<shape>[\d,\s]*)\])?=(?P<value>.+)")
TYPES = {
    "f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16", "fp8": "float8_e4m3fn",
    "bf8": "float8_e5m2", "fp8_fnuz": "float8_e4m3fnuz", "bf8_fnuz": "float8_e5m2fnuz",
    **{f"{letter}{bits}": f"{'u' if letter == 'u' else ''}int{bits}" for letter in "iu" for bits in (8, 16, 32, 64)},
}  # fmt: skip


def emulate(
    file: File,
    kernel: KernelName = "",
    grid: Grid = "1",
    block: Block = "64",
    args: Arguments = [],  # noqa: B006 - the command-line library copies it
    save: Save = [],  # noqa: B006
    expect: Expect = [],  # noqa: B006
    tolerance: Tolerance = 0.0,
    arch: ArchOfBundle = "",
    lds: Lds = 0,
    no_sanitize: NoSanitizer = False,
    trace: Traced = "",
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Execute a kernel on the AMD emulator and report what the sanitizer found.

    Any code object for gfx908, gfx90a, gfx942, gfx950, gfx1100, gfx1200 or gfx1201 is taken apart by llvm-objdump.
    Findings name the source line if the file has line tables.
    """
    from ..arch import get_arch
    from ..backends.gpu.emulated.code_object import load_kernel
    from ..emulator import Tally
    from ..emulator import emulate as execute

    found = load_kernel(file, kernel, arch)
    values = [_value(text, seed + n) for n, text in enumerate(_words(args))]
    wanted = [_numbered(text, len(values)) for text in expect]
    saved = [_numbered(text, len(values)) for text in save]
    tally = Tally(getattr(get_arch(found.isa.name), "lds_banks", 32))
    with ExitStack() as stack:
        report = execute(
            found, found.name, values, _sizes("grid", grid), _sizes("block", block), not no_sanitize,
            dynamic_lds=lds, tally=tally, trace=_tracer(trace, stack),
        )  # fmt: skip
    for at, path in saved:
        _save(values[at], path)
    errors = {at: _difference(values[at], path) for at, path in wanted}
    counts = {name: number for name, number in tally.counts(found).items() if number}
    wrong = [at for at, error in errors.items() if not error <= tolerance]
    if as_json:
        print_json({
            "kernel": found.name, "arch": found.isa.name, "wave_instructions": report.wave_instructions,
            "counts": counts, "findings": [{**vars(f), "text": str(f)} for f in report.findings],
            "errors": {str(at): error for at, error in errors.items()}, "wrong": wrong,
        })  # fmt: skip
    else:
        _show(report, counts, errors, tolerance)
    if wrong or report.findings:
        raise typer.Exit(1)


def _show(report: Any, counts: dict[str, int], errors: dict[int, float], tolerance: float) -> None:
    from ..report.tables import Table

    print(report)
    table = Table(["executed", "count"], right=["count"])
    for name, number in counts.items():
        table.add(name.replace("_", " "), f"{number:,}")
    print()
    table.show()
    for at, error in errors.items():
        print(f"argument {at}: {'ok' if error <= tolerance else 'WRONG'}, largest difference {error:.3g}")


def _words(args: Sequence[str]) -> list[str]:
    """Split the texts of arguments at blanks that no bracket encloses."""
    from ..emulator.instruction import split_outside

    return [word for text in args for word in split_outside(text, blanks=True)]


def _sizes(name: str, text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise KernelArgumentError(f"--{name} {text!r} is not one to three numbers", remedy="write 8,8,1") from None


def _numbered(text: str, count: int) -> tuple[int, Path]:
    number, _, path = text.partition("=")
    if not number.isdigit() or not path or int(number) >= count:
        raise KernelArgumentError(f"{text!r} names no argument", remedy=f"write N=FILE.npy, N from 0 to {count - 1}")
    return int(number), Path(path)


def _value(text: str, seed: int) -> Any:
    """Return the number or array that the text of an argument describes."""
    match = ARGUMENT.fullmatch(text)
    if match is None or match["type"] not in TYPES:
        raise KernelArgumentError(f"{text!r} is no argument", remedy=f"{HOW}; types: {', '.join(TYPES)}")
    dtype = _dtype(match["type"])
    try:
        if match["shape"] is None:
            if match["value"].endswith(".npy"):
                raise ValueError("a file needs a shape")
            value = float(match["value"]) if dtype.kind in "fV" else int(match["value"], 0)
            return dtype.type(value)
        shape = tuple(int(part) for part in match["shape"].split(","))
        return _array(match["value"], dtype, shape, seed)
    except (ValueError, OverflowError) as error:
        raise KernelArgumentError(f"{text!r} is no argument: {error}", remedy=HOW) from None


def _dtype(name: str) -> Any:
    import ml_dtypes
    import numpy as np

    found = TYPES[name]
    return np.dtype(getattr(ml_dtypes, found, None) or found)


def _array(text: str, dtype: Any, shape: tuple[int, ...], seed: int) -> Any:
    import numpy as np

    from ..emulator.memory import LIMIT

    if prod(shape) * dtype.itemsize > LIMIT:
        raise ValueError(f"{prod(shape) * dtype.itemsize:,} bytes; the emulator has {LIMIT:,}")
    if text.endswith(".npy"):
        return np.ascontiguousarray(_loaded(Path(text), dtype, shape))
    if text == "random":
        rng = np.random.default_rng(seed)
        whole = dtype.kind in "iu"
        return (rng.integers(0, 100, shape) if whole else rng.standard_normal(shape, np.float32)).astype(dtype)
    if text == "arange":
        return np.arange(prod(shape)).reshape(shape).astype(dtype)
    fill = {"zeros": 0, "ones": 1}.get(text)
    return np.full(shape, float(text) if fill is None else fill).astype(dtype)


def _loaded(path: Path, dtype: Any, shape: tuple[int, ...] | None = None) -> Any:
    """Return the array of a file; bits of a dtype that NumPy does not name are taken as they are."""
    import numpy as np

    try:
        found = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise KernelArgumentError(f"{path} is no array ({error})", remedy="write it with numpy.save") from None
    if found.dtype.kind == "V" and found.dtype.itemsize == dtype.itemsize:
        found = found.view(dtype)
    if shape is not None and (found.shape != shape or found.dtype != dtype):
        got = f"{found.dtype.name}{list(found.shape)}"
        raise KernelArgumentError(
            f"{path} holds {got}, not {dtype.name}{list(shape)}", remedy="name its type and shape"
        )
    return found


def _save(array: Any, path: Path) -> None:
    import numpy as np

    try:
        with path.open("wb") as out:
            np.save(out, array)
    except OSError as error:
        raise KernelArgumentError(f"{path} cannot be written: {error.strerror}", remedy="check the path") from None


def _difference(array: Any, path: Path) -> float:
    """Return the largest difference from the array of a file; NaN if one has a NaN and the other has none."""
    import numpy as np

    wanted = _loaded(path, array.dtype)
    if wanted.size != array.size:
        raise KernelArgumentError(f"{path} holds {wanted.size} numbers, not {array.size}", remedy="check --expect")
    got, want = array.astype(np.float64).reshape(-1), wanted.astype(np.float64).reshape(-1)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(all="ignore"):
        return float(np.where(same, 0.0, np.abs(got - want)).max(initial=0.0))


def _tracer(path: str, stack: ExitStack) -> Callable[[str], None] | None:
    if not path:
        return None
    if path == "-":
        return print
    try:
        out = open(path, "w", encoding="utf-8")  # noqa: SIM115 - closed with the stack
    except OSError as error:
        raise KernelArgumentError(f"{path} cannot be written: {error.strerror}", remedy="check --trace") from None
    stack.enter_context(out)
    return lambda line: print(line, file=out)
