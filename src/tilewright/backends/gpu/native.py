"""The C launcher of the GPU backend, built at first use through the cache of all builds; ctypes where it cannot be."""

from __future__ import annotations

import sys
import sysconfig
from functools import cache
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from ...errors import TilewrightError
from ...jit.artifact import BuildRequest
from ...jit.compiler import find_compiler, linker_flags
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
    """The `Launch` class, or None where no compiler or no headers are here (`missing_launcher` says why)."""
    return _load()[0]


def missing_launcher() -> str | None:
    """Why launches go through ctypes, which costs about a microsecond more per call; None where they do not."""
    return _load()[1]


@cache
def _load() -> tuple[Any, str | None]:
    from ...jit.cache import Cache
    from ...jit.pool import build_one

    try:
        cache_ = Cache.from_settings(Settings.from_env())
        request = launcher_request(cache_.settings)
        found = cache_.find(request.build_key)
        if found is None and not cache_.settings.allow_build:
            return None, "the GPU launcher is not in the cache, and building is switched off"
        path = str((found or build_one(request, cache_)).file())
    except (TilewrightError, ImportError, OSError) as error:
        return None, str(error)
    loader = ExtensionFileLoader(NAME, path)
    spec = spec_from_file_location(NAME, path, loader=loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module.Launch, None
