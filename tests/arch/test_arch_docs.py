"""docs/adding-a-gpu.md is executed: its files are written, its Python runs, its commands succeed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.arch import load_archs

PAGE = (Path(__file__).parents[2] / "docs" / "adding-a-gpu.md").read_text(encoding="utf-8")


def fences(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def example(tmp_path, monkeypatch):
    """A folder with the page's example file in it."""
    (tmp_path / "my_gpus.json").write_text(fences("json")[0])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("block", fences("python"), ids=["example", "problems"])
def test_the_python_of_the_page_runs(block, example):
    exec(compile(block, "adding-a-gpu.md", "exec"), {"__name__": "page"})


def test_the_gfx950_excerpt_is_true():
    excerpt = json.loads(fences("json")[1])
    gfx950 = load_archs()["gfx950"]
    assert excerpt["parent"] == gfx950.parent
    assert excerpt["lds_bytes"] == gfx950.lds_bytes
    assert tuple(excerpt["dtypes"]) == gfx950.dtypes
    for key, tiles in excerpt["warp_tiles"].items():
        assert set(map(tuple, tiles or [])) <= {*gfx950.warp_tiles.get(key, ())}
        assert (tiles is None) == (key not in gfx950.warp_tiles)


def test_the_commands_of_the_page_succeed(example):
    (script,) = fences("sh")
    program = f'tilewright() {{ "{sys.executable}" -c "from tilewright.cli import main; main()" "$@"; }}\nset -e\n'
    environment = {k: v for k, v in os.environ.items() if k != "TILEWRIGHT_ARCH_FILE"}
    done = subprocess.run(["sh", "-c", program + script], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert "gfx940" in done.stdout


def test_the_page_names_every_kind_and_the_schema():
    for word in ("`amd`", "`nvidia`", "`x86`", "`arm`", "`generic`", "arch_specs.schema.json", "TILEWRIGHT_ARCH_FILE"):
        assert word in PAGE
