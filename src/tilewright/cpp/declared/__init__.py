"""Kernel sets that are declared in C++ sources: our `TW_KERNEL_SET`, and the macros of the CK dispatcher.

A real parser reads the small grammar of these declarations and skips the rest of a source. Errors name file, line and
column. What a reader fills in, corrects or does not use is reported as notes.
"""

from __future__ import annotations

from .notes import Declared, Note
from .read import read_declared

__all__ = ["Declared", "Note", "read_declared"]
