"""Decisions of the backend `tilewright`: what is measured, what is built for it, and what times decide."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is compiled")

from compiled_graphs import rewritten
from torch import nn
from torch._dispatch.python import enable_python_dispatcher
from torch.nn import functional

from tilewright.dispatcher import Dispatcher
from tilewright.frontends.default import default_dispatcher
from tilewright.ops import problem_from_dict
from tilewright.torch.compile import decide, rewrite, tuning
from tilewright.torch.compile.decide import DOUBT, Times
from tilewright.torch.compile.rewrite import Rewriter, doubtful
from tilewright.torch.compile.sites import sites
from tilewright.torch.compile.tuning import NOISE, Tuner

verdict = Times.verdict


def test_measured_times_decide(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Conv2d(8, 8, 3), nn.ReLU(), nn.Flatten(1), nn.Linear(128, 64))
    x = torch.randn(2, 8, 6, 6, requires_grad=True)
    for again in (False, True):  # the second time everything is known, to another process too
        tuner = Tuner(tmp_path / "times.jsonl")
        compiled, report = rewritten(model, always=False, tuner=tuner, tune=True)
        got, want = compiled(x), model(x)
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
        gradients = [torch.autograd.grad(y.square().sum(), (x, *model.parameters())) for y in (got, want)]
        torch.testing.assert_close(*gradients, rtol=1e-3, atol=1e-3)
        assert len(report.entries) == 6
        assert all(entry.ours and entry.theirs for entry in report.entries)
        assert all(entry.ours < entry.theirs for entry in report.taken)
        assert bool(tuner.rows.added) is not again


def test_kernels_that_are_not_built_are_predicted_with_a_margin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library's time is measured without tuning; ours only if it is built. What was measured counts ever after."""
    path, model, x = tmp_path / "times.jsonl", nn.Linear(72, 56), torch.randn(40, 72)
    monkeypatch.setattr(Dispatcher, "is_built", lambda self, spec: False)
    doubts = []
    monkeypatch.setattr(Times, "verdict", lambda self, *args: (doubts.append(self.doubt), verdict(self, *args))[1])
    monkeypatch.setattr(Tuner, "prepare", lambda self, problems, where, seconds: None)
    for tune, ways in ((False, ["library", "after"]), (True, ["ours", "library", "after"]), (False, [])):
        before = path.read_text().splitlines() if path.exists() else []
        with torch.no_grad():
            rewritten(model, always=False, tuner=Tuner(path), tune=tune)[0](x)
        assert [json.loads(line)["way"] for line in path.read_text().splitlines()[len(before) :]] == ways
    assert set(doubts) == {DOUBT, NOISE}
    assert doubts[-1] == NOISE


def test_times_on_a_cpu_are_compared_with_those_of_the_same_minute(tmp_path: Path) -> None:
    """The same operator of torch with two epilogues has two times, each measured in turn with our kernel."""

    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(72, 72), nn.Linear(72, 72)

        def forward(self, x: Any) -> Any:
            x = torch.relu(self.first(x))
            return torch.sigmoid(self.second(x) + x)

    path = tmp_path / "times.jsonl"
    with torch.no_grad():
        rewritten(Two(), always=False, tuner=Tuner(path), tune=True)[0](torch.randn(40, 72))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    ours, library = ({row["what"] for row in rows if row["way"] == way} for way in ("ours", "library"))
    assert len(library) == len(ours) > 1


@pytest.mark.parametrize(("doubt", "why"), [(1.0, ""), (1.1, "the gain is within the doubt")])
def test_a_gain_must_exceed_the_doubt(doubt: float, why: str) -> None:
    candidate = (
        default_dispatcher()
        .choose(problem_from_dict({"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp32"}))
        .candidate
    )
    found = Times(candidate, 1.0, 1.05, 0.5, doubt=doubt).verdict(whole=True, followed=False)
    assert (found.taken, found.why) == (not why, why)


def test_an_activation_that_inductor_computes_anyway_has_its_price() -> None:
    problem = problem_from_dict({"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp32"})
    times = Times(default_dispatcher().choose(problem).candidate, 1.2, 1.0, 0.0)
    assert not times.verdict(whole=True, followed=True).taken
    assert replace(times, activation=0.5).verdict(whole=True, followed=True).taken
    assert not replace(times, activation=0.5).verdict(whole=False, followed=True).taken


def test_activations_that_take_long_are_measured(tmp_path: Path) -> None:
    for activation, measured in ((nn.GELU(), True), (nn.ReLU(), False)):
        path = tmp_path / f"{measured}.jsonl"
        with torch.no_grad():
            model = nn.Sequential(nn.Linear(24, 16), activation)
            rewritten(model, always=False, tuner=Tuner(path), tune=True)[0](torch.randn(4, 24))
        assert ('"activation"' in path.read_text()) is measured


def test_times_on_a_cpu_are_those_between_two_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    def timed(ways: Any) -> Any:
        return {way: (call(), {"ours": 5.0, "passes": 1.0}.get(way, 2.0))[1] for way, call in ways.items()}

    monkeypatch.setattr(tuning, "_on_cpu", timed)
    read, result = torch.ones(2), -torch.ones(2)
    assert tuning._in_a_program({"ours": lambda: result, "after": lambda: None}, read, result) == {
        "ours": 4.0, "after": 2.0,
    }  # fmt: skip
    assert result.tolist() == [0.0, 0.0]


def test_a_time_that_is_lost_in_other_work_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(tuning, "_on_cpu", lambda ways: calls.append(ways) or dict.fromkeys(ways, 1.0))
    path, layer = tmp_path / "times.jsonl", nn.Linear(24, 16)
    with torch.no_grad():
        compiled, report = rewritten(layer, always=False, tuner=Tuner(path), tune=True)
        compiled(torch.ones(2, 24))
    assert len(calls) == tuning.TRIES
    assert not path.exists()
    assert not report.taken  # as predicted


def test_times_on_a_cpu_are_taken_without_the_state_of_a_compilation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inductor's passes run with torch's dispatcher in Python, which makes each operator take longer."""
    states: list[tuple[bool, bool]] = []

    def timed(ways: Any) -> Any:
        included = torch._C._dispatch_tls_local_include_set()
        states.append((included.has(torch._C.DispatchKey.PythonDispatcher), torch.is_grad_enabled()))
        return {way: (call(), 1.0)[1] for way, call in ways.items()}

    monkeypatch.setattr(tuning, "_on_cpu", timed)
    with enable_python_dispatcher():
        rewritten(nn.Linear(24, 16), always=False, tuner=Tuner(tmp_path / "times.jsonl"), tune=True)[0](
            torch.ones(2, 24)
        )
    assert set(states) == {(False, False)}


@pytest.mark.parametrize(
    ("device", "change", "seconds"),
    [
        ("cuda:0", {"d": [{"dtype": "fp16"}]}, 0.0),
        ("cuda:0", {"epilogue": {"activation": "gelu_tanh"}}, 0.0),  # the cost model knows it
        ("cuda:0", {"d": [{"dtype": "fp16", "broadcast": "row"}], "epilogue": {"activation": "relu"}}, 0.0),
        ("cpu", {"d": [{"dtype": "fp16"}]}, 0.0),
    ],
)
def test_an_epilogue_has_its_price(device: str, change: dict[str, Any], seconds: float) -> None:
    data = {"op": "gemm", "m": 64, "n": 32, "k": 16, "dtype": "fp16", "device": device, **change}
    assert decide._epilogue_seconds(problem_from_dict(data)) == pytest.approx(seconds)


def test_an_epilogue_of_a_convolution_has_its_price() -> None:
    sizes = {"n": 2, "c": 8, "k": 16, "input": [5, 5], "filter": [1, 1], "dtype": "fp16", "device": "cuda:0"}
    data = {"op": "grouped_conv", "direction": "forward", **sizes, "epilogue": {"activation": "silu"}}
    problem = problem_from_dict(data)
    assert decide._epilogue_seconds(problem) == pytest.approx(2 * 16 * 5 * 5 * decide.ACTIVATION["silu"])


def test_images_of_few_channels_are_doubtful() -> None:
    sizes = {"n": 2, "k": 16, "input": [8, 8], "filter": [3, 3], "dtype": "fp16", "device": "cuda:0"}
    data = {"op": "grouped_conv", "direction": "forward", **sizes}
    doubts = [decide._doubt(problem_from_dict({**data, "c": c})) for c in (3, 8)]
    assert doubts == [decide.FEW_CHANNELS_DOUBT, DOUBT]


@pytest.mark.parametrize(("device", "built"), [("cuda:0", [16, 64]), ("cpu", [16, 64, 128, 256])])
def test_kernels_of_doubtful_decisions_are_built(
    device: str, built: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a CPU: all but what is surely slower. On a GPU the close ones with the most time, of all sites together."""
    monkeypatch.setattr(rewrite, "MAX_BUILT_FIRST", 2)
    found = []
    for m, ours, theirs in ((16, 1.1, 1.0), (32, 2.0, 1.0), (64, 0.6, 0.7), (64, 0.6, 0.7), (128, 0.8, 0.9),
                            (256, 0.4, 1.0)):  # fmt: skip
        given = {"op": "gemm", "m": m, "n": 4, "k": 4, "dtype": "fp16", "device": device}
        found.append((decide.Verdict(ours < theirs, "", "", ours, theirs), problem_from_dict(given)))
    assert [problem.m for problem in doubtful(found)] == built  # type: ignore[attr-defined]


def test_what_a_gpu_will_be_asked_for_is_built_while_libraries_are_measured() -> None:
    """The doubtful first, each once; nothing on a CPU, where compilers would disturb the measurement."""
    found = []
    for m, ours, device in ((16, 0.1, "cuda:0"), (32, 0.98, "cuda:0"), (32, 0.98, "cuda:0"), (64, 5.0, "cuda:0"),
                            (128, 0.1, "cpu")):  # fmt: skip
        given = {"op": "gemm", "m": m, "n": 4, "k": 4, "dtype": "fp16", "device": device}
        found.append((decide.Verdict(ours < 1.0, "", "", ours, 1.0, at_most=ours), problem_from_dict(given)))
    assert [problem.m for problem in rewrite.expected(found)] == [32, 16]  # type: ignore[attr-defined]


@pytest.mark.parametrize("tune", [False, True])
def test_builds_begin_before_a_library_is_measured(tune: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `tune` all of ours are built and measured anyway."""
    order: list[str] = []
    times = tuning._times

    def close(problem: Any, result: int, folded: int, where: Any, followed: Any = ()) -> Times:
        return Times(where.choose(problem).candidate, 1.0, 1.0, 0.0)

    monkeypatch.setattr(rewrite, "estimated", close)
    monkeypatch.setattr(rewrite, "kind_of", lambda problem: "gpu")
    monkeypatch.setattr(Rewriter, "_patience", lambda self, wanted: float("inf"))
    monkeypatch.setattr(Tuner, "begin", lambda self, problems, where: order.extend("build" for _ in problems))
    monkeypatch.setattr(tuning, "_times", lambda wanted, *rest: order.append("measure") or times(wanted, *rest))
    model = nn.Linear(72, 56)
    with torch.no_grad():
        rewritten(model, always=False, tuner=Tuner(tmp_path / "times.jsonl"), tune=tune)[0](torch.randn(40, 72))
    assert "measure" in order
    assert tune or order[0] == "build"


def test_a_gain_within_the_doubt_is_worth_measuring() -> None:
    assert decide.Verdict(False, "the gain is within the doubt", "", 0.3, 1.0, at_most=1.1).is_close
    assert not decide.Verdict(True, "", "", 0.3, 1.0, at_most=0.9).is_close


def test_a_compilation_waits_for_doubtful_kernels_as_long_as_it_took(tmp_path: Path) -> None:
    """On a GPU. A build that takes longer goes on; tuning and a CPU wait for all."""
    where, release, done = default_dispatcher(), threading.Event(), threading.Event()
    given = {"op": "gemm", "m": 64, "n": 32, "k": 16, "dtype": "fp32"}
    here = problem_from_dict(given)
    there = problem_from_dict({**given, "dtype": "fp16", "device": "cuda:0"})
    rewriter = Rewriter(where, rewrite.CompileReport())
    assert 0.0 <= rewriter._patience([there]) < 60.0
    assert rewriter._patience([here]) == replace(rewriter, tune=True)._patience([there]) == float("inf")

    def warm_up(problems: Any) -> None:
        release.wait(60.0)
        done.set()

    class Slow:
        settings = where.settings
        choose, device_for = where.choose, where.device_for

    slow: Any = Slow()
    slow.warm_up = warm_up
    Tuner(tmp_path / "times.jsonl").prepare([here], slow, 0.01)
    assert not done.is_set()
    release.set()
    assert done.wait(60.0)


def test_a_busy_machine_takes_no_kernel_that_is_slower(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways take a hundred times as long as predicted, as they do beside other work."""
    monkeypatch.setattr(
        tuning, "_on_cpu", lambda ways: {way: {"library": 1.0, "ours": 1.1}.get(way, 0.0) for way in ways}
    )
    prepared: list[Any] = []
    monkeypatch.setattr(Tuner, "prepare", lambda self, problems, where, seconds: prepared.extend(problems))
    monkeypatch.setattr(Dispatcher, "is_built", lambda self, spec: bool(prepared))
    compiled, report = rewritten(nn.Linear(72, 56), always=False, tuner=Tuner(tmp_path / "times.jsonl"))
    with torch.no_grad():
        compiled(torch.randn(40, 72))
    assert prepared
    assert not report.taken


@pytest.mark.parametrize(("slower", "taken"), [(1.5, 2), (4.0, 0)])
@pytest.mark.parametrize("last", [False, True])
def test_convolutions_in_another_format_are_taken_together(
    slower: float, taken: int, last: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two is faster than the library, and the other one slower. Channels-last images need no copy."""
    model = nn.Sequential(nn.Conv2d(8, 8, 3), nn.Conv2d(8, 16, 3)).eval()
    x = torch.randn(2, 8, 12, 12)
    if last:
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)

    def timed(problem: Any, result: int, folded: int, where: Any, followed: Any) -> Times:
        return Times(where.choose(problem).candidate, 0.1 if problem.k == 8 else slower, 1.0, 0.0, doubt=1.0)

    monkeypatch.setattr(rewrite, "estimated", timed)
    compiled, report = rewritten(model, always=False)
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-4)
    assert len(report.taken) == (1 if last else taken)


def test_what_takes_long_is_called_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, calls = [0.0], {"long": 0, "short": 0}
    monkeypatch.setattr(tuning, "time", SimpleNamespace(perf_counter=lambda: clock[0]))

    def run(name: str, seconds: float) -> None:
        calls[name] += 1
        clock[0] += seconds

    found = tuning._on_cpu({"long": lambda: run("long", 0.06), "short": lambda: run("short", 0.003)})
    assert calls == {"long": 2, "short": 1 + tuning.ROUNDS}
    assert found == pytest.approx({"long": 0.06, "short": 0.003})


def test_nothing_is_measured_where_runs_must_be_equal(tmp_path: Path) -> None:
    tuner = Tuner(tmp_path / "times.jsonl")
    torch.use_deterministic_algorithms(True)
    try:
        with torch.no_grad():
            rewritten(nn.Linear(24, 16), always=False, tuner=tuner, tune=True)[0](torch.randn(4, 24))
    finally:
        torch.use_deterministic_algorithms(False)
    assert not tuner.rows.added


def test_estimates_are_on_the_side_of_the_library() -> None:
    compiled, report = rewritten(nn.Linear(64, 64), always=False)
    with torch.no_grad():
        compiled(torch.randn(1, 64))
    assert [entry.reason for entry in report.left] == ["the library is as fast"]


def test_what_inductor_fuses_anyway_saves_nothing() -> None:
    """SiLU before a product of tensors, and a residual before a norm, are part of Inductor's next kernel."""
    gate, up, norm = nn.Linear(16, 16), nn.Linear(16, 16), nn.LayerNorm(16)
    found, rewrite = [], Rewriter.__call__

    def noted(graph: Any) -> None:
        found.extend((site.label, site.is_written) for site in sites(graph))

    for run in (
        lambda x: functional.silu(gate(x)) * up(x),
        lambda x: norm(gate(x) + x),
        lambda x: up(functional.gelu(gate(x)).reshape(2, 4, 16)).sum(),
    ):
        compiled, _ = rewritten(run, always=False)
        with pytest.MonkeyPatch.context() as patch, torch.no_grad():
            patch.setattr(Rewriter, "__call__", lambda self, graph: (noted(graph), rewrite(self, graph))[1])
            compiled(torch.randn(8, 16))
    assert found == [
        ("addmm + silu", False), ("addmm", False), ("addmm + add", False), ("addmm + gelu_erf", True), ("addmm", False),
    ]  # fmt: skip
