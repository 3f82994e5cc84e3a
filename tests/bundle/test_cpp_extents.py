"""The C++ dispatcher writes nothing but the elements of its results, for any strides."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
from fuzz_extents import build_dispatcher_fuzzer

pytestmark = pytest.mark.xdist_group("bundle")


FORMS = {
    '{"op":"gemm","m":2,"n":2,"k":2,"dtype":"fp32"}': "ok",
    '{"op":"gemm","m":2,"n":2,"k":2,"dtype":"fp32","m":3}': "a name is given twice",
    '{"op":"gemm","m":2,"n":2,"k":4-8,"dtype":"fp32"}': "a comma is missing",
    '{"op":"gemm","m":2,"n":2,"k":02,"dtype":"fp32"}': "a comma is missing",
    '{"op":"gemm","m":2,"n":2,"k":+2,"dtype":"fp32"}': "a value is missing",
    '{"op":"gemm","m":2,"n":2,"k":2.,"dtype":"fp32"}': "a value is missing",
    '{"op":"gemm","m":2,"n":2,"k":2,"dtype":"f\\p32"}': "an escape is unknown",
    '{"op":"gemm","m":2,"n":2,"k":2,"dtype":"fp32","strides":[1,2]}': "strides is [1, 2]; it must be an object",
    '{"op":"gemm","m":2,"n":2,"k":2,"dtype":"fp32","strides":{"a":5}}': "strides of 'a' are 5; they must be a list",
    '{"op":"gemm","m":1,"n":2,"k":2,"dtype":"fp32","strides":{"a":[9223372036854775808,1]}}': "whole numbers up to",
    '{"op":"gemm","m":2,"n":2,"k":2,"dtype":"fp32","d":{"a":1}}': "d is {'a': 1}; it must be a list",
    "[1]": "the problem has no op",
    "5": "the problem has no op",
    '{"op":"gemm","m":64,"n":96,"k":48,"dtype":"fp32","strides":{"out":[0,0]}}': "several elements share one address",
    '{"op":"gemm","m":64,"n":96,"k":48,"dtype":"fp32","strides":{"out":[1,1]}}': "several elements share one address",
}


def _said(program: Path, bundle: Path, lines: list[str]) -> list[str]:
    given = "".join(f"{line}\n" for line in lines)
    done = subprocess.run([program, bundle, "rcr"], input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def _counts(program: Path, bundle: Path, seeds: int) -> dict[str, int]:
    lines = _said(program, bundle, [*map(str, range(seeds))])
    assert not [line for line in lines if "internal error" in line]
    assert not [line for line in lines if line.startswith("accepted")], lines
    return {word: sum(line.startswith(word) for line in lines) for word in ("ok", "refused")}


def test_products_between_canaries_and_problems_of_wrong_form(
    bundle_folder: Path, bundle_code: tuple[str, ...], tmp_path: Path
) -> None:
    """One test for both: compiling the program takes longer than either."""
    program = build_dispatcher_fuzzer(bundle_folder, tmp_path, code=bundle_code)
    found = _counts(program, bundle_folder, 600)
    assert found["ok"] + found["refused"] == 600
    assert min(found.values()) > 100, found
    assert (
        _said(program, bundle_folder, ["0", "1", "2", "maps"])[-1] == "ok"
    )  # what runs is a copy of the checked bytes
    said = _said(program, bundle_folder, [f"={form}" for form in FORMS])
    assert [wanted for wanted, line in zip(FORMS.values(), said, strict=True) if wanted not in line] == [], said


@pytest.mark.exhaustive
def test_products_between_canaries_under_sanitizers(bundle_folder: Path, tmp_path: Path) -> None:
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    program = build_dispatcher_fuzzer(bundle_folder, tmp_path, *flags)
    assert sum(_counts(program, bundle_folder, 3000).values()) == 3000
