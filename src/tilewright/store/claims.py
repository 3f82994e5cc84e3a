"""What rows of measurements claim about themselves: digests of the kernel and of the problem that they name."""

from __future__ import annotations

from typing import Any

from ..backends.plain import spec_from_dict
from ..errors import SchemaError, TilewrightError
from ..ops import problem_from_dict
from .measurement import Measurement


def false_claim(claimed: str, digest: str, data: Any) -> str:
    """Return what is wrong with a digest of a kernel or problem; empty if it is right.

    >>> false_claim("tuning_key", "0123456789abcdef", {"op": "gemm", "m": 2, "n": 2, "k": 2, "dtype": "fp32"})[:43]
    'tuning_key 0123456789ab is that of another '
    """
    try:
        true = spec_from_dict(data).digest if claimed == "spec_digest" else problem_from_dict(data).tuning_key
    except TilewrightError as error:
        return f"{claimed} {digest[:12]}: {error}"
    return "" if true == digest else f"{claimed} {digest[:12]} is that of another one; its own is {true[:12]}"


class Claims:
    """Checks the claims of rows, each once: the first row with a digest says for a whole store what it stands for."""

    def __init__(self) -> None:
        self._true = set[tuple[str, str, str]]()

    def check(self, row: Measurement) -> None:
        """Raise `SchemaError` if a row names another kernel or problem than its digests say.

        Two rows with one digest and different content are not both right, so the content is part of what is known.
        """
        for claimed, digest, data in (
            ("spec_digest", row.spec_digest, row.spec), ("tuning_key", row.tuning_key, row.problem),
        ):  # fmt: skip
            known = claimed, digest, repr(data)
            if known in self._true:
                continue
            if wrong := false_claim(claimed, digest, data):
                raise SchemaError(wrong, remedy="leave out the row; `tilewright data union` does so")
            self._true.add(known)
