"""The site has every page, links between pages resolve, and pages that promise to be complete are."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from snippets import ROOT

from tilewright import errors
from tilewright.arch.catalog import SPECS, default_catalog
from tilewright.arch.export import export

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
CONFIG = (ROOT / "mkdocs.yml").read_text()
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
ANCHOR = re.compile(r"\]\(([\w./-]*)#([^)\s]+)\)")


def pages_of_nav() -> list[str]:
    return re.findall(r"^ +- .*: (\S+\.md)$", CONFIG.split("\nnav:\n")[1], re.MULTILINE)


def slug(heading: str) -> str:
    """The anchor of a heading, as the site and code forges make it."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def test_the_nav_names_every_page_once() -> None:
    outside = set(re.findall(r'": "(\S+\.md)"', (ROOT / "scripts" / "site_hooks.py").read_text()))
    assert len(outside) >= 4
    assert sorted(pages_of_nav()) == sorted({str(p.relative_to(DOCS)) for p in PAGES} | outside)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_anchors_of_links_exist(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for name, anchor in ANCHOR.findall(text):
        target = (page.parent / name) if name else page
        assert anchor in {slug(h) for h in HEADING.findall(target.read_text())}, f"{page.name}: {name}#{anchor}"


def test_troubleshooting_has_every_error() -> None:
    listed = re.findall(r"^\| `(\w+Error)` \|", (DOCS / "troubleshooting.md").read_text(), re.MULTILINE)
    named = [n for n, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, errors.TilewrightError)]
    bases = {"TilewrightError", "EmulatorError"}  # described above the tables
    assert sorted(listed) == sorted({*named, "TranslationError"} - bases)


def test_every_name_of_the_ck_dispatcher_has_its_place() -> None:
    text = (DOCS / "coming-from-the-ck-dispatcher.md").read_text()
    code = " ".join(re.findall(r"`[^`\n]+`", text))
    names = (Path(__file__).parent / "ck_dispatcher_names.txt").read_text().split()
    missing = [n for n in names if not re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", code)]
    assert (len(names) > 100, missing) == (True, [])


def test_what_is_said_to_have_the_same_name_is_exported() -> None:
    """The names on the right of the table of arch facts are those of the exported module or of the facts."""
    text = (DOCS / "coming-from-the-ck-dispatcher.md").read_text()
    facts = text.split("### Arch facts")[1].split("### Messages")[0]
    rows = re.findall(r"^\| (.+) \| (.+) \|$", facts, re.MULTILINE)[1:]
    exported = export("python") + SPECS.read_text()
    names = [n for _, here in rows for n in re.findall(r"`(\w+)(?:\(.*?\))?`", here)]
    assert [n for n in names if n not in exported] == []


def test_will_it_run_has_every_arch() -> None:
    text = (DOCS / "will-it-run.md").read_text()
    assert [name for name in default_catalog().archs if f"`{name}`" not in text] == []


@pytest.mark.parametrize("path", sorted((DOCS / "pictures").glob("*.svg")), ids=lambda p: p.name)
def test_a_picture_is_shown_and_fits_light_and_dark(path: Path) -> None:
    root = ElementTree.parse(path).getroot()
    assert root.get("viewBox")
    assert root.get("aria-label")
    assert "prefers-color-scheme: dark" in path.read_text()
    pages = [ROOT / "README.md", *PAGES]
    assert any(f"pictures/{path.name})" in p.read_text() for p in pages)


@pytest.mark.parametrize("script", ["benchmarks/speed_picture.py", "scripts/api_page.py", "scripts/fidelity_page.py"])
def test_what_is_generated_is_up_to_date(script: str) -> None:
    done = subprocess.run([sys.executable, ROOT / script, "--check"])
    assert done.returncode == 0, "run `make docs`"
