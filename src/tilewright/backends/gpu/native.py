"""The C launcher of GPU kernels, built at first use and kept in the common cache; ctypes if it cannot be built."""

from __future__ import annotations

import sys
import sysconfig
from functools import cache, partial
from pathlib import Path
from typing import Any

from ...errors import BuildForbiddenError, TilewrightError
from ...jit.artifact import BuildRequest
from ...jit.compiler import find_compiler, linker_flags
from ...jit.loader import import_extension
from ...settings import Settings

SOURCE = Path(__file__).with_name("gpu_launch.cpp")
NAME = "tw_gpu_launch"
FLAGS = ("-std=c++17", "-O2", "-shared", "-fPIC", "-fvisibility=hidden")


def launcher_request(settings: Settings) -> BuildRequest:
    """The build of the launcher against the running Python; its headers enter the key by their version."""
    compiler = find_compiler(settings)
    include = sysconfig.get_paths()["include"]
    return BuildRequest(
        spec_digest="",
        name=NAME,
        inputs={SOURCE.name: SOURCE.read_text(encoding="utf-8")},
        commands=(
            (
                *compiler.argv,
                *FLAGS,
                *linker_flags(compiler, "-Wl,-z,nodelete"),
                f"-I{include}",
                SOURCE.name,
                "-o",
                f"{NAME}.so",
            ),
        ),
        outputs=(f"{NAME}.so",),
        key={"compiler": compiler.fingerprint(), "python": sys.version, "abi": sysconfig.get_config_var("SOABI") or ""},
        timeout=settings.build_timeout,
    )


@cache
def launcher() -> Any:
    """Return the `Launch` class; None if it cannot be built or loaded (`missing_launcher` says why)."""
    return _load()[0]


def missing_launcher() -> str | None:
    """Return why launches go through ctypes, which costs about a microsecond more per call; None if they do not."""
    return _load()[1]


@cache
def _load() -> tuple[Any, str | None]:
    from ...jit.cache import Cache
    from ...jit.use import load_library

    try:
        cache_ = Cache.from_settings(Settings.from_env())
        request, may_build = launcher_request(cache_.settings), cache_.settings.allow_build
        module = load_library(request, cache_, partial(import_extension, NAME), may_build=may_build)
    except BuildForbiddenError:
        return None, "the GPU launcher is not in the cache, and building is switched off"
    except (TilewrightError, OSError) as error:
        return None, str(error)
    return module.Launch, None
