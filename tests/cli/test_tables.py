"""Tables: aligned plain text in a pipe, fitted on a terminal."""

from __future__ import annotations

import io
import re

import pytest

from tilewright.report.tables import Table, fitted, milliseconds, rate, ratio, size


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def example() -> Table:
    table = Table(["kernel", "ms"], "a title", right=["ms"])
    table.add("gemm [bold]not markup[/bold]", 1.5)
    table.add(None, 12)
    return table


def test_plain_text_is_aligned_and_never_cut() -> None:
    table = example()
    table.add("x" * 300, 1)
    title, head, first, second, third = table.text().splitlines()
    assert title == "a title"
    assert len({len(line) for line in (head, first, second, third)}) == 1
    assert second.startswith("-")
    assert "[bold]" in first
    assert "x" * 300 in third


def test_a_terminal_gets_every_cell_within_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    table = example()
    table.add("long words " * 10, 3)
    table.show(stream)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    assert "a title" in shown
    assert "[bold]" in shown
    assert max(map(len, shown.splitlines())) <= 40
    assert shown.count("words") == 10


NAME = "gemm_ck_tile_gfx942_fp16_rcr_256x256x32_1x4x1_32x32x16_compv4_cshuffle_intrawave_6aff7682"


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_no_column_is_dropped_and_no_word_is_broken(width: int) -> None:
    columns = ["slice", "value", *(f"number{i}" for i in range(6)), "kernel", "why"]
    table = Table(columns, right=columns[2:8])
    table.add("rows", "17 to 64", *range(100000, 100006), NAME, f"faster than {NAME} by measurement")
    lines = table.text(width).splitlines()
    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    assert {"slice", "value", "kernel", "why", *columns[2:8]} <= {w.rstrip(":") for w in words}
    assert {"rows", "17", "to", "64", "100005", "measurement"} <= set(words)
    assert sum("6aff7682" in word for word in words) == 2


def test_a_long_path_in_the_last_column_gets_a_line_of_its_own() -> None:
    table = Table(["area", "what", "found"])
    table.add("data", "models", "11 can be used")
    table.add("data", "measurements", "/home/somebody/.local/share/measurements.sqlite: none yet")
    assert table.text(60).splitlines() == [
        "area  what          found",
        "data  models        11 can be used",
        "data  measurements",
        "    /home/somebody/.local/share/measurements.sqlite: none",
        "    yet",
    ]


def test_a_kernel_name_is_shortened_only_if_the_table_is_too_wide() -> None:
    table = Table(["kernel"])
    table.add(NAME)
    assert NAME in table.text(len(NAME))
    assert table.text(80).splitlines()[1] == "256x256x32_6aff7682"


def test_many_numbers_are_shown_in_several_tables() -> None:
    table = Table(["op", *(f"arch{i}" for i in range(5))], "cpu", right=[f"arch{i}" for i in range(5)])
    table.add("gemm", *range(5))
    assert table.text(20).splitlines() == [
        "cpu",
        "op    arch0  arch1",
        "gemm      0      1",
        "",
        "op    arch2  arch3",
        "gemm      2      3",
        "",
        "op    arch4",
        "gemm      4",
    ]


def test_a_verdict_shortens_names_that_are_too_long_for_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert fitted(f"verdict   {NAME}: analytical", 10, Terminal()) == "verdict   256x256x32_6aff7682: analytical"
    assert NAME in fitted(f"verdict   {NAME}: analytical", 10, io.StringIO())


def test_a_pipe_gets_plain_text() -> None:
    stream = io.StringIO()
    example().show(stream)
    assert stream.getvalue() == example().text() + "\n"


def test_numbers() -> None:
    assert [milliseconds(v) for v in (0.000123456, 1.5, 1234.5)] == ["0.000123", "1.5", "1234"]
    assert [rate(v) for v in (0.0000123, 0.1234, 12.0)] == ["0.0123 G", "123 G", "12.00 T"]
    assert ratio(0.5) == "0.50x"
    assert [size(v) for v in (0, 1023, 1536, 5 << 30, 5000 << 30)] == ["0 B", "1023 B", "1.5 KiB", "5 GiB", "5000 GiB"]
