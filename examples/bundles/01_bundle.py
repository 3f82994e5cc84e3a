"""A bundle: kernels and their selection in one folder, for machines without a compiler.

The command is `tilewright bundle PROBLEM --top 2 --out my_bundle`; `examples/cpp` runs such bundles from C++.

Prints:
    in the folder: include, kernels, lib, manifest.json, src
    2 kernels for ...
    it computes: True
"""

from pathlib import Path

import numpy as np

import tilewright as tw
from tilewright.bundle import make_bundle

problem = tw.problem_from_dict({"op": "gemm", "m": 64, "n": 96, "k": 48, "dtype": "fp32", "layout": "rrr"})
ranked = tw.Dispatcher(tw.default_registry(["cpu"])).explain(problem).ranked  # a bundle has kernels of one backend
make_bundle(list(dict.fromkeys(r.candidate.spec for r in ranked))[:2], "my_bundle")
print("in the folder:", ", ".join(sorted(p.name for p in Path("my_bundle").iterdir())))

bundle = tw.Bundle.open("my_bundle")  # anywhere else, later
print(f"{len(bundle.specs)} kernels for {bundle.manifest.arch}")
dispatcher = bundle.dispatcher()  # never builds
out = dispatcher.run(problem, a=np.ones((64, 48), "f4"), b=np.ones((48, 96), "f4"), out=np.empty((64, 96), "f4"))
print("it computes:", bool((out == 48).all()))
