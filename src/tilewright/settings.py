"""Every option of tilewright, typed, in one place, with the environment variable that sets it.

An option is read from the environment each time `Settings.from_env()` is called; code receives a `Settings` value
rather than reading the environment itself. `in_build_key` marks the options that change what is compiled.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from .errors import TilewrightError

# Idle threads of OpenBLAS sleep after 2**20 turns. By default they spin for longer than any pause between samples and
# then compete for cores with the library that is timed next. OpenBLAS's own times do not change.
QUIET_BLAS = {"OPENBLAS_THREAD_TIMEOUT": "20"}

PREFIX = "TILEWRIGHT_"
MAX_THREADS = 4096  # of one kernel; the runtime keeps a stack for each
MAX_WORKERS = 1024
BUILD_POLICIES = ("wait", "background", "never")
COMMANDS = ("cxx", "cxx_flags")  # texts that are split into words as in a shell
MAX_VALUES = {"threads": MAX_THREADS, "build_workers": MAX_WORKERS, "build_timeout": 1e6, "probe_timeout": 1e6}
_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def _option(default: Any, doc: str, *, in_build_key: bool = False, of_process: bool = False) -> Any:
    return field(default=default, metadata={"doc": doc, "in_build_key": in_build_key, "of_process": of_process})


@dataclass(frozen=True)
class Settings:
    """The options in force.

    >>> Settings.from_env({"TILEWRIGHT_THREADS": "2"}).threads
    2
    """

    cache_dir: str = _option("", "folder of built kernels; empty: the user's cache folder")
    shared_cache: str = _option("", "read-only caches under the user's own, separated by ':'")
    cache_owners: str = _option(
        "",
        "users other than you and root whose cache folders are trusted, by name or number, separated by ','; '*': "
        "everybody, even folders that others can write to",
    )
    import_limit: int = _option(8 << 30, "maximum number of bytes that `cache import` unpacks")
    load_in_place: bool = _option(
        False,
        "load kernels from the cache file itself, for debuggers and profilers; off: from a private copy",
        of_process=True,
    )
    data_dir: str = _option("", "folder of measurements and trained models; empty: the user's data folder")
    threads: int = _option(0, "CPU threads a kernel may use; 0: all cores available to this process")
    build_workers: int = _option(0, "kernels compiled at once; 0: one per core")
    build_timeout: float = _option(300.0, "seconds after which one compile is stopped and recorded as failed")
    probe_timeout: float = _option(30.0, "seconds to wait for a compiler's --version")
    build: str = _option(
        "background",
        "if the best kernel of a call is not built: 'background': run on the best that is there, compile meanwhile, "
        "then switch; 'wait' for the compiler; 'never': use only what is built",
    )
    vendor: bool = _option(True, "let vendor libraries (BLAS, cuDNN, SDPA ...) compete with the kernels of tilewright")
    reproducible: bool = _option(
        False, "one kernel per problem in every run, for results that are equal to the bit: no contest, builds 'wait'"
    )
    strict: bool = _option(False, "turn every recorded fallback into an error")
    quiet: bool = _option(False, "write no notice on stderr while a call waits for a compiler")
    verbose: bool = _option(False, "log each decision on stderr")
    selector: str = _option("chain", "how the default dispatcher ranks candidates")
    ledger: bool = _option(True, "in the data folder, list the problems that 'chain' selects without a measurement")
    sanitize: bool = _option(False, "check launches on an emulated GPU (emu:gfx942); each fault is an error")
    emulated_gpus: str = _option(
        "gfx942", "archs of the GPUs of the emulated HIP runtime, separated by ','", of_process=True
    )
    cxx: str = _option("", "the C++ compiler; empty: g++, then clang++", in_build_key=True)
    cxx_flags: str = _option("", "extra compiler flags for CPU kernels", in_build_key=True)
    cpu_arch: str = _option("", "CPU arch to generate for; empty: the best one that this machine can run")
    kernel_counts: str = _option(
        "", "a file with counts of AMD kernels (`build --verify --counts`), besides the shipped ones", of_process=True
    )
    arch_file: str = _option("", "a JSON file with further archs, applied over the shipped ones", of_process=True)

    def __post_init__(self) -> None:
        """Refuse what a program cannot set for a part of it: the whole process reads these from the environment."""
        for f in fields(self):
            value = getattr(self, f.name)
            if f.metadata["of_process"] and value != f.default:
                text = os.environ.get(PREFIX + f.name.upper())
                if text is None or _parse(f.name, text, type(f.default)) != value:
                    raise TilewrightError(
                        f"{f.name} = {_short(value)} is not in the environment, from which a process reads it",
                        remedy=f"set {PREFIX}{f.name.upper()} before the program starts",
                    )

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
        """Return settings from `TILEWRIGHT_*` variables, then from `overrides` that are not None."""
        env = os.environ if env is None else env
        known = {f.name for f in fields(cls)}
        values: dict[str, Any] = {}
        for name in known:
            text = env.get(PREFIX + name.upper())
            if text is not None:
                values[name] = _parse(name, text, type(getattr(cls, name)))
        unknown = set(overrides) - known
        if unknown:
            raise TilewrightError(f"unknown settings {sorted(unknown)}", remedy=f"use one of {sorted(known)}")
        values.update({k: _given(k, v, type(getattr(cls, k))) for k, v in overrides.items() if v is not None})
        return cls(**values)

    @classmethod
    def documented(cls) -> list[tuple[str, str, str]]:
        """Return (environment variable, default, meaning) of each option, for `doctor` and the docs."""
        return [(PREFIX + f.name.upper(), repr(f.default), f.metadata["doc"]) for f in fields(cls)]

    @classmethod
    def of_process(cls) -> list[str]:
        """Return the settings that belong to a whole process: it reads them from the environment only.

        >>> Settings.of_process()
        ['load_in_place', 'emulated_gpus', 'kernel_counts', 'arch_file']
        """
        return [f.name for f in fields(cls) if f.metadata["of_process"]]

    def to_env(self) -> dict[str, str]:
        """Return the environment variables that give another process these settings.

        >>> Settings(threads=2, strict=True).to_env()["TILEWRIGHT_THREADS"]
        '2'
        """
        return env_of(vars(self))

    def build_key_part(self) -> dict[str, Any]:
        """Return the options that change what is compiled, and so belong to every build key."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.metadata["in_build_key"]}

    @property
    def may_build(self) -> bool:
        """Whether anything may be compiled at run time.

        >>> Settings(build="never").may_build
        False
        """
        return self.build != "never"

    def resolved_threads(self) -> int:
        """Return how many CPU threads to use: the setting, or the cores available to this process."""
        return self.threads if self.threads > 0 else available_cores()

    def resolved_workers(self) -> int:
        """Return how many compilers to run at once."""
        return self.build_workers if self.build_workers > 0 else available_cores()


def env_of(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the environment variables of settings by name.

    Those that a process reads from its environment are left out at their default: the environment may say more.

    >>> env_of({"strict": True, "threads": 2})
    {'TILEWRIGHT_STRICT': '1', 'TILEWRIGHT_THREADS': '2'}
    """
    left = [name for name in Settings.of_process() if values.get(name) == getattr(Settings, name)]
    given = {name: v for name, v in values.items() if name not in left}
    return {PREFIX + name.upper(): str(int(v) if isinstance(v, bool) else v) for name, v in given.items()}


def available_cores() -> int:
    """Return the number of cores available to this process; affinity masks are respected.

    >>> available_cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


_KINDS = {bool: "yes or a no", int: "whole number", float: "number", str: "text"}


def _parse(name: str, text: str, kind: type) -> Any:
    try:
        if kind is bool:
            lowered = text.strip().lower()
            if lowered in _TRUE | _FALSE:
                return lowered in _TRUE
            raise ValueError(text)
        value = kind(text)
    except ValueError:
        raise TilewrightError(
            f"{PREFIX}{name.upper()} is {_short(text)}, which is not a {_KINDS[kind]}",
            remedy="unset it, or set a valid value",
        ) from None
    return _bounded(f"{PREFIX}{name.upper()}", name, value)


def _given(name: str, value: Any, kind: type) -> Any:
    """Check a setting given by a program: it must have its type; an int is valid for a float, a path for text."""
    if kind is str and isinstance(value, os.PathLike):
        value = os.fspath(value)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise TilewrightError(f"the setting {name} is {_short(value)}, which is not a {_KINDS[kind]}")
    return _bounded(f"the setting {name}", name, value)


def _bounded(what: str, name: str, value: Any) -> Any:
    if isinstance(value, str):
        if "\0" in value:
            raise TilewrightError(f"{what} contains a zero byte, which no path or command may have", remedy="remove it")
        if name in COMMANDS:
            _check_quotes(what, value)
        if name == "build" and value not in BUILD_POLICIES:
            raise TilewrightError(f"{what} is {_short(value)}", remedy=f"use one of {', '.join(BUILD_POLICIES)}")
        return value
    most = MAX_VALUES.get(name, float("inf"))
    if not 0 <= value <= most:  # NaN is not
        limit = ">= 0" if value < 0 or most == float("inf") else f"at most {most:,}"
        raise TilewrightError(
            f"{what} is {_short(value)}; it must be {limit}", remedy="unset it or use 0 for the default"
        )
    return value


def _check_quotes(what: str, text: str) -> None:
    import shlex

    try:
        shlex.split(text)
    except ValueError as error:
        raise TilewrightError(
            f"{what} is {_short(text)}, which does not split into words: {error}", remedy="close its quotes"
        ) from None


def _short(value: Any) -> str:
    if type(value) is int and value.bit_length() > 128:
        return f"a whole number of {value.bit_length():,} bits"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
