"""The command `tilewright`: one module per command, errors as one paragraph on stderr, results alone on stdout."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and end the process with its status."""
    from .app import run

    sys.exit(run(sys.argv[1:]))
