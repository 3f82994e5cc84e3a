"""What is released: one version, complete data files, metadata that is true; the whole build behind `exhaustive`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tilewright

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
from dist import PACKAGE, missing_files, needed_files, version


@pytest.fixture(scope="module")
def project() -> Any:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def declared(project: Any) -> set[str]:
    """The data files that the patterns of pyproject.toml name, as a wheel names them."""
    patterns = project["tool"]["setuptools"]["package-data"]["tilewright"]
    found = {path for pattern in patterns for path in PACKAGE.glob(pattern) if path.is_file()}
    return {f"tilewright/{path.relative_to(PACKAGE).as_posix()}" for path in found}


def test_every_data_file_is_declared(project: Any) -> None:
    assert needed_files() - declared(project) == set(), "add a pattern to package-data in pyproject.toml"
    assert {"tilewright/py.typed", "tilewright/arch/arch_specs.json", "tilewright/report/templates/report.js"} <= (
        needed_files()
    )


def test_every_pattern_names_a_file(project: Any) -> None:
    patterns = project["tool"]["setuptools"]["package-data"]["tilewright"]
    assert [p for p in patterns if not any(PACKAGE.glob(p))] == []


def test_the_version_is_in_one_place(project: Any) -> None:
    assert "version" not in project["project"]
    assert project["project"]["dynamic"] == ["version"]
    assert version() == tilewright.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", version())


def test_metadata(project: Any) -> None:
    about = project["project"]
    assert (about["license"], about["license-files"]) == ("MIT", ["LICENSE"])
    named = {c.rsplit(" ", 1)[1] for c in about["classifiers"] if re.search(r":: 3\.\d+$", c)}
    assert about["requires-python"] == f">={min(named, key=lambda v: int(v[2:]))}"
    assert "Typing :: Typed" in about["classifiers"]
    extras = about["optional-dependencies"]
    together = set(re.findall(r"[a-z]+", extras["all"][0].split("[")[1]))
    assert {"torch", "triton", "tune", "cluster", "report", "ninja"} <= together <= set(extras) - {"all", "dev"}
    assert any(x.startswith("ninja") for x in extras["ninja"])
    assert about["scripts"] == {"tilewright": "tilewright.cli:main"}


def test_a_file_that_a_wheel_lacks_is_found(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "x.whl", "w") as wheel:
        for name in needed_files() - {"tilewright/py.typed"}:
            wheel.writestr(name, "")
    absent = missing_files(tmp_path / "x.whl")
    assert "tilewright/py.typed" in absent
    assert "tilewright/__init__.py" in absent
    assert "tilewright/arch/arch_specs.json" not in absent


@pytest.mark.exhaustive
def test_the_wheel_builds_installs_and_works(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "dist.py"), "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / f"tilewright-{version()}-py3-none-any.whl").is_file()


@pytest.mark.parametrize("path", sorted((ROOT / "docker").glob("*.Dockerfile")), ids=lambda p: p.name)
def test_images_copy_what_is_there_and_install_extras_that_exist(path: Path, project: Any) -> None:
    text = path.read_text()
    for words in re.findall(r"^COPY (.+) /src/", text, re.MULTILINE):
        assert [w for w in words.split() if not (ROOT / w).exists()] == []
    (extras,) = re.findall(r"'/src\[([a-z,]+)\]'", text)
    assert set(extras.split(",")) <= set(project["project"]["optional-dependencies"])
    assert 'ENTRYPOINT ["tilewright"]' in text
    assert "USER worker" in text  # a cache of root would not be read by others
