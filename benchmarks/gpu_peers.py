"""What torch does for the same problem."""

from __future__ import annotations

import functools

L2_BYTES = 60 << 20


def peer_call(problem, t, fast=True):
    """torch's own product on the same tensors."""
    import torch

    a, b, out = t["a"], t["b"], t["out"]
    if problem.dtype_a == "int8":
        return lambda: torch._int_mm(a, b, out=out)
    if problem.dtype_a == "fp8":
        sa, sb = t["scale_a"].reshape(-1, 1), t["scale_b"].reshape(1, -1)
        if problem.scale_a == "block":
            sa, sb, fast = t["scale_a"].T.contiguous().T, t["scale_b"].T.contiguous().T, False
        if problem.scale_a == "tensor":
            sa, sb = t["scale_a"].reshape(()), t["scale_b"].reshape(())
        return lambda: torch._scaled_mm(a, b, sa, sb, out_dtype=out.dtype, use_fast_accum=fast, out=out)
    if problem.epilogue.activation.startswith("gelu") and len(problem.d) == 1:
        bias, how = t["d0"][0], problem.epilogue.activation[5:].replace("erf", "none")
        return lambda: torch.nn.functional.gelu(torch.addmm(bias, a, b), approximate=how)
    if problem.batch > 1:
        return lambda: torch.bmm(a, b, out=out)
    return lambda: torch.mm(a, b, out=out)


def separate_call(problem, t):
    """Product, bias and activation as three torch operations."""
    import torch

    how = problem.epilogue.activation[5:].replace("erf", "none")
    return lambda: torch.nn.functional.gelu(torch.mm(t["a"], t["b"]) + t["d0"], approximate=how)


@functools.cache
def compiled_gelu(how):
    import torch

    return torch.compile(lambda a, b, d: torch.nn.functional.gelu(torch.mm(a, b) + d, approximate=how))


def compiled_call(problem, t):
    """The same through torch.compile."""
    compiled = compiled_gelu(problem.epilogue.activation[5:].replace("erf", "none"))
    compiled(t["a"], t["b"], t["d0"])
    return lambda: compiled(t["a"], t["b"], t["d0"])


def peers_of(problem):
    """What a problem is compared with, by name."""
    found = {"torch": peer_call}
    if problem.dtype_a == "fp8" and problem.scale_a != "block":
        found["torch_precise"] = lambda p, t: peer_call(p, t, fast=False)
    if problem.d:
        found.update(torch_mm_add_gelu=separate_call, torch_compile=compiled_call)
    return found
