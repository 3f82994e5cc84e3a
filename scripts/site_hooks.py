"""Hooks of MkDocs: put pages from outside of docs/ into the site, and point links between pages at them."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
# File of the repository -> its page in the site.
OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/data/README.md": "measurements.md",
    "benchmarks/results/NOTES.md": "kernel-notes.md",
    "examples/README.md": "examples.md",
}
LINK = re.compile(r"(\]\()([^)#\s]+)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages from outside of docs/."""
    for source, page in OUTSIDE.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the text of a page with links that hold in the site.

    A link is resolved from the file's place in the repository, then made relative to the page's place in the site.
    A link to a file that is no page stays text: the site has only pages.
    """
    here = page.file.src_uri
    source = next((s for s, p in OUTSIDE.items() if p == here), f"docs/{here}")
    return LINK.sub(lambda m: m[1] + in_site(m[2], source, here), markdown)


def in_site(link: str, source: str, here: str) -> str:
    """Return a link of the file `source` as a link of the page `here`."""
    if "://" in link or link.startswith("mailto:"):
        return link
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
    page = OUTSIDE.get(target, target.removeprefix("docs/"))
    return posixpath.relpath(page, posixpath.dirname(here) or ".")
