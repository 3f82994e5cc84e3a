"""README and docs are executed: every snippet runs and shows what it says; every link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from snippets import ROOT, Runner, Snippet, commands_of, matches, snippets_of

from tilewright.frontends import default

PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
# Pages whose snippets have a test of their own.
ELSEWHERE = {"adding-a-gpu.md": "tests/arch/test_arch_docs.py", "build-cache.md": "tests/jit/test_cache_docs.py"}
LANGUAGES = {"python", "console", "sh", "bash", "json", "toml", "cpp", "make", "text", ""}


def ids(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", [p for p in PAGES if p.name not in ELSEWHERE], ids=ids)
def test_the_snippets_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TILEWRIGHT_DATA_DIR", str(tmp_path / "data"))  # what an earlier run measured is not there
    default.reset()
    runner = Runner(tmp_path)
    for snippet in snippets_of(page.read_text(), ids(page)):
        runner.run(snippet)


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_block_has_a_known_language(page: Path) -> None:
    unknown = [s.where for s in snippets_of(page.read_text(), ids(page)) if s.language not in LANGUAGES]
    assert not unknown, f"blocks in a language that is not run: {unknown}"


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    links = [t.split("#")[0] for t in re.findall(r"\]\(([^)\s]+)\)", text) if not t.startswith(("http", "#"))]
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "CHANGELOG.md"], ids=ids)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    named = re.findall(r"`((?:src|tests|benchmarks|examples)/[\w./-]*\w)`", page.read_text())
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_pages_that_are_run_elsewhere_are() -> None:
    for name, test in ELSEWHERE.items():
        assert (ROOT / "docs" / name).is_file()
        assert name in (ROOT / test).read_text()


def test_every_page_of_docs_is_reached_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    missing = [ids(p) for p in PAGES if p.parent != ROOT and ids(p) not in readme]
    assert not missing


def test_the_first_screen_of_the_readme() -> None:
    """What it is, the two commands, and an example: before anybody scrolls."""
    screen = "\n".join((ROOT / "README.md").read_text().splitlines()[:36])
    for word in ("make demo", "make test", "import tilewright", "dispatcher"):
        assert word in screen


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```python\nassert 1 == 2\n```", "p.md:2: AssertionError"),
        ("```console\n$ false\n```", "exit status 1"),
        ("```console\n$ echo one\ntwo\n```", "but prints"),
        ("```bash\nfalse\ntrue\n```", "exit status 1"),
    ],
)
def test_a_snippet_that_is_wrong_is_found(text: str, complaint: str, tmp_path: Path) -> None:
    [snippet] = snippets_of(text, "p.md")
    with pytest.raises(AssertionError, match=re.escape(complaint)):
        Runner(tmp_path).run(snippet)


def test_marks_are_read(tmp_path: Path) -> None:
    text = "<!-- not run: costly -->\n```console\n$ false\n```\n\n`a.json`:\n\n```json\n{}\n```\n"
    skipped, file = snippets_of(text, "p.md")
    assert skipped == Snippet("p.md", 3, "console", "$ false\n", "costly")
    runner = Runner(tmp_path)
    runner.run(skipped)
    runner.run(file)
    assert (tmp_path / "a.json").read_text() == "{}\n"


def test_expected_output() -> None:
    assert commands_of("$ a\nx\ny\n$ b\n") == [("a", "x\ny\n"), ("b", "")]
    assert matches("one ... three\n", "one   two three\n")
    assert not matches("one ... four\n", "one two three\n")
