"""The definitions of products by a BLAS library that the engine calls: kernels of the backend `vendor` in bundles."""

from __future__ import annotations

from typing import Any

from ..backends.vendor.cost import BANDWIDTH, CALL, PEAK, guessed, priced, prices, product_terms
from ..backends.vendor.gemm import VendorGemm
from ..backends.vendor.gemm import rules as gemm_rules
from ..model.device import Device
from ..model.kernel import Candidate, KernelSpec, Launch
from ..ops.gemm import OP as GEMM
from ..ops.gemm import GemmSignature
from .engine import Parts, Posed
from .parts import itself, of_problem, own_grid

SECONDS_OF_CALL, FLOPS, BYTES = CALL[True], PEAK[True], BANDWIDTH[True]
PRICES: dict[str, Any] = {name: tuple(found["prices"]) for name, found in prices().items() if "gemm/blas/" in name}


def launches(spec: KernelSpec, problem: Posed, device: Device) -> list[Launch]:
    """Return the only launch: the library divides the work."""
    return [Launch()]


def seconds(candidate: Candidate, problem: Posed, device: Device) -> float:
    """Return predicted seconds of one call; the prices are those of the machine that runs it."""
    p, threads = problem, max(device.threads, 1)
    known = PRICES.get("gemm/blas/" + device.arch + "/" + p.operand_dtype)
    if known is None:
        return guessed(p.flops, p.bytes, threads, SECONDS_OF_CALL, FLOPS, BYTES)
    return priced(known, product_terms(p.batch, p.m, p.n, p.k, p.bytes, True), threads, SECONDS_OF_CALL)


PARTS: dict[str, Parts] = {
    "gemm": Parts(
        GEMM, GemmSignature, VendorGemm, of_problem(gemm_rules.RULES), launches, own_grid, None, seconds, None, itself,
    ),
}  # fmt: skip
WITH_FORMULAS: dict[str, Any] = {}


def all_parts() -> dict[str, Parts]:
    """Return the definitions: products only."""
    return PARTS


def refusal(spec: KernelSpec) -> str:
    """Return why a kernel cannot be in a bundle; empty if it can."""
    if spec.op != "gemm" or spec.algorithm.library != "blas":
        return "bundles call BLAS, not torch"
    if spec.signature.d or spec.signature.activation != "none":
        return "a bundle calls BLAS for the product alone, without d operands and activations"
    return ""
