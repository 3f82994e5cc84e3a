"""What a row says of itself: of which kernel and problem its digests are. A wrong one would count for another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..backends.plain import spec_from_dict
from ..errors import SchemaError, TilewrightError
from ..model.canonical import canonical_json
from ..model.json_text import MAX_LINE_BYTES, parse_json
from ..ops import problem_from_dict
from .measurement import Measurement

# A digest and the text that it must be of: rows whose pair does not hold are set aside.
CLAIMS = (("spec_digest", "spec"), ("tuning_key", "problem"))
MAX_REASONS = 8


def digest_of(claimed: str, text: str) -> str:
    """Return the digest that a kernel or problem has; raise an error if this version cannot read it."""
    data = parse_json(text, claimed, most_bytes=MAX_LINE_BYTES)
    if not isinstance(data, dict):
        raise SchemaError(f"{claimed} is of no object")
    return spec_from_dict(data).digest if claimed == "spec_digest" else problem_from_dict(data).tuning_key


def not_its_own(claimed: str, digest: str, true: str) -> str:
    """Return what is wrong with a digest; empty if it is right."""
    return "" if true == digest else f"{claimed} {digest[:12]} is that of another one; its own is {true[:12]}"


class Claims:
    """The rows of a file whose claims hold, or cannot be judged by this version; the others are counted."""

    def __init__(self) -> None:
        self.false = 0
        self.reasons: list[str] = []
        self._known: dict[tuple[str, str], str] = {}  # digest by claim and text; empty: this version cannot read it

    def true_rows(self, rows: Iterable[Measurement]) -> Iterator[Measurement]:
        """Yield the rows of which nothing is known to be false."""
        for row in rows:
            wrong = [
                w for claimed, of in CLAIMS if (w := self._wrong(claimed, getattr(row, claimed), getattr(row, of)))
            ]
            if not wrong:
                yield row
                continue
            self.false += 1
            self.reasons += [w for w in wrong if w not in self.reasons][: MAX_REASONS - len(self.reasons)]

    def _wrong(self, claimed: str, digest: str, data: object) -> str:
        key = claimed, canonical_json(data)
        if key not in self._known:
            try:
                self._known[key] = digest_of(*key)
            except TilewrightError:
                self._known[key] = ""
        true = self._known[key]
        return not_its_own(claimed, digest, true) if true else ""
