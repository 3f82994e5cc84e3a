"""One selection library, one bundle and one build of the C++ examples for all tests of bundles."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from bundle_cases import built_library
from installed_tools import with_tools

from tilewright.backends.cpu.detect import host_device
from tilewright.bundle import make_bundle
from tilewright.bundle.pick import pick, rank_kernels
from tilewright.cli.bundle import read_wanted
from tilewright.registry import default_registry
from tilewright.settings import Settings

EXAMPLES = Path(__file__).parents[2] / "examples" / "cpp"


@pytest.fixture(scope="session")
def selection_library() -> Path:
    return built_library(Settings.from_env())


@pytest.fixture(scope="session")
def bundle_folder(tmp_path_factory: pytest.TempPathFactory, selection_library: Path) -> Path:
    """A bundle with the kernels of the C++ examples."""
    settings = Settings.from_env()
    wanted = read_wanted([str(EXAMPLES / "problems.jsonl")])
    rows, specs = rank_kernels(wanted, default_registry(["cpu"]), host_device(settings), 1)
    picked = pick(rows, specs, {digest: {digest: 1} for digest in specs}, None)
    folder = tmp_path_factory.mktemp("bundles") / "examples"
    make_bundle(picked.specs, folder, report=picked.report(), settings=settings)
    return folder


UNDEFINED = ("-fsanitize=undefined", "-fno-sanitize-recover=all")  # undefined behaviour ends a program


@pytest.fixture(scope="session")
def bundle_code(bundle_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The source of a bundle, compiled once: the same for every bundle. Arguments of the compiler that links it."""
    made = tmp_path_factory.mktemp("code") / "tilewright.o"
    flags = ["-std=c++17", "-O0", "-g1", "-fPIC", "-Wall", "-Wextra", "-Werror", *UNDEFINED]
    source = bundle_folder / "src" / "tilewright.cpp"
    subprocess.run(["g++", *flags, f"-I{bundle_folder}/include", "-c", str(source), "-o", str(made)], check=True)
    return (*UNDEFINED, str(made), "-ldl", "-pthread")


@pytest.fixture
def copied_bundle(bundle_folder: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(bundle_folder, tmp_path / "moved" / "copy"))


@pytest.fixture(scope="session")
def example_programs(bundle_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the built C++ examples."""
    env = with_tools("cmake", "ninja")
    build = tmp_path_factory.mktemp("examples")
    configure = ["cmake", "-G", "Ninja", "-S", str(EXAMPLES), "-B", str(build), f"-DCMAKE_PREFIX_PATH={bundle_folder}"]
    for command in ([*configure, "-DCMAKE_CXX_FLAGS=-O0 -Wall -Wextra -Werror"], ["cmake", "--build", str(build)]):
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stdout + done.stderr
    return build
