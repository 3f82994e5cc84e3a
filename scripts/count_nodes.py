"""Counts the AST nodes of src/tilewright, without emulator folders: a measure of size that no reformatting changes.

Run `python scripts/count_nodes.py`, or with `--files` for the largest files.
"""

from __future__ import annotations

import argparse
import ast
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "tilewright"


def nodes_by_file(source: Path = SOURCE) -> dict[Path, int]:
    """Return the nodes of each Python file outside of emulator folders, by its path inside of `source`."""
    paths = (path.relative_to(source) for path in sorted(source.rglob("*.py")))
    return {
        path: sum(1 for _ in ast.walk(ast.parse((source / path).read_text())))
        for path in paths
        if "emulator" not in path.parts[:-1]
    }


def main() -> None:
    """Print the nodes of each room (or of the largest files), and of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=0, help="print this many of the largest files instead of rooms")
    asked = parser.parse_args()
    found = nodes_by_file()
    rooms: Counter[str] = Counter()
    for path, nodes in found.items():
        rooms[path.as_posix() if asked.files else path.parts[0].removesuffix(".py")] += nodes
    for name, nodes in rooms.most_common(asked.files or None):
        print(f"{nodes:9,} {name}")
    print(f"{sum(found.values()):9,} in all")


if __name__ == "__main__":
    main()
