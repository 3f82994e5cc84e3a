"""Where things are. Import it before tilewright: it finds the package on a machine where that is not installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
SOURCES = HERE.parent / "src"
sys.path.insert(0, str(SOURCES))
# Compilers and measuring processes find it as this one does.
os.environ["PYTHONPATH"] = os.pathsep.join([str(SOURCES), os.environ.get("PYTHONPATH", "")])
