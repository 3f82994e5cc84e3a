"""Calls on tensors of torch compute on its threads: idle ones keep their cores awake, and others get half of them.

Threads of our own are named in the system, which counts the time that each of them has run.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

PROGRAM = """
import json, time
from pathlib import Path
import torch
import tilewright as tw, tilewright.torch as tt
from tilewright.frontends.default import default_dispatcher
torch.set_num_threads(2)
torch.manual_seed(0)
x, w, out = torch.randn(256, 256), torch.randn(256, 256), torch.empty(256, 256)
image, filters, q = torch.randn(4, 64, 24, 24), torch.randn(64, 64, 3, 3), torch.randn(1, 128, 8, 64)
given, model = x.clone().requires_grad_(), torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.ReLU())
problem = tw.problem_from_dict({"op": "gemm", "m": 256, "n": 256, "k": 256, "dtype": "fp32", "layout": "rcr"})
tt.patch(model)
ways = {
    "function": lambda: tt.linear(x, w),
    "gemm": lambda: tw.gemm(x, w.T),
    "dispatcher": lambda: default_dispatcher().run(problem, a=x, b=w.T, out=out),
    "bound": default_dispatcher().bind(problem, a=x, b=w.T, out=out),
    "layer": lambda: model(x),
    "training": lambda: model(given).sum().backward(),
    "convolution": lambda: tt.conv(image, filters, padding=1),
    "attention": lambda: tt.attention(q, q, q),
}

def own_ns():
    tasks = [t for t in Path("/proc/self/task").iterdir() if (t / "comm").read_text().startswith("tilewright-")]
    return sum(int((t / "schedstat").read_text().split()[0]) for t in tasks)

found = {}
for way, call in ways.items():
    call()  # it may start threads, of which those of torch compute then
    before, end = own_ns(), time.monotonic() + 0.4
    while time.monotonic() < end:
        call()
    found[way] = (own_ns() - before) / 1e9
print(json.dumps(found))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="no /proc here: threads cannot be told apart")
@pytest.mark.parametrize("vendor", ["0", "1"], ids=["own kernels", "contests"])
def test_calls_on_torchs_tensors_run_on_torchs_threads(vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"VENDOR": vendor, "THREADS": "2", "BUILD": "wait"}.items():
        monkeypatch.setenv(f"TILEWRIGHT_{name}", value)
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found) == 8
    assert {way: seconds for way, seconds in found.items() if seconds > 0.02} == {}
