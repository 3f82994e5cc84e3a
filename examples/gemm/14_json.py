"""Export kernels and problems as JSON, and import them again.

Prints:
    problem: {"dtype_a": "fp32", ..."op": "gemm"}
    kernels.json: schema ..., 1 kernels
    the same registry: True
    a changed file is refused: True
"""

import json
from pathlib import Path

import tilewright as tw
from tilewright import TilewrightError

problem = tw.problem_from_dict({"op": "gemm", "m": 60, "n": 64, "k": 32, "dtype": "fp32", "layout": "rrr"})
text = json.dumps(problem.to_dict(), sort_keys=True)
assert tw.problem_from_dict(json.loads(text)) == problem
print("problem:", text)

registry = tw.Registry("mine")
registry.add(tw.Dispatcher().explain(problem).chosen.candidate.spec, priority=5, source="chosen by hand")
registry.export_json("kernels.json")
data = json.loads(Path("kernels.json").read_text())
print(f"kernels.json: schema {data['schema']}, {len(data['kernels'])} kernels")
print("the same registry:", tw.Registry.import_json("kernels.json").digest == registry.digest)

data["kernels"][0]["spec"]["signature"]["dtype_a"] = "bf16"
Path("kernels.json").write_text(json.dumps(data))
try:
    tw.Registry.import_json("kernels.json")
except TilewrightError:
    print("a changed file is refused: True")
