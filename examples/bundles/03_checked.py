"""What is handed over is checked: a changed kernel is never loaded.

Prints:
    whole: True
    changed: SchemaError ...
"""

from pathlib import Path

import tilewright as tw
from tilewright import TilewrightError
from tilewright.bundle import make_bundle

problem = tw.problem_from_dict({"op": "gemm", "m": 64, "n": 96, "k": 48, "dtype": "fp32", "layout": "rrr"})
make_bundle([tw.Dispatcher().explain(problem).chosen.candidate.spec], "my_bundle")
tw.Bundle.open("my_bundle", verify=True)
print("whole: True")

kernel = next(Path("my_bundle/kernels").rglob("*.so"))
data = bytearray(kernel.read_bytes())
data[100] ^= 1
kernel.chmod(0o644)
kernel.write_bytes(data)
try:
    tw.Bundle.open("my_bundle", verify=True)
except TilewrightError as error:
    print(f"changed: {type(error).__name__} {error}")
