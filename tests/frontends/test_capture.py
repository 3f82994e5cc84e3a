"""`capture` records what a torch program computes: on real tensors and on meta tensors, and says what it left out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be captured")
from torch import nn
from torch.nn import functional

import tilewright as tw
import tilewright.torch
from tilewright.cli.app import run
from tilewright.cli.capture import split
from tilewright.cli.problems import read_problems
from tilewright.torch import capture, patch

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
from nets import NETS


def images(*shape: int, **options: Any) -> Any:
    return torch.ones(shape, **options).contiguous(memory_format=torch.channels_last)


def linear_step() -> None:
    out = nn.Linear(64, 32)(torch.ones(4, 8, 64, requires_grad=True))
    out.backward(torch.ones_like(out))


def conv_step() -> None:
    layer = nn.Conv2d(8, 16, 3, padding=1, groups=2)
    out = layer(images(2, 8, 10, 10, requires_grad=True))
    out.backward(torch.ones_like(out))


def transposed_step() -> None:
    out = nn.ConvTranspose2d(16, 8, 3, 2, bias=False, output_padding=1)(images(2, 16, 5, 5, requires_grad=True))
    out.backward(torch.ones_like(out))


def attention_step() -> None:
    q, k = torch.ones(2, 4, 6, 32, requires_grad=True), torch.ones(2, 2, 6, 32)
    functional.scaled_dot_product_attention(q, k, k, is_causal=True, enable_gqa=True).sum().backward()


PROGRAMS: list[tuple[Callable[[], Any], list[str]]] = [
    (linear_step, ["gemm 32x32x64 fp32_rcr_add-d1", "gemm 32x64x32 fp32_rrr", "gemm 32x64x32 fp32_crr"]),
    (conv_step, [f"conv n2 g2 c8 k16 10x10 f3x3 {x}" for x in
                 ("fwd_fp32_nhwgc_add-d1", "bwdd_fp32_nhwgc", "bwdw_fp32_nhwgc")]),
    (transposed_step, [f"conv n2 c8 k16 12x12 f3x3 s2x2 {x}_fp32_nhwgc" for x in ("bwdd", "fwd", "bwdw")]),
    (attention_step, [f"fmha b2 h4/2 6x6 {x}" for x in
                      ("fwd_fp32_d32_causal-top-left_lse", "bwd_fp32_d32_causal-top-left")]),
    (lambda: torch.einsum("bij,bjk->bik", torch.ones(2, 3, 4), torch.ones(2, 4, 5)), ["gemm 2x3x5x4 fp32_rrr"]),
    (lambda: nn.MultiheadAttention(32, 2)(*[torch.ones(5, 1, 32)] * 3, need_weights=False),
     ["gemm 5x96x32 fp32_rcr_add-d1", "fmha b1 h2 5x5 fwd_fp32_d16_lse", "gemm 5x32x32 fp32_rcr_add-d1"]),
    (torch.inference_mode()(lambda: functional.linear(torch.ones(2, 3, 8), torch.ones(4, 8))), ["gemm 6x4x8 fp32_rcr"]),
    (lambda: torch.compile(lambda x: x @ x)(torch.ones(4, 4)), ["gemm 4x4x4 fp32_rrr"]),
    (lambda: tw.gemm(np.ones((4, 16), np.float32), np.ones((16, 4), np.float32)), ["gemm 4x4x16 fp32_rrr"]),
]  # fmt: skip


@pytest.mark.parametrize(("program", "expected"), PROGRAMS)
def test_a_program_gives_its_problems(program: Callable[[], Any], expected: list[str]) -> None:
    with capture() as found:
        for _ in range(2):
            program()
    assert [call.problem.label() for call in found.calls] == expected
    assert {call.count for call in found.calls} == {2}
    assert not found.left


@pytest.mark.parametrize("name", ["resnext50_32x4d", "convnext_tiny", "llama"])
def test_meta_tensors_give_the_problems_of_real_ones(name: str) -> None:
    seen = []
    for device in ("cpu", "meta"):
        model, x = NETS[name].model("quick", device).train(), NETS[name].example("quick", device)
        with capture() as found:
            out = model(x)
            out.backward(torch.ones_like(out))
        seen.append(found)
    real, meta = seen
    assert {c.problem.exact_key: c.count for c in real.calls} == {c.problem.exact_key: c.count for c in meta.calls}
    assert len(real.calls) > 5
    assert all(c.time_ms is None for c in meta.calls)
    assert all(c.time_ms is not None for c in real.calls)


def test_what_no_problem_describes_is_listed() -> None:
    with capture() as found, torch.no_grad():
        torch.mv(torch.ones(3, 3), torch.ones(3))
        torch.mm(*[torch.ones(3, 3, dtype=torch.float64)] * 2)
        nn.LSTM(4, 4)(torch.ones(2, 1, 4))
    assert not found.calls
    assert {name for name, _ in found.left} == {"aten::mv", "aten::mm", "aten::mkldnn_rnn_layer"}
    assert ("aten::mm", "no kernel computes fp64") in found.left


def test_a_recorded_attention_has_torchs_gradients() -> None:
    def gradients() -> list[Any]:
        torch.manual_seed(0)
        q, k, v, mask = (torch.randn(2, 3, 4, 8, requires_grad=True) for _ in range(4))
        out = functional.scaled_dot_product_attention(q, k, v, mask @ mask.mT, scale=0.5)
        return list(torch.autograd.grad(out.square().sum(), (q, k, v, mask)))

    plain = gradients()
    with capture():
        recorded = gradients()
    for a, b in zip(plain, recorded, strict=True):
        torch.testing.assert_close(a, b)


def test_a_patched_model_gives_what_its_kernels_compute() -> None:
    model, x = nn.Sequential(nn.Linear(16, 4)), torch.ones(4, 16)
    with patch(model), torch.no_grad():
        model(x)  # remembered from here on
        with capture() as found:
            model(x)
        with capture() as without_memory:
            model.to("meta")(x.to("meta"))
    for seen in (found, without_memory):
        assert [c.problem.label() for c in seen.calls] == ["gemm 4x4x16 fp32_rcr_add-d1"]
        assert not seen.left


def test_operators_without_a_poser_are_listed_on_meta_tensors() -> None:
    q, cache = torch.ones(1, 1, 2, 32, device="meta"), torch.ones(1, 8, 2, 32, device="meta")
    with capture() as found:
        tilewright.torch.attention_decode(q, cache, cache, torch.ones(1, dtype=torch.int32, device="meta"))
        tilewright.torch.attention(q, q, q, window=(4, 0))
    assert not found.calls
    assert {name for name, _ in found.left} == {"tilewright::attention_decode", "tilewright::attention"}


def test_functions_are_prepared_again_afterwards() -> None:
    a = np.ones((4, 16), np.float32)
    tw.gemm(a, a.T)
    before = tw.default_dispatcher().calls
    with capture():
        tw.gemm(a, a.T)
        assert tw.default_dispatcher().calls is not before
    assert tw.default_dispatcher().calls is before


def test_the_file_is_written_if_the_block_fails_and_is_read_as_problems(tmp_path: Path) -> None:
    path = tmp_path / "problems.jsonl"

    def fail() -> None:
        with capture(path, device="cuda"):
            torch.mm(torch.ones(4, 8), torch.ones(8, 2))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    line = json.loads(path.read_text())
    assert line["count"] == 1
    assert line["time_ms"] > 0
    (problem,) = read_problems([str(path)])
    assert (problem.label(), problem.device) == ("gemm 4x2x8 fp32_rrr", "cuda:0")
    with pytest.raises(tw.TilewrightError, match="count is"):
        tw.problem_from_dict({**line, "count": "many"})


SCRIPT = """
import sys, torch
import beside
x = torch.ones(2, 8, device="meta")
torch.mm(x, x.T), torch.mv(x, x[0])
sys.exit(int(sys.argv[2]))
"""


def test_the_command_runs_a_script_and_passes_its_status_on(tmp_path: Path, capfd: Any) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "beside.py").write_text("")
    out = tmp_path / "found.jsonl"
    command = ["capture", "--out", str(out), "--", "python", str(tmp_path / "script.py"), "--status", "3"]
    assert run(command) == 3
    assert [p.label() for p in read_problems([str(out)])] == ["gemm 2x2x8 fp32_rcr"]
    said = capfd.readouterr().err
    assert "left out: aten::mv, 1 calls" in said
    assert "1 problems are in" in said


@pytest.mark.parametrize("command", [["torchrun", "x.py"], ["python"], ["python", "-c", "pass"], ["python", "-m"]])
def test_what_is_no_python_script_is_refused(command: list[str]) -> None:
    with pytest.raises(tw.TilewrightError, match=r"Python programs|no script"):
        split(command)


def test_the_stored_problems_of_a_model_are_those_of_its_net() -> None:
    from capture_models import captured

    kept = read_problems([str(BENCHMARKS / "problems" / "models" / "vit_gpu.jsonl")])
    assert {p.exact_key for p in kept} == {p.exact_key for p in captured(NETS["vit"], "gpu").problems}


def test_every_stored_file_of_a_model_can_be_read() -> None:
    files = sorted((BENCHMARKS / "problems" / "models").glob("*.jsonl"))
    assert len(files) == 2 * len(NETS)
    for path in files:
        place = "cpu" if path.stem.endswith("_cpu") else "cuda:0"
        assert {p.device for p in read_problems([str(path)])} == {place}


def test_a_model_on_meta_tensors_may_ask_what_depends_on_no_input() -> None:
    """As transformers' models do, which ask whether their positions are those of one sequence."""

    def model(x: torch.Tensor) -> torch.Tensor:
        positions = torch.arange(x.shape[1], device=x.device)[None]
        steps = torch.zeros_like(positions)
        steps[:, 1:] = positions.diff()
        steps += 1
        return x @ x.transpose(1, 2) if (steps[:, 1:] == 2).all() and steps[0, 0] == 1 else x

    with capture(device="cuda") as found:
        assert model(torch.empty(2, 8, 16, device="meta")).shape == (2, 8, 8)
    assert [p.label() for p in found.problems] == ["gemm 2x8x8x16 fp32_rcr"]


@pytest.mark.parametrize("write", [lambda t, x: t.add_(x), lambda t, x: t[:2].copy_(x[:2]), lambda t, x: t.random_()])
def test_what_was_written_with_unknown_values_is_unknown(write: Any) -> None:
    with capture():
        known, unknown = torch.arange(4, device="meta"), torch.empty(4, dtype=torch.int64, device="meta")
        view = known[1:]
        assert bool(view[0] == 1)
        write(known, unknown)
        with pytest.raises(RuntimeError, match="meta"):
            bool(view[0] == 1)
