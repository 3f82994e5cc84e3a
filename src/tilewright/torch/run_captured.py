"""Runs a script under `capture`: `python -m tilewright.torch.run_captured OUT DEVICE script.py ...`.

The command `tilewright capture` starts it. The file is written also if the script fails, and the script's exit status
is passed on.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence

from .recorder import Capture, capture


def main(arguments: Sequence[str]) -> None:
    """Run the script, or the module after `-m`, with its own arguments."""
    out, device, *command = arguments
    module = command[0] == "-m"
    name, *rest = command[1:] if module else command
    sys.argv = [name, *rest]
    sys.path[0] = os.getcwd() if module else os.path.dirname(os.path.abspath(name))
    found: Capture | None = None
    try:
        with capture(out, device=device or None) as found:
            if module:
                runpy.run_module(name, run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(name, run_name="__main__")
    finally:
        if found is not None:
            report(found)


def report(found: Capture) -> None:
    """Say on stderr what could not be written."""
    for (name, reason), count in found.left.items():
        print(f"note: left out: {name}, {count} calls: {reason}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
