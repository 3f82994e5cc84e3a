"""Adding a pipeline to Triton's convolution is adding a file and a line: here to a copy of the package."""

from __future__ import annotations

import pytest

pytest.importorskip("triton")

from copied_package import ask_copy

PLAIN = '''"""plain: 1x1 convolutions of one group without anything special."""

from .....model.rule import broken, rule
from .....ops.conv.product import not_a_product
from ...gemm.set_parts import NVIDIA
from ..cost_parts import Constants
from ..set_parts import DATA, SIXTEEN, conv_set, tiles_of
from ..source import compiled
from .implicit import Implicit
from .implicit import conv as implicit_source


@rule("triton.conv.plain", "problem", "plain: 1x1, stride 1, one group")
def plain(s):
    why = not_a_product(s.problem) or (f"{s.problem.g} groups" if s.problem.g > 1 else None)
    return broken(f"no plain product: {why}", "use implicit") if why else None


def kernels(spec):
    return {"conv": "kernels.plain:plain_conv"}


def conv(spec):
    source = implicit_source(spec)
    return compiled(kernels(spec)["conv"], spec, source.constants["C"], False)


class Plain(Implicit):
    folds = False
    first_rules = (plain,)
    prices = {"plain": Constants()}
    rank = (7, 7)

    def may_merge(self, a):
        return False


PIPELINE = Plain()
SETS = {8: (conv_set("plain", "1x1 of one group", NVIDIA, tiles_of("plain", ((64, 64, 32, 4, 3),)),
                     direction=DATA, **SIXTEEN),)}
'''
KERNEL = '''"""The kernel: the implicit one under another name."""

from .implicit import implicit_conv

plain_conv = implicit_conv
'''
LINE = """    "plain": "1x1 of one group, a product of whole tiles",
}
PIPELINES"""
# Asks the changed package about two problems: one that the pipeline takes, and one that it refuses.
ASK = """
import json
import tilewright as tw
from tilewright.arch import get_arch, get_nominal_devices
from tilewright.backends import get_backend_op
from tilewright.backends.triton.compile_job import compile_source, _source
from tilewright.backends.triton.conv.bind import values
from tilewright.model.kernel import Candidate
from tilewright.model.kernel_set import expand
from tilewright.settings import Settings

op, arch, device = get_backend_op("triton", "conv"), get_arch("sm_90"), get_nominal_devices("sm_90")[0]
size = {"op": "grouped_conv", "direction": "forward", "n": 2, "c": 64, "k": 64, "input": [8, 8], "dtype": "fp16"}
taken, refused = (tw.problem_from_dict({**size, "filter": [n, n]}) for n in (1, 3))
(kernel_set,) = (s for s in op.default_sets() if s.name == "triton_conv_plain")
(spec,) = expand(kernel_set, arch, taken.signature, op.algorithm, op.tunables(), op.rules).specs
(launch,) = op.launches(spec, taken, device)
candidate = Candidate(spec, launch)
request = op.request(spec, Settings())
(job,) = json.loads(request.inputs["job.json"])["jobs"].values()
binary, _, described = compile_source(_source(job), arch)
grid, _ = values(spec, taken, launch, {"input": 1 << 20, "weight": 2 << 20, "output": 3 << 20})
others = [s.algorithm.pipeline for k in op.default_sets() if k.takes(taken.signature, "sm_90")
          for s in expand(k, arch, taken.signature, op.algorithm, op.tunables(), op.rules).specs]
print(json.dumps({
    "label": spec.algorithm.label(),
    "broken": [r.rule for r in op.check(spec, arch, taken)],
    "refused": [r.rule for r in op.check(spec, arch, refused)],
    "seconds": op.predict(candidate, taken, device), "why": op.preference(candidate, taken, device)[1],
    "grid": grid, "binary": len(binary), "threads": described["threads"], "pipelines": sorted(set(others)),
    "choices": next(t.choices for t in op.tunables() if t.name == "pipeline"),
}))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What a copy of the package says that has one pipeline more."""
    conv = "backends/triton/conv"
    added = {f"{conv}/pipelines/plain.py": PLAIN, f"{conv}/kernels/plain.py": KERNEL}
    listed = {f"{conv}/pipelines/__init__.py": ("}\nPIPELINES", LINE)}
    return ask_copy(tmp_path_factory.mktemp("package"), added, ASK, listed)


def test_a_file_is_a_pipeline(said):
    assert said["choices"][-1] == "plain"
    assert said["choices"][:7] == ["implicit", "window", "depthwise", "strip", "gemm", "hopper", "thin"]
    assert {"plain", "implicit", "hopper"} <= set(said["pipelines"])
    assert said["label"] == "plain_64x64x32_w4s3"


def test_its_rules_geometry_and_cost_are_asked(said):
    assert said["broken"] == []
    assert said["refused"] == ["triton.conv.plain"]
    assert said["grid"] == [2, 1, 1]
    assert 0 < said["seconds"] < 1e-3
    assert "plain" in said["why"]


def test_its_kernel_compiles(said):
    assert said["binary"] > 1000
    assert said["threads"] == 128
