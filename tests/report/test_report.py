"""The report page: what it reads, what it draws, what it says of missing data, and that nothing in it can run."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from measurements import DEVICE, some_rows

from tilewright.cli.app import run
from tilewright.errors import SchemaError
from tilewright.ops import problem_from_dict
from tilewright.report.charts import build_rows
from tilewright.report.collect import collect
from tilewright.report.page import render
from tilewright.report.readers import read_row
from tilewright.report.results import Ceiling, Check, Results, Run, Scores, Winner
from tilewright.report.sections import ceilings_of, sections_of
from tilewright.report.shapes import shape_of
from tilewright.store import write_rows

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
P = {"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp32"}
BENCH = {"problem": P, "kernel": "k1", "backend": "cpu", "arch": "x86_64_v3", "device": "CPU", "time_ms": 2.0,
         "error": 1e-6, "tolerance": 1e-4, "tier": "float64", "ok": True, "selector": "chain", "policy": {"threads": 1},
         "peers": {"numpy": {"time_ms": 5.0}, "torch": {"ratio": 0.5}, "absent": {"ratio": None}}}  # fmt: skip
EXECUTED = {"arch": "gfx942", "backend": "triton", "compiled": "ok", "executed": "right", "op": "gemm",
            "name": "k", "seconds": 3.0,
            "spec": {"signature": {"dtype_a": "fp16", "dtype_b": "fp16"}, "algorithm": {}}}  # fmt: skip
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&{{ 7*7 }}</style></title>"


class Seen(HTMLParser):
    """What a browser would see: elements, and attributes that could load or run something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.dangerous: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attributes:
            loads = name in ("src", "href", "data", "action") and not (value or "").startswith(("#", "data:,"))
            if loads or name.startswith("on") or name == "style":
                self.dangerous.append(f"{tag} {name}={value}")


def seen(page: str) -> Seen:
    found = Seen()
    found.feed(page)
    return found


def write(folder: Path, name: str, *rows: Any) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


def test_a_bench_row_is_read() -> None:
    (run,) = read_row(BENCH, {}, "r.jsonl")
    assert isinstance(run, Run)
    assert run.peers == {"numpy": 2.5, "torch": 0.5}
    assert (run.place, run.op, run.dtype, run.ok) == ("CPU, 1 thread", "gemm", "fp32", True)
    assert run.rate == 2 * 64**3 / 2e-3


@pytest.mark.parametrize(
    "row",
    [
        7,
        {},
        {**BENCH, "time_ms": -1},
        {**BENCH, "time_ms": "fast"},
        {**BENCH, "time_ms": True},
        {**BENCH, "peers": {"numpy": {"ratio": 0}}},
        {**BENCH, "time_ms": None, "failure": "no kernel"},
        {"name": "x", "scores": {"learned": {"mean": 0.5}}},
        {"problem": P, "seconds": {"a": 1}, "errors": {}, "picked": "b"},
        {"problem": P, "candidates": [], "torch_us": 3},
    ],
)
def test_a_wrong_row_is_an_error_of_ours(row: Any) -> None:
    with pytest.raises(SchemaError):
        list(read_row(row, {}, "r.jsonl"))


def test_rows_that_cannot_be_used_are_counted_with_a_reason(tmp_path: Path) -> None:
    path = write(tmp_path, "r.jsonl", {"about": "x"}, BENCH, {**BENCH, "problem": {"op": "gemm", "m": -1}}, {"odd": 1})
    results = collect([path])
    (source,) = results.sources
    assert (len(results.runs), source.skipped, source.holds) == (1, 2, {"runs": 1})
    assert source.why
    assert source.why in render(results).replace("&#39;", "'").replace("&gt;", ">")


def test_a_broken_line_or_file_leaves_the_others(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cut = write(tmp_path, "cut.jsonl", BENCH, {**BENCH, "kernel": "k2"}, BENCH)
    cut.write_text(cut.read_text()[:-40])
    odd = tmp_path / "odd.jsonl"
    odd.write_bytes(b"\xff\xfe\n" + json.dumps(BENCH).encode() + b"\n[[[\n")
    broken = {name: tmp_path / name for name in ("rows.json", "rows.jsonl.gz", "rows.parquet", "rows.sqlite")}
    write_rows(some_rows(8), broken["rows.jsonl.gz"])
    data = broken["rows.jsonl.gz"].read_bytes()
    for path in broken.values():
        path.write_bytes(data[: len(data) // 2])
    whole, out = write(tmp_path, "whole.jsonl", BENCH), str(tmp_path / "page.html")
    assert (
        run(["report", *map(str, (cut, *broken.values(), odd, whole)), "--out", out, "--explain", "0", "--json"]) == 0
    )
    said = json.loads(capfd.readouterr().out)
    assert said["holds"]["runs"] == 4
    assert set(said["not used"]) == {"cut.jsonl", "odd.jsonl", *broken}
    assert said["not used"]["cut.jsonl"]["why"].startswith("line 3: JSON: not valid JSON")
    assert said["not used"]["odd.jsonl"] == {"rows": 2, "why": "line 1: JSON: not UTF-8: byte 0 is 0xff."}


def test_about_json_says_what_rows_leave_out(tmp_path: Path) -> None:
    write(tmp_path, "about.json", {"conv_*.jsonl": {"device": "A GPU", "arch": "sm_90", "gpu": True}})
    conv = {"op": "grouped_conv", "direction": "forward", "n": 1, "c": 8, "k": 8, "input": [8, 8], "filter": [3, 3]}
    times = [{"us": 5.0, "place": 1, "algorithm": "b"}, {"us": 10.0, "place": 0, "algorithm": "a"}]
    row = {"problem": {**conv, "dtype": "fp16"}, "torch_us": 20.0, "candidates": times}
    results = collect([write(tmp_path, "conv_gpu.jsonl", row), write(tmp_path, "other.jsonl", row)])
    assert [(r.device, r.arch, r.kernel) for r in results.runs] == [
        ("A GPU", "sm_90", "a"),
        ("device not recorded", "", "a"),
    ]
    assert results.runs[0].peers == {"torch": 2.0}


def test_an_empty_report_names_the_command_for_each_section() -> None:
    page = render(Results())
    assert all(s.missing for s in sections_of(Results()))
    for section in sections_of(Results()):
        assert section.command.replace("&", "&amp;").replace(">", "&gt;") in page
    assert page.count("To make it:") == 6
    assert "No timed run was given" in page


def test_nothing_that_a_file_says_can_run(tmp_path: Path) -> None:
    row = {
        **BENCH,
        "kernel": HOSTILE,
        "device": HOSTILE,
        "tier": HOSTILE,
        "arch": "",
        "peers": {HOSTILE: {"ratio": 2.0}},
    }
    scores = dict.fromkeys(("mean", "median", "p10", "min"), 0.5)
    evaluated = {"name": HOSTILE, "scores": {HOSTILE: scores}, "note": HOSTILE}
    executed = {**EXECUTED, "arch": HOSTILE, "op": HOSTILE, "executed": HOSTILE, "reason": HOSTILE, "name": HOSTILE}
    results = collect([write(tmp_path, "r.jsonl", row, evaluated, executed, {HOSTILE: HOSTILE})])
    assert (len(results.runs), len(results.scores), len(results.checks)) == (1, 1, 1)
    page = render(results, {results.runs[0].key: HOSTILE}, title=HOSTILE, made=HOSTILE)
    assert page.count("alert(1)") > 8
    assert "<script>alert" not in page
    found = seen(page)
    assert (found.tags.count("script"), found.tags.count("style"), found.tags.count("img")) == (1, 1, 0)
    assert found.dangerous == []
    assert page.count("{{ 7*7 }}") > 8  # long labels are cut
    assert "&amp;49" not in page


def test_the_page_is_complete_in_itself() -> None:
    page = render(collect([RESULTS / "fmha_gpu.jsonl", RESULTS / "selection_gemm_h200.json"]), title="Mine")
    found = seen(page)
    assert found.dangerous == []
    assert "svg" in found.tags
    assert not re.search(r"https?://|@import|url\(", page)
    assert "prefers-color-scheme: dark" in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src &#39;none&#39;" in policy[1] or "default-src 'none'" in policy[1]


def test_figures_agree_with_the_rows() -> None:
    """The geometric mean of attention on the H200 that the page shows is the one that the rows give."""
    rows = [json.loads(line) for line in (RESULTS / "fmha_gpu.jsonl").read_text().splitlines()]
    results = collect([RESULTS / "fmha_gpu.jsonl"])
    assert len(results.runs) == len(rows)
    own = rows[0]
    assert results.runs[0].peers["cudnn"] == pytest.approx(own["seconds"]["cudnn"] / own["seconds"][own["picked"]])
    copies = [r["copy_gbps"] for r in rows if "copy_gbps" in r]
    memory = [c for c in ceilings_of("NVIDIA H200", results.runs, results.ceilings) if c.kind == "memory"]
    assert [c.value for c in memory] == [max(copies) * 1e9]


def test_the_best_rate_of_a_peer_is_a_ceiling_too() -> None:
    (run,) = read_row(BENCH, {}, "r.jsonl")
    (best,) = [c for c in ceilings_of(run.place, [run], []) if c.kind == "compute"]
    assert best.value == pytest.approx(run.rate * 2)  # torch takes half of our time


def test_the_matrix_shows_failures_and_executions(tmp_path: Path) -> None:
    wrong = {**EXECUTED, "executed": "wrong", "reason": "off by one", "arch": "gfx950"}
    matrix = sections_of(collect([write(tmp_path, "e.jsonl", EXECUTED, wrong)]))[-1].matrix
    assert matrix["archs"] == ["gfx942", "gfx950"]
    ((_, _, dtypes, cells),) = matrix["rows"]
    assert dtypes == "fp16"
    assert [c.state for c in cells] == ["ran", "bad"]
    assert "off by one" in cells[1].hint


def test_a_kernel_that_could_not_be_executed_is_not_called_wrong(tmp_path: Path) -> None:
    unable = {**EXECUTED, "executed": "refused", "why": "no problem suits it", "digest": "b" * 64}
    right = {**EXECUTED, "digest": "a" * 64}
    matrix = sections_of(collect([write(tmp_path, "e.jsonl", right, unable)]))[-1].matrix
    (cell,) = matrix["rows"][0][3]
    assert (cell.state, cell.text) == ("ran", "2/2 compile, 1/1 right, 1 not executed")
    assert "could not be executed: no problem suits it" in cell.hint
    assert matrix["totals"][2] == ("1", "executed in the emulator, 0 not right; 1 more could not be executed")
    later = collect([write(tmp_path, "e.jsonl", unable), write(tmp_path, "f.jsonl", {**unable, "executed": "right"})])
    assert sections_of(later)[-1].matrix["rows"][0][3][0].text == "1/1 compile, 1/1 right"
    alone = sections_of(collect([write(tmp_path, "e.jsonl", unable)]))[-1].matrix
    assert alone["rows"][0][3][0].state == "compiles"


def test_the_audit_is_judged_by_the_rules_of_today() -> None:
    """As `docs/ck-tile-audit.md` counts: no accepted kernel fails, and two refused ones compile."""
    checks = collect([RESULTS / "ck_tile_audit.jsonl"]).checks
    accepted, refused = [c for c in checks if c.accepted], [c for c in checks if not c.accepted and not c.beyond]
    text = (RESULTS.parents[1] / "docs" / "ck-tile-audit.md").read_text()
    assert f"- {len(accepted)} accepted kernels compiled: {sum(not c.good for c in accepted)} false accepts." in text
    assert f"- {len(refused)} refused neighbours compiled: {sum(bool(c.good) for c in refused)} false refusals" in text
    assert all(isinstance(c, Check) for c in checks)


def test_the_command_writes_the_page(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, out = write(tmp_path, "r.jsonl", BENCH, {"odd": 1}), tmp_path / "page.html"
    assert run(["report", str(source), "--out", str(out), "--explain", "1", "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["holds"]["runs"], told["explained"], told["not used"]["r.jsonl"]["rows"]) == (1, 1, 1)
    assert "legal candidates of" in out.read_text()


def test_the_command_without_files_shows_the_own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_DATA_DIR", str(tmp_path))
    assert run(["report", "--out", str(tmp_path / "page.html")]) == 0
    assert "kernel cache" in (tmp_path / "page.html").read_text()


def test_a_file_that_is_missing_is_an_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["report", str(tmp_path / "none.jsonl"), "--out", str(tmp_path / "page.html")]) == 1
    assert "cannot be read" in capfd.readouterr().err
    assert not (tmp_path / "page.html").exists()


def test_winners_come_from_measurements(tmp_path: Path) -> None:
    rows = some_rows(5, problems=4)
    write_rows(rows, tmp_path / "rows.jsonl.gz")
    results = collect([tmp_path / "rows.jsonl.gz"])
    best = {r.tuning_key: min(x.seconds for x in rows if x.tuning_key == r.tuning_key) for r in rows}
    assert len(results.winners) == len(best)
    flops = {problem_from_dict(dict(r.problem)).tuning_key: problem_from_dict(dict(r.problem)).flops for r in rows}
    assert sorted(w.rate for w in results.winners) == pytest.approx(sorted(flops[k] / best[k] for k in best))
    assert sum(len(f.title) > 0 for f in sections_of(results)[3].figures) == 1


def test_a_kernel_of_two_files_counts_once(tmp_path: Path) -> None:
    row = {**EXECUTED, "digest": "a" * 64}
    files = [write(tmp_path, "a.jsonl", {**row, "executed": "right"}), write(tmp_path, "b.jsonl", row)]
    matrix = sections_of(collect(files))[-1].matrix
    assert matrix["rows"][0][3][0].text == "1/1 compile, 1/1 right"
    wrong = sections_of(collect([files[0], write(tmp_path, "c.jsonl", {**row, "executed": "wrong"})]))[-1].matrix
    assert wrong["rows"][0][3][0].state == "bad"


def boxes(page: str) -> list[tuple[str, float, float, float, float]]:
    """(words, room to the left, right, top and bottom) of every line of text, by the width of a letter."""
    found = []
    for view, body in re.findall(r'<svg viewBox="0 0 (\d+ \d+)".*?>(.*?)</svg>', page, re.DOTALL):
        wide, high = map(float, view.split())
        for attributes, words in re.findall(r"<text ([^>]*)>([^<]*)</text>", body):
            facts = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
            if "transform" in facts:
                continue
            x, length = float(facts["x"]), 6.3 * len(unescape(words))
            left = x - length * {"start": 0.0, "middle": 0.5, "end": 1.0}[facts["text-anchor"]]
            found.append((words, left, wide - left - length, float(facts["y"]) - 9, high - float(facts["y"])))
    return found


LONG = "an uncommonly long name of a device, a dtype, a kind or a family of kernels that no drawing has room for"


def test_no_text_of_a_drawing_is_clipped(tmp_path: Path) -> None:
    peers = {"numpy": {"ratio": 2.0, "low": 1.9, "high": 2.1}, LONG: {"ratio": 0.1}}
    rows = [{**BENCH, "problem": {**P, "m": m}, "time_ms": m / 64, "peers": peers} for m in (8, 64, 4096)]
    results = collect([write(tmp_path, "r.jsonl", *rows), RESULTS / "fmha_gpu.jsonl", RESULTS / "conv_gpu_h200.jsonl"])
    results.scores.append(Scores(LONG, {LONG: dict.fromkeys(("mean", "median", "p10", "min"), 0.5)}, "", "", ""))
    results.ceilings.append(Ceiling("CPU, 1 thread", "compute", LONG, 1e12, "measured"))
    results.winners += [Winner("CPU", "conv", "forward", "fp32", kind, 2.0**n, LONG, "k", "p", 1e9, 3, 1.2)
                        for kind in ("depthwise", "1x1") for n in range(16, 40)]  # fmt: skip
    found = boxes(render(results))
    assert len(found) > 100
    assert [words for words, *room in found if min(room) < 0] == []


def test_the_middle_half_of_build_times_is_within_their_range() -> None:
    drawing = build_rows({"two": [1.0, 2.0]})
    [whole], [half] = (re.findall(rf'<{kind}[^>]*class="{name}"[^>]*>', drawing) for kind, name in
                       (("line", "whisker"), ("rect", "bar")))  # fmt: skip
    first, last = (float(re.findall(rf'{end}="([^"]*)"', whole)[0]) for end in ("x1", "x2"))
    left, width = (float(re.findall(rf' {name}="([^"]*)"', half)[0]) for name in ("x", "width"))
    assert first < left < left + width < last


def test_a_roofline_has_a_named_roof(tmp_path: Path) -> None:
    rows = [{**BENCH, "problem": {**P, "m": m, "n": m, "k": m}, "time_ms": m**3 / 1e7} for m in (16, 64, 512)]
    measured = {"ceilings": {"compute": {"fp32 FMA": 9e10}, "memory": {"reading": 2e10}}, "device": "CPU", "threads": 1}
    for extra, names in (((), ("best fp32", "best bytes")), ((measured,), ("fp32 FMA 90 GFLOP/s", "reading 20 GB/s"))):
        page = render(collect([write(tmp_path, "r.jsonl", *rows, *extra)]))
        assert page.count('class="ceiling') == 2
        assert all(f">{name}" in page for name in names)


def test_wrong_and_empty_runs_are_in_no_figure(tmp_path: Path) -> None:
    row = {**BENCH, "policy": {"threads": 1, "noise": 0.01}, "peers": {"torch": {"ratio": 1.0}}}
    wrong = {**row, "ok": False, "time_ms": 0.01, "peers": {"torch": {"ratio": 100.0}}}
    empty = {**row, "problem": {**P, "m": 0}, "peers": {}}
    results = collect([write(tmp_path, "r.jsonl", row, wrong, empty)])
    page = render(results)
    assert "1.00x · least 1.00 · n 1" in page
    assert "not compared with peers: its result is wrong" in page
    assert "2 of 3" in page, "one is wrong"
    assert "1 run. 2 more had nothing to compute or gave a wrong result." in page
    assert "1e-300" not in page
    assert len(sections_of(collect([write(tmp_path, "e.jsonl", empty)]))[1].figures) == 0


def test_winners_of_other_numbers_of_threads_do_not_meet(tmp_path: Path) -> None:
    problems = [problem_from_dict({**P, "m": 64 << i}) for i in range(3)]
    alone = some_rows(6, problems)
    more = some_rows(6, problems, device=replace(DEVICE, threads=2), time=lambda c, p: 1e-9)
    path = tmp_path / "m.jsonl"
    write_rows([*alone, *more, *(replace(row, host="another") for row in alone)], path)
    winners = collect([path]).winners
    assert sorted({w.device for w in winners}) == ["a test", "a test, 2 threads"]
    assert {w.candidates for w in winners if w.device == "a test"} == {6}, "another host measured the same ones"


def test_headlines_rest_on_quiet_runs(tmp_path: Path) -> None:
    def row(ratio: float, **policy: float) -> dict[str, Any]:
        return {**BENCH, "peers": {"numpy": {"ratio": ratio, "low": ratio, "high": ratio * 1.1}}, "policy": policy}

    quiet, noisy, unknown = row(2.0, threads=1, noise=0.01), row(0.25, threads=1, noise=0.3), row(0.5, threads=1)
    results = collect([write(tmp_path, "r.jsonl", quiet, noisy, unknown)])
    assert [r.quiet for r in results.runs] == [True, False, None]
    page = render(results)
    assert "<dd>100%</dd>" in page
    assert "<dd>1 of 3</dd>" in page
    assert "2.00x · least 2.00 · n 1 · 1 noisy · 1 without noise" in page
    assert "the noise of 1 was not recorded" in page
    assert page.count('class="span"') == 3
    for other in (noisy, unknown):
        page = render(collect([write(tmp_path, "r.jsonl", other)]))
        assert "no quiet run" in page
        assert 'class="mean"' not in page


CONV = {"op": "grouped_conv", "n": 1, "c": 64, "k": 64, "input": [16, 16], "dtype": "fp32", "direction": "forward"}
FMHA = {"op": "fmha", "batch": 1, "heads_q": 8, "hdim_q": 64, "dtype": "fp32"}


@pytest.mark.parametrize(
    ("problem", "row"),
    [
        ({**CONV, "filter": [3, 3]}, "3x3"),
        ({**CONV, "filter": [7, 7]}, "wider filters"),
        ({**CONV, "filter": [3, 3], "stride": [2, 2]}, "strided"),
        ({**CONV, "filter": [3, 3], "dilation": [2, 2]}, "dilated"),
        ({**CONV, "filter": [1, 1], "g": 4}, "grouped"),
        ({**CONV, "filter": [3, 3], "g": 64}, "depthwise"),
        ({**FMHA, "seqlen_q": 512}, "full"),
        ({**FMHA, "seqlen_q": 512, "mask": "causal_top_left"}, "causal"),
        ({**FMHA, "seqlen_q": 1, "seqlen_k": 512}, "decoding"),
        ({**FMHA, "seqlen_q": 512, "family": "bwd", "lse": True}, "backward"),
    ],
)
def test_winners_of_layers_stand_by_kind(problem: dict[str, Any], row: str) -> None:
    assert shape_of(problem_from_dict(problem)).row == row
