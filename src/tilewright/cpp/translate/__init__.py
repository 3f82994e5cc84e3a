"""From Python definitions to a program as data: `translate(roots)` returns every function that the roots reach.

Problems, rules, launches and ABI values are defined once, in Python. This package reads those definitions and writes
them as plain data, which a small evaluator (`cpp/native/evaluate.hpp`) runs without Python and with Python's semantics.
It accepts a part of the language and raises `TranslationError` with file and line for the rest.
"""

from __future__ import annotations

from .program import Native, Program, translate
from .sources import TranslationError

__all__ = ["Native", "Program", "TranslationError", "translate"]
