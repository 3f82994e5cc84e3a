"""Every fuzz target by name: the one list that the tests, `make fuzz` and atheris use.

A further module of targets adds its dict here.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from fuzz_cache import CACHES
from fuzz_extents import EXTENTS
from fuzz_files import FILES
from fuzz_functions import FUNCTIONS
from fuzz_fused import FUSED
from fuzz_targets import READERS
from fuzz_words import WORDS

TARGETS: dict[str, Callable[[Random], None]] = {
    **READERS, **FILES, **CACHES, **FUNCTIONS, **EXTENTS, **FUSED, **WORDS,
}  # fmt: skip
