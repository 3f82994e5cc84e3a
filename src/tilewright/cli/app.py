"""All commands, and how their failures are reported."""

from __future__ import annotations

import contextlib
import functools
import io
import logging
import os
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import typer

from .. import __version__
from ..errors import TilewrightError
from ..settings import Settings
from . import (
    EXIT_INTERRUPTED,
    arch,
    bench,
    build,
    bundle,
    cache,
    capture,
    codegen,
    codegen_conv,
    codegen_fmha,
    codegen_gemm,
    codegen_wrappers,
    data,
    demo,
    doctor,
    emulate,
    evaluate,
    execute,
    explain,
    report,
    show,
    stress,
    support,
    toolchain,
    tune,
)
from .output import say

EXIT_FAILURE = 1


def _new_app(help: str) -> typer.Typer:
    return typer.Typer(
        help=help,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,  # plain help: quick to start, easy to read in a pipe
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


app = _new_app("Declare kernels, check them against the hardware, build, select, run, verify and time them.")


def _example(*lines: str) -> str:
    """Return the part of a help text with examples; lines too long for 80 columns go on below, before an option."""
    shown = []
    for line in lines:
        bound = line.replace(" ", "\0").replace("\0--", " --")
        parts = textwrap.wrap(bound, 74, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        shown.append(" \\\n".join(f"  {part}" for part in parts).replace("\0", " "))
    return "\b\nExample:\n" + "\n".join(shown)


class _Interrupted(Exception):  # noqa: N818 - not an error
    """Ctrl-C, as a type that the command-line library does not handle itself."""


class _ReaderGone(Exception):  # noqa: N818 - not an error
    """The reader of the output, such as `head`, has closed it."""


def _add(parent: typer.Typer, name: str, function: Callable[..., Any], *examples: str) -> None:
    @functools.wraps(function)
    def command(*args: Any, **options: Any) -> Any:
        try:
            result = function(*args, **options)
            sys.stdout.flush()
            return result
        except KeyboardInterrupt:
            raise _Interrupted from None
        except BrokenPipeError:
            raise _ReaderGone from None

    # Given in full: a list of commands would otherwise cut it at the end of the line.
    parent.command(name, epilog=_example(*examples), short_help=(function.__doc__ or "").split("\n")[0])(command)


_P = """'{"op":"gemm","m":512,"n":512,"k":512,"dtype":"fp32"}'"""

_add(app, "doctor", doctor.doctor, "tilewright doctor", "tilewright doctor --json")
_add(app, "demo", demo.demo, "tilewright demo")
_add(app, "support", support.support, "tilewright support", "tilewright support --arch gfx942")
_add(app, "select", explain.select, f"tilewright select {_P}", "tilewright select problems.jsonl --json")
_add(app, "explain", explain.explain, f"tilewright explain {_P}", f"tilewright explain {_P} --arch gfx942 --all")
_add(
    app,
    "build",
    build.build,
    f"tilewright build {_P} --top 4",
    "tilewright build problems.jsonl --workers 2",
    "tilewright build --backend ck_tile --arch gfx942 --set fp16_rcr_essential",
)
_add(
    app,
    "bundle",
    bundle.bundle,
    f"tilewright bundle {_P} --out my_bundle",
    "tilewright bundle --problems trace.jsonl --max-size 50MB --arch x86_64_v3 --out my_bundle",
)
_add(app, "cpp", bundle.cpp, "tilewright cpp", "c++ $(tilewright cpp --cflags --source) program.cpp -ldl")
_add(app, "show", show.show, "tilewright show gemm_ck_tile_gfx942_...", "tilewright show 1a2b3c4d --json")
_add(app, "run", execute.run, f"tilewright run {_P} --check")
_add(
    app,
    "emulate",
    emulate.emulate,
    "tilewright emulate kernel.co --kernel scale --grid 4 --block 256 --args 'f32[1024]=random f32=2.0'",
    "tilewright emulate kernel.s --args 'f32[64]=zeros' --save 0=out.npy --trace -",
)
_add(app, "bench", bench.bench, "tilewright bench problems.jsonl --compare torch,numpy --out results.jsonl")
_add(
    app,
    "capture",
    capture.capture,
    "tilewright capture -- python train.py --steps 2",
    "tilewright capture --out net.jsonl -- python -m my_package.serve",
)

_add(app, "tune", tune.tune, "tilewright tune --budget 60s", "tilewright tune problems.jsonl --budget 10m --threads 2")
_add(app, "train", evaluate.train, "tilewright train", "tilewright train dataset.parquet --out models --warm")
_add(app, "evaluate", evaluate.evaluate, "tilewright evaluate", "tilewright evaluate dataset.parquet --plots plots")
_add(app, "ledger", data.ledger, "tilewright ledger", "tilewright ledger --problems | tilewright tune -")

_add(
    app, "stress", stress.stress, "tilewright stress --samples 500 --seed 1", "tilewright stress --budget 60s --op gemm"
)
_add(
    app,
    "report",
    report.report,
    "tilewright report results.jsonl selection.json --out report.html",
    "tilewright report",
)

data_app = _new_app("Measurements: your own store, and files from elsewhere.")
app.add_typer(data_app, name="data")
_add(data_app, "show", data.show, "tilewright data show --limit 10", "tilewright data show dataset.parquet")
_add(data_app, "merge", data.merge, "tilewright data merge other.parquet machine2.jsonl.gz")
_add(data_app, "union", data.union, "tilewright data union hosts/*.parquet --out all.parquet")
_add(data_app, "export", data.export, "tilewright data export dataset.parquet --op gemm")

arch_app = _new_app("The arch facts: what each GPU and CPU architecture can do.")
app.add_typer(arch_app, name="arch")
_add(arch_app, "list", arch.list_archs, "tilewright arch list")
_add(arch_app, "show", arch.show, "tilewright arch show gfx942")
_add(arch_app, "check", arch.check, "tilewright arch check", "tilewright arch check my_archs.json")
_add(arch_app, "convert", arch.convert, "tilewright arch convert ck/arch_specs.json --out my_archs.json")
_add(arch_app, "export", arch.export, "tilewright arch export --format cpp --out arch_specs.hpp")

toolchain_app = _new_app("Compilers for GPUs that this machine does not have.")
app.add_typer(toolchain_app, name="toolchain")
_add(toolchain_app, "list", toolchain.list_toolchains, "tilewright toolchain list")
_add(toolchain_app, "install", toolchain.install, "tilewright toolchain install amdgpu")
_add(toolchain_app, "check", toolchain.check, "tilewright toolchain check amdgpu --arch gfx942")
_add(
    toolchain_app,
    "command",
    toolchain.command,
    "tilewright toolchain command amdgpu",
    "$(tilewright toolchain command --arch gfx942) -O2 -g -S kernel.hip -o kernel.s",
)
_add(toolchain_app, "remove", toolchain.remove, "tilewright toolchain remove amdgpu")

cache_app = _new_app("The cache of built kernels.")
app.add_typer(cache_app, name="cache")
_add(cache_app, "info", cache.info, "tilewright cache info --json")
_add(cache_app, "verify", cache.verify, "tilewright cache verify")
_add(cache_app, "prune", cache.prune, "tilewright cache prune --max-size 500MB --older-than 30d")
_add(cache_app, "clear", cache.clear, "tilewright cache clear")
_add(cache_app, "export", cache.export, "tilewright cache export kernels.tar.gz")
_add(cache_app, "import", cache.import_, "tilewright cache import kernels.tar.gz")

codegen_app = _new_app("Generators of code and of reference pages.")
app.add_typer(codegen_app, name="codegen")
_add(codegen_app, "docs", codegen.docs, "tilewright codegen docs --out docs/reference")
_add(
    codegen_app,
    "gemm",
    codegen_gemm.gemm,
    "tilewright codegen gemm --preselected fp16_rcr_essential --gpu-target gfx942 --output-dir out",
    "tilewright codegen gemm --datatype bf16 --layout rcr --variants standard preshuffle multi_d",
)
_add(
    codegen_app,
    "fmha",
    codegen_fmha.fmha,
    "tilewright codegen fmha --family fwd --receipt flash --gpu-target gfx942 --output-dir out",
    "tilewright codegen fmha --family bwd --receipt pytorch --datatype bf16 --hdim 128",
)
_add(
    codegen_app,
    "conv",
    codegen_conv.conv,
    "tilewright codegen conv --variant forward backward_data --ndim-spatial 2 --gpu-target gfx942",
)
_add(
    codegen_app,
    "wrappers",
    codegen_wrappers.wrappers,
    "tilewright codegen wrappers --kernel-dir out --output-dir w --generate-ninja && ninja -C w",
)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"tilewright {__version__}")
        raise typer.Exit()


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", is_eager=True, callback=_print_version, help="Show the version."),
) -> None:
    pass


def run(arguments: Sequence[str]) -> int:
    """Run one command and return the exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    _open_streams()
    try:
        with _notes_on_stderr():
            app(list(arguments), prog_name="tilewright")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else EXIT_FAILURE
    except (_Interrupted, KeyboardInterrupt):
        _print_error("interrupted; finished work is kept")
        return EXIT_INTERRUPTED
    except (_ReaderGone, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader needs no more
        return 0
    except TilewrightError as error:
        if _wants_traceback():
            raise
        _print_error(str(error))
        return EXIT_FAILURE
    except (MemoryError, OSError) as error:
        if _wants_traceback():
            raise
        _print_error(_shortage(error))
        return EXIT_FAILURE
    except Exception as error:
        if _wants_traceback():
            raise
        _print_error(
            f"internal error (please report it): {type(error).__name__}: {error}. "
            "TILEWRIGHT_VERBOSE=1 shows the traceback."
        )
        return EXIT_FAILURE
    return 0


def _open_streams() -> None:
    """Replace closed standard streams by empty ones, lowest number first.

    Otherwise Python has None in their place, and the next opened file gets the file descriptor of the terminal.
    What the encoding of the terminal lacks is written as an escape.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None or stream.closed:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - lives as long as the process
        elif isinstance(stream, io.TextIOWrapper) and mode == "w" and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def _shortage(error: MemoryError | OSError) -> str:
    """Return what the operating system refused, in words; neither is a defect of tilewright."""
    if isinstance(error, MemoryError):
        return f"not enough memory: {error or 'an allocation failed'}. Fix: use smaller problems."
    place = f" ({error.filename})" if error.filename else ""
    return f"operating system error: {error.strerror or error}{place}."


def _print_error(text: str) -> None:
    """Print one paragraph on stderr, fitted to the terminal."""
    say(f"tilewright: {' '.join(text.split())}")


def _wants_traceback() -> bool:
    return os.environ.get("TILEWRIGHT_VERBOSE", "").strip().lower() in {"1", "true", "yes", "on"}


@contextlib.contextmanager
def _notes_on_stderr() -> Iterator[None]:
    """Show warnings as notes, and those of the log at the end; TILEWRIGHT_VERBOSE shows the whole log instead.

    Nothing of the log is shown after an error, which says what went wrong. Everything is restored afterwards, for
    programs that run commands in their own process.
    """
    log, shown = logging.getLogger("tilewright"), warnings.showwarning
    before, notes = (log.propagate, list(log.handlers), log.level), _Notes(logging.WARNING)
    try:
        warnings.showwarning = _show_warning
        log.propagate = False
        if not Settings.from_env().verbose and not log.handlers:
            log.addHandler(notes)
        yield
    except SystemExit:
        notes.show()
        raise
    else:
        notes.show()
    finally:
        warnings.showwarning = shown
        log.propagate, log.handlers[:], log.level = before


class _Notes(logging.Handler):
    """Keeps the messages of the log, each once."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._texts: dict[str, None] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one message."""
        self._texts[record.getMessage()] = None

    def show(self) -> None:
        """Print the messages as notes."""
        for text in self._texts:
            _print_error(f"note: {text}")


def _show_warning(message: Any, category: Any, *_: Any, **__: Any) -> None:
    _print_error(f"note: {message}")
