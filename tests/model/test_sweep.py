"""Sweep files: every form of a pattern, both formats, and mistakes that name file, field and nearest name."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from tilewright.errors import SchemaError
from tilewright.model.kernel_set import Range
from tilewright.model.sweep import Words, read_sweep
from tilewright.model.tunable import tunable, tunables_of


@dataclass(frozen=True)
class Toy:
    tile: int = tunable(8, (4, 8, 16), "tile")
    depth: int = tunable(8, (4, 8, 16), "depth")
    kind: str = tunable("plain", ("plain", "packed"), "kind")
    wide: bool = tunable(False, (False, True), "wide")


WORDS = Words(
    "gemm",
    "toy",
    tunables_of(Toy),
    ("dtype", "layout"),
    sections=("algorithm", "tile_config"),
    aliases={"old_tile": "tile"},
    extra={"more": ("count",)},
)


def write(tmp_path, content, name="tall.json"):
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_every_form_of_a_pattern(tmp_path):
    path = write(
        tmp_path,
        {
            "archs": ["gfx942", "gfx950"],
            "priority": 3,
            "description": "tall tiles",
            "signature": {"layout": ["rcr", "rrr"], "dtype": "fp16"},
            "algorithm": {
                "tile": {"values": [4, 8]},
                "depth": {"min": 4, "max": 16, "step": 4},
                "kind": "*",
                "wide": True,
            },
        },
    )
    (found,) = read_sweep(path, WORDS)
    assert (found.name, found.op, found.backend) == ("tall", "gemm", "toy")
    assert (found.archs, found.priority, found.description) == (("gfx942", "gfx950"), 3, "tall tiles")
    assert found.signature == {"layout": ["rcr", "rrr"], "dtype": "fp16"}
    assert found.algorithms == ({"tile": [4, 8], "depth": Range(4, 16, 4), "kind": "*", "wide": True},)


def test_toml_says_the_same_as_json(tmp_path):
    text = """
    name = "t"
    [signature]
    layout = "rcr"
    [[algorithm]]
    tile = [4, 8]
    [[algorithm]]
    tile = {min = 8, max = 16, step = 8}
    kind = "packed"
    """
    same = {
        "name": "t",
        "signature": {"layout": "rcr"},
        "algorithm": [{"tile": [4, 8]}, {"tile": {"min": 8, "max": 16, "step": 8}, "kind": "packed"}],
    }
    assert read_sweep(write(tmp_path, text, "t.toml"), WORDS) == read_sweep(write(tmp_path, same), WORDS)


def test_a_list_of_tables_is_a_union_and_sections_multiply(tmp_path):
    content = {"depth": 4, "algorithm": [{"kind": "plain"}, {"kind": "packed"}], "tile_config": {"old_tile": [4]}}
    (found,) = read_sweep(write(tmp_path, content), WORDS)
    assert found.algorithms == (
        {"depth": 4, "kind": "plain", "tile": [4]},
        {"depth": 4, "kind": "packed", "tile": [4]},
    )
    assert found.archs == ("*",)


def test_several_sets_in_one_file(tmp_path):
    content = {"sets": [{"algorithm": {"tile": 4}}, {"name": "own", "algorithm": {"tile": 8}}]}
    assert [s.name for s in read_sweep(write(tmp_path, content), WORDS)] == ["tall_1", "own"]


MISTAKES = [
    ({"algoritm": {}}, ["field 'algoritm'", "did you mean 'algorithm'"]),
    ({"algorithm": {"tle": 4}}, ["algorithm: unknown algorithm field 'tle'", "'tile'"]),
    ({"algorithm": {"kind": ["plian"]}}, ["algorithm.kind", "'plian'", "did you mean 'plain'"]),
    ({"algorithm": {"tile": "4"}}, ["algorithm.tile", "must be of type int"]),
    ({"algorithm": {"tile": True}}, ["algorithm.tile", "must be of type int"]),
    ({"algorithm": {"wide": 1}}, ["algorithm.wide", "must be of type bool"]),
    ({"algorithm": {"tile": {"min": 4, "max": 8}}}, ["algorithm.tile", "step"]),
    ({"algorithm": {"tile": {"min": 8, "max": 4, "step": 4}}}, ["algorithm.tile", "no members"]),
    ({"algorithm": {"tile": {"min": 4, "max": 8, "step": 0}}}, ["algorithm.tile", "step > 0"]),
    ({"algorithm": {"tile": {"min": 4, "max": "8", "step": 1}}}, ["algorithm.tile.max", "type int"]),
    ({"algorithm": {"kind": {"min": 4, "max": 8, "step": 1}}}, ["algorithm.kind", "range"]),
    ({"algorithm": {"tile": []}}, ["algorithm.tile", "at least one"]),
    ({"algorithm": {"tile": [[4]]}}, ["algorithm.tile", "plain values"]),
    ({"algorithm": {"tile": None}}, ["algorithm.tile", "null"]),
    ({"algorithm": {"tile": 4, "old_tile": 8}}, ["old_tile", "the same field"]),
    ({"algorithm": {"tile": 4}, "tile_config": {"tile": 8}}, ["tile is given twice"]),
    ({"algorithm": [{"tile": 4}, {"tle": 4}]}, ["algorithm[2]", "'tle'"]),
    ({"algorithm": 4}, ["algorithm must be a table"]),
    ({"signature": {"lyout": "rcr"}}, ["signature: unknown signature field 'lyout'", "'layout'"]),
    ({"signature": []}, ["signature must be a table"]),
    ({"more": {"cuont": 1}}, ["more: unknown more field 'cuont'", "'count'"]),
    ({"backend": "cpu"}, ["backend is 'cpu'", "'toy'"]),
    ({"name": 4}, ["name is 4", "type str"]),
    ({"priority": "high"}, ["priority is 'high'"]),
    ({"archs": 942}, ["archs is 942"]),
    ({"sets": []}, ["at least one"]),
    ({}, ["an empty set"]),
    ({"sets": [{}], "name": "x"}, ["unknown field 'name'"]),
]


@pytest.mark.parametrize(("content", "words"), MISTAKES, ids=[str(i) for i in range(len(MISTAKES))])
def test_a_mistake_names_file_field_and_nearest_name(tmp_path, content, words):
    path = write(tmp_path, content)
    with pytest.raises(SchemaError) as error:
        read_sweep(path, WORDS)
    for word in [str(path), *words]:
        assert word in str(error.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(SchemaError, match="cannot be read"):
        read_sweep(tmp_path / "none.json", WORDS)
    with pytest.raises(SchemaError, match=r"not valid JSON.*line 1"):
        read_sweep(write(tmp_path, "{"), WORDS)
    with pytest.raises(SchemaError, match="not valid TOML"):
        read_sweep(write(tmp_path, "a = ", "a.toml"), WORDS)
    with pytest.raises(SchemaError, match=r"\.json or \.toml"):
        read_sweep(write(tmp_path, "a: 1", "a.yaml"), WORDS)
    with pytest.raises(SchemaError, match="holds a table, not list"):
        read_sweep(write(tmp_path, "[]"), WORDS)
