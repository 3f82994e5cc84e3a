"""The report in a real browser: no error, no request, filters and titles work, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import NoBrowserError, Page, find_browser, open_page

from tilewright.report.collect import collect
from tilewright.report.page import render
from tilewright.report.results import Results

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
FILES = ("gemm_gpu_h200_chain.jsonl", "fmha_gpu.jsonl", "attention_cpu.jsonl", "selection_gemm_h200.json")
SHOWN = "[...document.querySelectorAll('#table tbody tr')].filter(r => !r.hidden)"

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def results() -> Results:
    return collect([RESULTS / name for name in FILES])


@pytest.fixture(scope="module")
def page(results: Results, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Page]:
    try:
        command = find_browser(download=request.config.getoption("--exhaustive"))
    except NoBrowserError as reason:
        pytest.skip(str(reason))
    file = tmp_path_factory.mktemp("report") / "report.html"
    why = {results.runs[0].key: "because </script> <b>it</b> is fastest"}
    file.write_text(render(results, why, title="In a browser"))
    with open_page(command) as opened:
        opened.look(1200, 900)
        opened.open(file)
        yield opened


def test_it_loads_without_an_error_or_a_request(page: Page) -> None:
    assert page.ask("document.title") == "In a browser"
    assert page.ask("document.querySelectorAll('svg').length") > 6
    assert page.errors == []
    assert len(page.requests) == 1


def test_no_text_is_clipped(page: Page) -> None:
    outside = """[...document.querySelectorAll('svg')].flatMap(s => [...s.querySelectorAll('text')].filter(t => {
        const b = t.getBBox(), v = s.viewBox.baseVal;
        const wide = b.x < 0 || b.x + b.width > v.width, tall = b.y < 0 || b.y + b.height > v.height;
        return !t.hasAttribute('transform') && (wide || tall);
    }).map(t => t.textContent))"""
    assert page.ask(outside) == []


def test_filters_filter(page: Page, results: Results) -> None:
    def type_(text: str) -> None:
        page.ask(
            f"(e => {{ e.value = {text!r}; e.dispatchEvent(new Event('input')) }})(document.getElementById('filter'))"
        )

    assert page.ask(f"{SHOWN}.length") == len(results.runs)
    type_("fmha bf16")
    labels = page.ask(f"{SHOWN}.map(r => r.cells[0].textContent)")
    assert 0 < len(labels) < len(results.runs)
    assert all("fmha" in label and "bf16" in label for label in labels)
    assert page.ask("document.getElementById('shown').textContent") == f"{len(labels)} of {len(results.runs)}"
    page.ask("(e => { e.checked = true; e.dispatchEvent(new Event('input')) })(document.getElementById('slower'))")
    assert all(r < 1 for r in page.ask(f"{SHOWN}.map(r => Number(r.dataset.ratio))"))
    page.ask("(e => { e.checked = false; e.dispatchEvent(new Event('input')) })(document.getElementById('slower'))")
    type_("")
    assert page.ask(f"{SHOWN}.length") == len(results.runs)


def test_titles_sort(page: Page) -> None:
    click = "document.querySelectorAll('#table thead button')[1].click()"
    times = f"{SHOWN}.map(r => Number(r.cells[1].dataset.v))"
    page.ask(click)
    up = page.ask(times)
    page.ask(click)
    down = page.ask(times)
    assert up == sorted(up)
    assert down == sorted(up, reverse=True)
    assert len(set(up)) > 10


def test_the_reason_of_a_choice_is_text(page: Page) -> None:
    assert (
        page.ask("document.querySelector('#table details pre').textContent") == "because </script> <b>it</b> is fastest"
    )


def test_it_is_light_and_dark_and_fits_a_phone(page: Page) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    page.look(1200, 900)
    light = page.ask(colour)
    page.look(390, 844, dark=True, phone=True)
    assert page.ask(colour) != light
    assert page.ask("document.documentElement.scrollWidth") <= 390
    page.look(1200, 900)
    assert page.errors == []
