"""What is released: one version, complete data files, metadata that is true; the whole build behind `exhaustive`."""

from __future__ import annotations

import re
import shutil
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
from dist import PACKAGE, fresh_environment, missing_files, needed_files, version


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


def test_the_citation_and_the_changelog_name_this_version() -> None:
    assert f"\nversion: {version()}\n" in (ROOT / "CITATION.cff").read_text()
    assert re.search(rf"^## {re.escape(version())} \(\d{{4}}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text(), re.M)


def test_every_fragment_has_a_kind(project: Any) -> None:
    kinds = {kind["directory"] for kind in project["tool"]["towncrier"]["type"]}
    fragments = [path for path in (ROOT / "changes").iterdir() if path.name != "README.md"]
    form = rf"\+[\w-]+\.({'|'.join(kinds)})\.md"
    assert [path.name for path in fragments if not re.fullmatch(form, path.name)] == []
    assert [path.name for path in fragments if not path.read_text().strip()] == []


def test_the_workflow_runs_both_kinds_of_cpu() -> None:
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    assert "machine: [ubuntu-24.04, ubuntu-24.04-arm]" in text
    assert "run: make test\n" in text


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


DOCKERFILES = sorted((ROOT / "docker").glob("*.Dockerfile"))


def copied(dockerfile: Path) -> list[str]:
    """Return the files and folders of the checkout that an image is built from."""
    lines = re.findall(r"^COPY (.+) /src/", dockerfile.read_text(), re.MULTILINE)
    return [word for line in lines for word in line.split()]


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda p: p.name)
def test_images_copy_what_a_build_reads(path: Path, project: Any) -> None:
    about, find = project["project"], project["tool"]["setuptools"]["packages"]["find"]
    needed = {"pyproject.toml", about["readme"], *about["license-files"], *find["where"]}
    assert sorted(copied(path)) == sorted(needed)
    assert [word for word in needed if not (ROOT / word).exists()] == []


@pytest.mark.exhaustive
def test_what_images_copy_suffices_to_install(tmp_path: Path) -> None:
    """From these files alone pip makes a package with all of its data, and the command works."""
    assert len({tuple(copied(path)) for path in DOCKERFILES}) == 1
    for word in copied(DOCKERFILES[0]):
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        place = tmp_path / "src" / word
        if (ROOT / word).is_dir():
            shutil.copytree(ROOT / word, place, ignore=ignored)
        else:
            place.parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / word, place)
    made = fresh_environment(sys.executable, tmp_path / "venv", tmp_path / "src")
    shutil.rmtree(tmp_path / "src")
    program = "import tilewright; print(tilewright.__file__)"
    where: dict[str, Any] = {"cwd": tmp_path, "env": {"PATH": ""}, "check": True}
    asked = subprocess.run([made, "-c", program], stdout=subprocess.PIPE, text=True, **where)
    package = Path(asked.stdout.strip()).parent
    assert [name for name in needed_files() if not (package.parent / name).is_file()] == []
    subprocess.run([made.with_name("tilewright"), "--version"], **where)


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda p: p.name)
def test_images_install_extras_that_exist_and_run_as_a_plain_user(path: Path, project: Any) -> None:
    text = path.read_text()
    (extras,) = re.findall(r"'/src\[([a-z,]+)\]'", text)
    assert set(extras.split(",")) <= set(project["project"]["optional-dependencies"])
    assert " python3-dev " in text  # the C launcher needs Python.h
    assert 'ENTRYPOINT ["tilewright"]' in text
    assert "USER worker" in text  # a cache of root would not be read by others
