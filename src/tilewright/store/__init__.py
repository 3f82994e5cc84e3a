"""Measurements: what was timed, on which binary and device, and how accurate it was. SQLite for use, files to share.

>>> import tempfile
>>> with Store(tempfile.mkdtemp() + "/store.sqlite") as store:
...     len(store)
0
"""

from __future__ import annotations

from .files import merge_file, read_rows, write_rows
from .ledger import Missed
from .measurement import Measurement, launch_from_dict
from .sqlite import CALL_PATIENCE, Store, store_path

__all__ = [
    "CALL_PATIENCE",
    "Measurement",
    "Missed",
    "Store",
    "launch_from_dict",
    "merge_file",
    "read_rows",
    "store_path",
    "write_rows",
]
