"""Template arguments go by name, in the order of whatever headers are installed; strange headers are refused."""

from __future__ import annotations

import pytest
from ck_headers import headers

from tilewright.backends.ck_tile.ck_revision import (
    REFERENCE,
    CkRevision,
    Parameter,
    detect,
    known_revision,
    parse_template,
)
from tilewright.backends.ck_tile.ck_templates import REVISIONS
from tilewright.backends.ck_tile.toolchain import ck_root
from tilewright.backends.cpp_text import cpp
from tilewright.errors import SpecError, ToolchainError
from tilewright.settings import Settings


def test_headers_are_known_by_their_parameter_lists(tmp_path):
    found = detect(headers(tmp_path))
    assert (found.name, found.digest) == (REFERENCE.name, REFERENCE.digest)


def test_arguments_follow_the_order_of_the_headers_at_hand(tmp_path):
    turned = "WarpTile_ BlockTile_ BlockWarps_ New_?"
    found = detect(headers(tmp_path, TileGemmShape=turned))
    assert found.name == "unnamed"
    assert found.instantiate("TileGemmShape", BlockTile=cpp("T"), BlockWarps=cpp("W"), WarpTile=cpp("w")) == (
        "ck_tile::TileGemmShape<w, T, W>"
    )


def test_a_parameter_that_nobody_knows_is_an_error_that_names_the_supported_revisions(tmp_path):
    with pytest.raises(
        ToolchainError, match=r"TileGemmShape .* asks for Mystery_, .*supported revisions of CK: 1\.2\.0"
    ):
        detect(headers(tmp_path, TileGemmShape="BlockTile_ Mystery_ BlockWarps_ WarpTile_"))


def test_headers_without_a_template_are_an_error(tmp_path):
    with pytest.raises(ToolchainError, match=r"lack UniversalGemmKernel; supported revisions of CK: 1\.2\.0"):
        detect(headers(tmp_path, UniversalGemmKernel=None))


def test_a_folder_without_headers_is_an_error_with_the_remedy(tmp_path):
    with pytest.raises(ToolchainError, match="toolchain install amdgpu"):
        detect(tmp_path)


def test_a_gap_before_a_given_argument_is_never_filled_by_guessing():
    with pytest.raises(SpecError, match="needs a value for HasHotLoop_"):
        REFERENCE.instantiate(
            "UniversalGemmPipelineProblem",
            **dict.fromkeys(("ADataType", "BDataType", "EDataType", "BlockGemmShape", "Traits", "Scheduler"), cpp("x")),
            TailNum=cpp("Tail"),
        )


@pytest.mark.parametrize(
    ("template", "arguments", "words"),
    [
        ("TileGemmShape", {"Shape": "x"}, "has no parameter Shape; it has BlockTile"),
        ("StreamK", {}, "has no template StreamK"),
    ],
)
def test_wrong_names_are_told(template, arguments, words):
    with pytest.raises(ToolchainError, match=words):
        REFERENCE.instantiate(template, **arguments)


def test_a_template_is_found_among_comments_forward_declarations_and_specialisations():
    text = """
    // template <typename Wrong> struct T {};
    template <typename A_, int N_> struct T;
    template <typename A_, int kN_ = f<1, 2>(), typename... Rest>  /* why */
    struct T { };
    template <> struct T<int, 2> {};
    """
    assert parse_template(text, "T") == (Parameter("A_", False), Parameter("kN_", True), Parameter("Rest", True))
    assert parse_template(text, "U") is None


def test_revisions_are_values():
    one = known_revision("1.2.0")
    assert one == REFERENCE
    assert hash(one) == hash(REFERENCE)
    assert CkRevision("x", {}).has("TileGemmShape") is False
    with pytest.raises(ToolchainError, match=r"no CK revision '9\.9'"):
        known_revision("9.9")


def test_the_installed_headers_are_a_named_revision():
    root = ck_root() or ck_root(Settings(cache_dir=""))  # the user's cache, whatever the tests use
    if root is None:
        pytest.skip("no CK headers here; `tilewright toolchain install amdgpu` installs them")
    nested = root / "include"
    assert detect(nested if (nested / "ck_tile").is_dir() else root).name in REVISIONS
