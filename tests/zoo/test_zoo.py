"""A sample of the zoo, and the judge: right results pass, and those of slightly wrong kernels do not."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: no model of the zoo is run")
import zoo_judge
from torch import nn
from zoo_entry import Entry, converted, fill, floats, prepared, shorten
from zoo_judge import dither, judge
from zoo_part import Largest, Zookeeper, copied, row_of
from zoo_run import FINE, JUDGE, NOT_RUN, ROOT, TORCH_WRONG, Keeper, Worker, main, parse, rows_of, table, wanted
from zoo_samples import SAMPLES
from zoo_steps import jumps_of, move, points_of
from zoo_torchvision import nms
from zoo_vision import _losses, _scene

import tilewright.torch as tt
from tilewright.torch import modules, op_sdpa

pytestmark = pytest.mark.filterwarnings("ignore")  # what models of others warn about is not ours


def net() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 5))


NET = Entry("own/net", net, lambda: (torch.randn(2, 3, 8, 8, generator=torch.Generator().manual_seed(0)),))


@pytest.mark.parametrize("name", ["gpt_bigcode", "bert", "opt"])
def test_models_draw_no_random_numbers(name: str) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed: none of its models is run")
    from zoo_transformers import config_of

    config = config_of(name, {}).to_dict()
    assert not {n: v for n, v in config.items() if "drop" in n and v}


@pytest.mark.parametrize("name", [name for name in SAMPLES["test"] if name.startswith("transformers")])
def test_a_sample_of_transformers_is_right(name: str) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed: none of its models is run")
    from zoo_transformers import entry_of

    row = row_of(entry_of(name.partition("/")[2]), ["fp32"], "cpu")
    assert row["verdict"] == "right", row
    assert row["skipped"] == {}
    assert row["layers_left"] == 0
    assert {"fp32 patched step", "fp32 fused forward", "fp32 patched generate static"} <= set(row["checks"])


def test_a_row_says_what_was_compared() -> None:
    row = row_of(NET, ["fp32", "bf16"], "cpu")
    assert row["verdict"] == "right", row
    ways = ("patched forward", "patched step", "fused forward")
    assert set(row["checks"]) == {f"{dtype} {way}" for dtype in ("fp32", "bf16") for way in ways}
    assert (row["layers"], row["layers_left"], row["calls"], row["calls_left"]) == (2, 0, 2, 0)
    assert row["checks"]["fp32 patched step"]["allowed"] < 1e-5


def test_a_wrong_layer_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of a percent more in one kind of layer."""
    right = modules.TilewrightLinear.forward
    monkeypatch.setattr(modules.TilewrightLinear, "forward", lambda self, x: right(self, x) * 1.001)
    row = row_of(NET, ["fp32"], "cpu")
    assert row["verdict"] == "wrong"
    assert "wrong" in row["checks"]["fp32 patched forward"]


def test_an_error_of_ours_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("broken")

    monkeypatch.setattr(modules.TilewrightLinear, "forward", broken)
    row = row_of(NET, ["fp32"], "cpu")
    assert row["verdict"] == "error"
    assert "ZeroDivisionError: broken" in row["errors"]["fp32 patched forward"]


def test_a_call_that_torch_computes_is_counted() -> None:
    class Product(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 8)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.layer(x) @ x.T

    row = row_of(Entry("own/product", Product, lambda: (torch.randn(4, 8),)), ["fp32"], "cpu")
    assert (row["calls"], row["calls_left"]) == (2, 1)


def test_the_judge_allows_what_torch_needs_and_no_more() -> None:
    reference = {"y": torch.ones(4, dtype=torch.float64)}
    torchs = {"y": torch.ones(4) + torch.tensor([2e-6, 0, 0, 0])}
    assert judge({"y": torch.ones(4) + 7e-6}, torchs, reference, torch.float32).ok
    assert not judge({"y": torch.ones(4) + 1e-5}, torchs, reference, torch.float32).ok
    assert "not finite" in judge({"y": torch.tensor([1, 1, torch.nan, 1])}, torchs, reference, torch.float32).wrong["y"]
    assert "shape" in judge({"y": torch.ones(3)}, torchs, reference, torch.float32).wrong["y"]
    assert not judge({}, torchs, reference, torch.float32).ok
    far = {"y": torch.ones(4) + 1e-4}  # torch is as far off when a weight is rounded differently: a step of the net
    assert judge(far, torchs, reference, torch.float32, lambda _: ({"y": torch.ones(4) + 5e-5}, reference)).ok


def test_the_judge_also_looks_for_steps_with_larger_changes() -> None:
    """A step that only the larger changes take explains a result; what grows with the changes explains little more."""
    reference = {"y": torch.ones(4, dtype=torch.float64)}
    torchs = {"y": torch.ones(4) + 2e-6}

    def step(seed: int) -> Any:
        return {"y": torch.ones(4) + (1e-4 if dither(seed) > 1 else 2e-6)}, reference

    def smooth(seed: int) -> Any:
        return {"y": torch.ones(4) + 2e-6 * dither(seed)}, reference

    assert judge({"y": torch.ones(4) + 1.5e-4}, torchs, reference, torch.float32, step).ok
    assert not judge({"y": torch.ones(4) + 3e-4}, torchs, reference, torch.float32, step).ok
    assert not judge({"y": torch.ones(4) + 2e-5}, torchs, reference, torch.float32, smooth).ok


def edge(argument: float) -> tuple[Zookeeper, nn.Module]:
    """Return a net one of whose ReLUs has this argument, and its first layer. Half a rounding of fp32 is 6e-8 there."""
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8))
    fill(model)
    x = torch.randn(4, 8, generator=torch.Generator().manual_seed(0))
    x[0, :2] = torch.tensor([1.0, argument])
    with torch.no_grad():
        model[0].weight[0] = torch.tensor([1.0, 1.0, *[0.0] * 6])
        model[0].bias[0] = -1.0
    return Zookeeper(Entry("own/edge", lambda: model, lambda: (x,)), model, torch.float32, "cpu"), model[0]


def shifted(monkeypatch: pytest.MonkeyPatch, layer: nn.Module, by: float) -> None:
    """Let our kernel add something to the first number of a layer's result."""
    right, more = modules.TilewrightLinear.forward, torch.zeros(4, 8)
    more[0, 0] = by

    def forward(self: nn.Module, x: torch.Tensor) -> torch.Tensor:
        found = right(self, x)
        return found + more if self is layer else found

    monkeypatch.setattr(modules.TilewrightLinear, "forward", forward)


def test_a_relu_that_a_rounding_turns_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zoo_judge, "DITHERS", 0)
    keeper, layer = edge(1.2e-7)
    shifted(monkeypatch, layer, -2e-7)
    keeper.run()
    reference = {n: x for n, x in keeper.precise["step"].items() if n.startswith("grad 0")}
    assert "wrong" not in keeper.checks["patched step"], keeper.checks
    with tt.patch(keeper.model):
        ours = keeper._step(keeper.model)
    far = judge(ours, keeper.plain["step"], keeper.precise["step"], torch.float32)
    assert {*far.wrong} == {*reference}, "the ReLU does not turn"


def test_an_error_is_noticed_beside_a_relu_that_torch_turns() -> None:
    """Torch is so far off there that its error as the measure would allow everything."""
    keeper, _ = edge(1e-9)  # 1 + 1e-9 - 1 is 0 in fp32
    keeper.run()
    check = keeper.checks["patched step"]
    assert check["torch"] < 1e-6, check
    assert (keeper.plain["step"]["grad 0.bias"] - keeper.precise["step"]["grad 0.bias"]).abs().max() > 0.01
    with tt.patch(keeper.model):
        ours = keeper._step(keeper.model)
    wrong = {name: x * 1.0001 if name == "grad 0.weight" else x for name, x in ours.items()}
    assert {*keeper._judged("step", keeper._step, wrong)["wrong"]} == {"grad 0.weight"}


@pytest.mark.parametrize("argument", [1e-5, 1e-3, 0.1])
def test_a_relu_that_more_than_a_rounding_turns_is_wrong(monkeypatch: pytest.MonkeyPatch, argument: float) -> None:
    keeper, layer = edge(argument)
    shifted(monkeypatch, layer, -1.5 * argument)
    keeper.run()
    assert "grad 0.weight" in keeper.checks["patched step"]["wrong"]


JUMPING = {
    "relu": nn.ReLU(), "in place": nn.ReLU(inplace=True), "relu6": nn.ReLU6(), "leaky": nn.LeakyReLU(0.1),
    "hardswish": nn.Hardswish(), "hardsigmoid": nn.Hardsigmoid(), "pool": nn.MaxPool2d(3, 2, 1, ceil_mode=True),
}  # fmt: skip


@pytest.mark.parametrize("name", JUMPING)
def test_a_derivative_that_jumps_is_taken_where_it_is_wanted(name: str) -> None:
    function = JUMPING[name]
    first, second = torch.randn(2, 1, 2, 7, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) * 4

    def gradient(x: torch.Tensor, at: torch.Tensor | None = None) -> torch.Tensor:
        x = x.clone().requires_grad_()
        y = function(x + 0.0)
        if at is not None:
            jumps = jumps_of([y])
            move(jumps, points_of(jumps_of([function(at.clone().requires_grad_() + 0.0)])), jumps)
        y.backward(torch.arange(y.numel(), dtype=y.dtype).view_as(y))
        assert x.grad is not None
        return x.grad

    assert torch.equal(gradient(first, at=second), gradient(second))
    assert not torch.equal(gradient(first), gradient(second))


BIG = 65504.0  # the largest number of fp16
HALVES = {
    # ours, torch's, exact, whether a value on the way overflows; whether ours is right
    "both finite": (1.0, 1.0, 1.0, False, True),
    "both overflow": (torch.inf, torch.inf, 1.0, False, True),
    "infinity and NaN": (torch.nan, torch.inf, 7e4, False, True),
    "only ours, without need": (torch.inf, 1.0, 1.0, False, False),
    "only ours, NaN without need": (torch.nan, 1.0, 1.0, False, False),
    "only ours, near the end of the range": (torch.inf, 6e4, 6e4, False, False),
    "only ours, at the end of the range": (torch.inf, BIG, BIG, False, True),
    "only ours, beyond the range": (-torch.inf, -BIG, -7e4, False, True),
    "only ours, beyond the range on the way": (torch.nan, 1.0, 1.0, True, True),
    "only torch's, and ours is right": (1.0, torch.inf, 1.0, False, True),
    "only torch's, and ours is wrong": (1.5, torch.inf, 1.0, False, False),
    "only torch's, as it is exactly": (1.0, torch.inf, torch.inf, False, False),
    "only torch's, as it is exactly, and it overflows": (1.0, torch.nan, torch.nan, True, False),
    "only ours, where nothing is exact": (torch.nan, 1.0, torch.nan, True, False),
}


@pytest.mark.parametrize("name", HALVES)
def test_the_judge_lets_numbers_overflow_only_if_there_is_no_room(name: str) -> None:
    ours, torchs, exact, overflows, right = HALVES[name]
    found = [{"y": torch.tensor([1.0, x], dtype=d)} for x, d in ((ours, torch.half), (torchs, torch.half))]
    reference = {"y": torch.tensor([1.0, exact], dtype=torch.float64)}
    verdict = judge(*found, reference, torch.half, None, lambda: overflows)
    assert verdict.ok == right
    assert verdict.overflows == (right and overflows)


class Steep(nn.Module):
    """A net whose gradients, or values on the way, are `size`."""

    def __init__(self, size: float, back: float) -> None:
        super().__init__()
        self.layer, self.size, self.back = nn.Linear(8, 8), size, back

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x) * self.size * self.back


@pytest.mark.parametrize(("size", "back", "overflows"), [(1.0, 1.0, False), (1e4, 1e-4, False), (1e6, 1e-6, True)])
def test_values_on_the_way_are_looked_at(size: float, back: float, overflows: bool) -> None:
    entry = Entry("own/steep", lambda: Steep(size, back), lambda: (torch.ones(4, 8),))
    keeper = Zookeeper(entry, prepared(entry), torch.half, "cpu")
    assert keeper._overflows(keeper._step) == overflows
    assert all(p.grad is None and p.dtype is torch.half for p in keeper.model.parameters())


def test_what_a_model_computes_in_fp32_leaves_no_range() -> None:
    with Largest(torch.float64) as found:
        torch.full((2,), 1e9, dtype=torch.float32).sum()
        torch.full((2,), -3.0, dtype=torch.float64).sum()
        torch.empty(1 << 16, dtype=torch.float64)
    assert found.value == 6.0


def test_a_kernel_that_overflows_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that keeps its sums in fp16: the numbers of the net have room."""
    right = modules.TilewrightLinear.forward
    monkeypatch.setattr(modules.TilewrightLinear, "forward", lambda self, x: right(self, x) * 1e4 * 1e3 / 1e7)
    row = row_of(NET, ["fp16"], "cpu")
    assert "not finite" in str(row["checks"]["fp16 patched forward"]["wrong"])


def test_a_model_that_torch_does_not_run_has_a_verdict_of_its_own(tmp_path: Path) -> None:
    class Refusing(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 8)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.layer(x) @ torch.ones(8, 8, dtype=torch.float64)

    row = row_of(Entry("torchvision/refusing", Refusing, lambda: (torch.randn(4, 8),)), ["bf16"], "cpu")
    assert row["verdict"] == NOT_RUN
    assert set(row["skipped"]) == {"bf16 forward", "bf16 step"}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n")
    assert f"1 models, 0 right, 0 wrong, 0 error, 1 {NOT_RUN}" in table(rows_of(path))
    with path.open("a") as file:
        file.write('{"model": "cut')  # by a run that was killed
    assert f"1 models, 0 right, 0 wrong, 0 error, 1 {NOT_RUN}" in table(rows_of(path))
    assert main(["--table", "--out", str(path)]) == 0


@pytest.mark.parametrize("option", ["softcap", "s_aux", "scaling"])
def test_a_model_whose_options_sdpa_leaves_out_is_compared_with_eager(option: str) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed: none of its models is run")
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
    from zoo_transformers import drops_options

    class Capped(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return ALL_ATTENTION_FUNCTIONS["sdpa"](self, x, x, x, None, **{option: 2.0})[0]

    before = ALL_ATTENTION_FUNCTIONS["sdpa"]
    assert drops_options(Capped(), {"x": torch.ones(1, 2, 3, 4)}) == (option != "scaling")
    assert ALL_ATTENTION_FUNCTIONS["sdpa"] is before


def test_runs_of_equal_blocks_are_shortened() -> None:
    block = lambda: nn.Sequential(nn.Linear(4, 4), nn.ReLU())  # noqa: E731
    relus = [nn.ReLU() for _ in range(3)]
    model = nn.Sequential(nn.Linear(4, 4), *(block() for _ in range(5)), nn.Linear(4, 2), *relus)
    shorten(model)
    assert len(model) == 7
    assert model(torch.ones(1, 4)).shape == (1, 2)


def test_weights_are_the_same_in_every_process_and_not_trivial() -> None:
    first, second = (dict(prepared(NET).state_dict()) for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert first["1.running_mean"].std() > 0.05
    scale = nn.Module()
    scale.gamma = nn.Parameter(torch.full((8,), 1e-6))
    fill(scale)
    assert scale.gamma.abs().max() > 0.01


def test_results_are_flattened_by_path() -> None:
    tree = {"a": (torch.ones(1), [torch.ones(2)]), "ids": torch.ones(1, dtype=torch.long), "none": None}
    assert [(path, x.numel()) for path, x in floats(tree)] == [("a.0", 1), ("a.1.0", 2)]
    assert converted(tree, torch.float64)["a"][0].dtype is torch.float64


def test_nms_keeps_the_best_of_boxes_that_overlap() -> None:
    boxes = torch.tensor([[0.0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30], [0, 0, 10, 9]])
    assert nms(boxes, torch.tensor([0.8, 0.9, 0.1, 0.7]), 0.5).tolist() == [1, 2]
    assert nms(boxes, torch.tensor([0.8, 0.9, 0.1, 0.7]), 0.95).tolist() == [1, 0, 3, 2]
    assert nms(boxes[:0], torch.ones(0), 0.5).tolist() == []


def test_keypoints_stay_in_fp32() -> None:
    """Torchvision takes no others, and without float64 the exact result would be torch's own in fp32."""

    class Detector(nn.Module):
        def forward(self, images: Any, targets: Any) -> Any:
            return images[0].dtype, targets[0]["boxes"].dtype, targets[0]["keypoints"].dtype

    found = _losses(Detector(), converted(_scene(1), torch.float64))
    assert found == (torch.float64, torch.float64, torch.float32)


def worker(code: str) -> Worker:
    found = Worker(parse([]))
    found.command = [sys.executable, "-c", code]
    return found


def test_a_worker_that_crashes_or_hangs_is_replaced() -> None:
    row = worker("import sys; sys.stdin.readline(); sys.exit('no such layer')").row("a/b", 60.0)
    assert row is not None
    assert row["verdict"] == "error"
    assert "no such layer" in row["errors"]["process"]
    slow = worker("import time; time.sleep(600)")
    assert slow.row("a/b", 0.2) is None
    assert slow.process is None
    answers = worker(
        "import json\nfor name in open(0): print(json.dumps(dict(model=name.strip(), verdict='right')), flush=True)"
    )
    assert [answers.row(name, 60.0)["model"] for name in ("a/b", "c/d")] == ["a/b", "c/d"]
    answers.stop()


def test_a_spent_budget_leaves_models_for_another_run(tmp_path: Path) -> None:
    keeper = Keeper(parse(["--budget", "1", "--out", str(tmp_path / "rows.jsonl")]), ["a/b", "c/d"])
    keeper.run()
    assert keeper.left == ["a/b", "c/d"]
    assert not (tmp_path / "rows.jsonl").exists()


def test_a_run_that_is_stopped_keeps_no_row_of_what_was_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = Keeper(parse(["--out", str(tmp_path / "rows.jsonl")]), ["a/b", "c/d"])
    keeper.workers[0].command = [sys.executable, "-c", "import time; time.sleep(600)"]
    others, joined = set(threading.enumerate()), threading.Thread.join

    def stop(thread: threading.Thread) -> None:
        monkeypatch.undo()
        while keeper.workers[0].process is None:
            joined(thread, 0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "join", stop)
    keeper.run()
    for thread in set(threading.enumerate()) - others:
        thread.join(60.0)
    assert keeper.workers[0].process is None
    assert not (tmp_path / "rows.jsonl").exists()


def test_models_run_in_the_order_in_which_they_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["torchvision/vgg11", "transformers/llama", "transformers/t5"]
    monkeypatch.setattr("zoo_run.entries", lambda: dict.fromkeys(names))
    only = ["--out", str(tmp_path / "rows.jsonl"), "--only", "transformers/t5", "transformers/*", "torchvision/*"]
    assert wanted(parse(only)) == ["transformers/t5", "transformers/llama", "torchvision/vgg11"]


def test_the_last_row_of_a_model_counts(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    row = {"model": "transformers/a", "device": "cpu", "dtypes": ["fp32"], "layers": 4, "layers_left": 1}
    path.write_text("".join(json.dumps({**row, "verdict": verdict}) + "\n" for verdict in ("wrong", "right")))
    assert [found["verdict"] for found in rows_of(path)] == ["right"]
    assert "transformers: 1 models, 1 right, 0 wrong, 0 error; left to torch: 1 of 4 layers" in table(rows_of(path))


def test_a_model_that_keeps_results_is_copied() -> None:
    """RAFT keeps the correlations of its last call, with their graph."""
    model = nn.Linear(2, 2)
    model.kept = [model(torch.ones(1, 2))]
    again = copied(model)
    assert torch.equal(again.kept[0], model.kept[0])
    assert again.kept[0].is_leaf
    assert again.weight is not model.weight


def test_a_row_of_an_earlier_judge_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zoo_run.entries", lambda: {"transformers/llama": None, "transformers/t5": None})
    row = {"device": "cpu", "dtypes": ["fp32", "bf16"], "verdict": "right"}
    rows = [{**row, "model": "transformers/llama"}, {**row, "model": "transformers/t5", "judge": JUDGE}]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    assert wanted(parse(["--out", str(tmp_path / "rows.jsonl")])) == ["transformers/llama"]
    assert "transformers: 1 rows are of an earlier judge" in table(rows)


def test_the_kept_rows_are_right() -> None:
    """What `make zoo` found last on the CPU; a model is run again with `--only NAME --again`."""
    rows = rows_of(Path(__file__).parents[2] / "benchmarks" / "results" / "zoo_cpu.jsonl")
    assert rows
    assert [row["model"] for row in rows if row["verdict"] not in FINE] == []
    assert "transformers" in table(rows)


def test_attention_is_where_it_was() -> None:
    """A row leaves nothing of its patches behind."""
    row_of(NET, ["fp32"], "cpu")
    assert nn.functional.scaled_dot_product_attention is op_sdpa.torchs


def test_the_page_states_how_many_models_have_rows() -> None:
    page = (ROOT / "docs" / "verification.md").read_text()
    for name in ("zoo_cpu", "zoo_cuda", "zoo_compile_inductor_cpu"):
        rows = rows_of(ROOT / "benchmarks" / "results" / f"{name}.jsonl")
        models, now = ({row["model"] for row in some} for some in (rows, [r for r in rows if r.get("judge") == JUDGE]))
        counts = [sum(model.startswith(source) for model in models) for source in ("torchvision", "transformers")]
        bad = sum(row["verdict"] not in FINE for row in rows)
        line = next(line for line in page.splitlines() if line.startswith(f"| `{name}.jsonl`"))
        assert [int(n) for n in line.split("|")[2:6]] == [*counts, len(now), bad]


def test_a_model_with_a_row_for_each_dtype_counts_once() -> None:
    row = {"model": "transformers/llama", "device": "cuda", "verdict": "right", "judge": JUDGE}
    assert "transformers: 1 models, 2 right" in table([{**row, "dtypes": ["bf16"]}, {**row, "dtypes": ["fp16"]}])


@pytest.mark.parametrize(("alone", "kept"), [({"wrong": {}}, "skipped"), ({}, "checks")])
def test_what_inductor_computes_wrongly_itself_is_skipped(
    alone: dict[str, Any], kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = Zookeeper.__new__(Zookeeper)
    keeper.model, keeper.compile, keeper.seconds = nn.Identity(), "inductor", Counter()
    keeper.checks, keeper.skipped, keeper.errors = {}, {}, {}
    monkeypatch.setattr(Zookeeper, "_judged", lambda *_: {"wrong": {"grad": "error 0.5"}})
    monkeypatch.setattr(Zookeeper, "_by_inductor", lambda *_: alone)
    keeper._way("compiled", {"step": lambda model: {}}, contextlib.nullcontext)
    assert list(getattr(keeper, kept)) == ["compiled step"]
    assert not keeper.errors


def test_a_model_that_inductor_gets_wrong_itself_is_counted_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def skipped(keeper: Zookeeper, way: str, tasks: dict[str, Any], opened: Any) -> None:
        keeper.checks[f"{way} forward"], keeper.skipped[f"{way} step"] = {"error": 0.0}, TORCH_WRONG

    monkeypatch.setattr(Zookeeper, "_way", skipped)
    row = row_of(NET, ["fp32"], "cpu", compile="inductor")
    assert row["verdict"] == TORCH_WRONG
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({**row, "model": "transformers/net"}) + "\n")
    assert f"0 right, 0 wrong, 0 error, 1 {TORCH_WRONG}" in table(rows_of(path))
