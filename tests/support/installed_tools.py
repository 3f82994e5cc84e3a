"""Build tools that the project's own files install: cmake and ninja come with the extra `dev`."""

from __future__ import annotations

import os
import shutil
import sysconfig


def with_tools(*names: str) -> dict[str, str]:
    """Return the environment for a command that calls these tools; those of this Python environment come first."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    missing = [name for name in names if shutil.which(name, path=path) is None]
    assert not missing, f"{' and '.join(missing)} not found: pip install -e '.[dev]'"
    return {**os.environ, "PATH": path}
