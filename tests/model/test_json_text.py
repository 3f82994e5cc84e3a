"""JSON text from anywhere is bounded and refused with an error of tilewright, never with one of the parser."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.errors import CacheError, SchemaError, TilewrightError
from tilewright.model.json_text import MAX_DEPTH, parse_json, read_json

TEXT = st.text(st.characters(codec="utf-8"))
NUMBER = st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
PLAIN = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)

BAD = {
    "nothing": "",
    "half an object": '{"m": 1',
    "two values": "1 2",
    "not UTF-8": b'{"m": "\xff"}',
    "duplicate keys": '{"m": 1, "m": 2}',
    "duplicate keys inside": '[{"a": {"m": 1, "m": 1}}]',
    "NaN": "[NaN]",
    "infinity": "[-Infinity]",
    "a float past float64": "[1e999]",
    "a whole number of 4,000 digits": "9" * 4000,
    "a whole number of 100,000 digits": '{"m": ' + "9" * 100_000 + "}",
    "a fraction of 5,000 digits": "0." + "1" * 5000,
    "lists 100,000 deep": "[" * 100_000,
    "lists 100,000 deep, closed": "[" * 100_000 + "]" * 100_000,
    "one list too many": "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
    "objects 500 deep": '{"a":' * 500 + "1" + "}" * 500,
    "half of a surrogate pair": '["\\ud800"]',
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_bad_text_is_refused_with_its_origin(text: str | bytes) -> None:
    with pytest.raises(SchemaError, match="the registry"):
        parse_json(text, "the registry")


@pytest.mark.parametrize("digits", ["9" * 20, "-" + "9" * 19])
def test_the_longest_whole_numbers_are_read(digits: str) -> None:
    assert parse_json(digits, "a number") == int(digits)


def test_digits_inside_strings_are_no_number() -> None:
    assert parse_json(json.dumps({"digest": "1" * 64, "time": 1.5}), "a row") == {"digest": "1" * 64, "time": 1.5}


def test_the_deepest_list_is_read() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert json.dumps(parse_json(text, "a list")) == text


def test_a_text_past_the_limit_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(CacheError, match="the limit is 10"):
        parse_json("[" * 11, "meta.json", most_bytes=10, error=CacheError)


def test_a_file_is_read_no_further_than_the_limit() -> None:
    with pytest.raises(SchemaError, match="larger than the limit of 1,000 bytes"):
        read_json("/dev/zero", most_bytes=1000)


@pytest.mark.parametrize("path", ["absent.json", ".", "a\0b"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, path: str) -> None:
    with pytest.raises(CacheError, match="cannot be read"):
        read_json(tmp_path / path, error=CacheError)


@given(PLAIN)
def test_what_json_writes_is_read_back(value: object) -> None:
    assert parse_json(json.dumps(value), "a value") == value
    assert parse_json(json.dumps(value, ensure_ascii=False).encode(), "a value") == value


@settings(max_examples=300)
@given(st.binary(max_size=60) | st.text(alphabet='[]{}",:-+.eE0123456789\\udnulltrueNaI ', max_size=60))
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    with contextlib.suppress(TilewrightError):
        parse_json(text, "a text")
