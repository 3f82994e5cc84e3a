"""Adding a pipeline to Triton's GEMM, as docs/adding-a-pipeline.md says: a folder, and its name in one line."""

from __future__ import annotations

import pytest

pytest.importorskip("triton")

from copied_package import ask_copy

import tilewright as tw
from tilewright.backends import get_backend_op
from tilewright.settings import Settings

GEMM = "backends/triton/gemm"
FOLDER = {
    "__init__.py": '''"""single: one product, whole steps of K."""

PLACE = 3
WHAT = "one product, whole steps of K"
''',
    "rules.py": """from ......model.rule import broken, rule


@rule("triton.gemm.single", "problem", "single: one product")
def single(s):
    return broken(f"{s.problem.batch} products", "use pointer", batch=s.problem.batch) if s.problem.batch > 1 else None
""",
    "pipeline.py": """from ......model.rule import broken
from ..pointer.pipeline import Pointer
from .rules import single


class Single(Pointer):
    detour = 2.0
    first_rules = (single,)

    def lacks(self, a):
        return broken("single has no splits", "use pointer") if a.split else None


PIPELINE = Single()
""",
    "source.py": """from ..pointer.source import _portable

JOBS = {"gemm": ("_single", "portable:portable_gemm")}


def _single(spec, view):
    return _portable(spec, view)
""",
    "sets.py": """from ...set_parts import NVIDIA, SIXTEEN_BIT, gemm_set

TILE = {"pipeline": "single", "tile_m": 64, "tile_n": 64, "tile_k": 32, "warps": 4, "stages": 3, "even_k": True}
SETS = {9: (gemm_set("triton_single", "one product", NVIDIA, (TILE,), dtype_a=SIXTEEN_BIT),)}
""",
}
EDITS = {f"{GEMM}/algorithm.py": ('PIPELINES = ("pointer", "tma_persistent", "hopper")',
                                  'PIPELINES = ("pointer", "tma_persistent", "hopper", "single")')}  # fmt: skip
ASK = """
import json
import tilewright as tw
from tilewright.arch import get_arch, get_nominal_devices
from tilewright.backends import get_backend_op
from tilewright.backends.triton.compile_job import compile_source, _source
from tilewright.model.kernel import Candidate
from tilewright.model.kernel_set import expand
from tilewright.settings import Settings

op, arch, device = get_backend_op("triton", "gemm"), get_arch("sm_90"), get_nominal_devices("sm_90")[0]
size = {"op": "gemm", "m": 256, "n": 128, "k": 64, "dtype": "fp16", "layout": "rcr"}
taken, refused = (tw.problem_from_dict({**size, "batch": n}) for n in (1, 2))
(kernel_set,) = (s for s in op.default_sets() if s.name == "triton_single")
(spec,) = expand(kernel_set, arch, taken.signature, op.algorithm, op.tunables(), op.rules).specs
split = op.check(spec.with_algorithm(split=True), arch, taken)
(launch,) = op.launches(spec, taken, device)
request = op.request(spec, Settings())
(job,) = json.loads(request.inputs["job.json"])["jobs"].values()
binary, _, described = compile_source(_source(job), arch)
candidate, found = Candidate(spec, launch), tw.Dispatcher(selector="analytical").explain(taken, arch="sm_90")
print(json.dumps({
    "label": spec.algorithm.label(),
    "broken": [r.rule for r in op.check(spec, arch, taken)],
    "refused": [r.rule for r in op.check(spec, arch, refused)],
    "split": [r.rule for r in split],
    "seconds": op.predict(candidate, taken, device), "why": op.preference(candidate, taken, device)[1],
    "binary": len(binary), "threads": described["threads"],
    "ranked": sorted({r.candidate.spec.algorithm.label().split("_")[0] for r in found.ranked}),
    "choices": next(t.choices for t in op.tunables() if t.name == "pipeline"),
    "keys": {r.candidate.spec.digest: op.request(r.candidate.spec, Settings()).build_key for r in found.ranked
             if r.candidate.spec.algorithm.pipeline in ("pointer", "hopper")},
}))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What a copy of the package says that has one GEMM pipeline more."""
    added = {f"{GEMM}/pipelines/single/{name}": text for name, text in FOLDER.items()}
    return ask_copy(tmp_path_factory.mktemp("package"), added, ASK, EDITS)


def test_a_folder_and_its_name_are_a_pipeline(said):
    assert said["choices"] == ["pointer", "tma_persistent", "hopper", "single"]
    assert said["label"] == "single_64x64x32_w4s3_even"
    assert "single" in said["ranked"]
    assert "hopper" in said["ranked"]


def test_its_rules_and_its_cost_are_asked(said):
    assert said["broken"] == []
    assert said["refused"] == ["triton.gemm.single"]
    assert said["split"] == ["triton.gemm.pipeline"]
    assert 0 < said["seconds"] < 1e-3
    assert "of the GPU" in said["why"]


def test_its_kernel_compiles(said):
    assert said["binary"] > 1000
    assert said["threads"] == 128


def test_built_kernels_of_the_others_keep_their_keys(said):
    problem = tw.problem_from_dict({"op": "gemm", "m": 256, "n": 128, "k": 64, "dtype": "fp16", "layout": "rcr"})
    specs = {r.candidate.spec for r in tw.Dispatcher(selector="analytical").explain(problem, arch="sm_90").ranked}
    op = get_backend_op("triton", "gemm")
    keys = {
        s.digest: op.request(s, Settings()).build_key for s in specs if s.algorithm.pipeline in ("pointer", "hopper")
    }
    assert len(keys) > 10
    assert said["keys"] == keys
