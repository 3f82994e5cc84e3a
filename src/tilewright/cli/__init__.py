"""The command `tilewright`: one module per command, errors as one paragraph on stderr, only results on stdout."""

from __future__ import annotations

import os
import sys

from ..settings import QUIET_BLAS

EXIT_INTERRUPTED = 130  # the status of programs that a user stopped


def main() -> None:
    """Run the command line and end the process with its status."""
    try:
        from .app import run

        for name, value in QUIET_BLAS.items():  # NumPy reads it when it is loaded, which is later
            os.environ.setdefault(name, value)
        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:  # before or after the command, which has its own way to end
        sys.exit(EXIT_INTERRUPTED)
