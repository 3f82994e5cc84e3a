"""The C++ of a CPU kernel: generated code only instantiates a template; the real code is in headers.

Prints:
    kernel.cpp of ... lines for ...
    ...
    compiled with ...
"""

import tilewright as tw
from tilewright.backends import get_backend_op

problem = tw.problem_from_dict({"op": "gemm", "m": 96, "n": 96, "k": 64, "dtype": "fp32", "layout": "rrr"})
spec = tw.Dispatcher().explain(problem).chosen.candidate.spec
request = get_backend_op(spec.backend, spec.op).request(spec, tw.Settings.from_env())
[(name, text)] = [(n, t) for n, t in request.inputs.items() if n.endswith(".cpp")]
print(f"{name} of {len(text.splitlines())} lines for {spec.name}")
print(text)
print("compiled with", *[word for word in request.commands[0] if word.startswith(("-std", "-O"))])
