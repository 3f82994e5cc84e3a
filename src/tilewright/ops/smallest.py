"""The smallest positive number of each narrow dtype: below the normal numbers, roundings are absolute."""

from __future__ import annotations

SMALLEST = {
    "fp16": 2.0**-24,
    "bf16": 2.0**-133,
    "fp8": 2.0**-9,
    "bf8": 2.0**-16,
    "fp8_fnuz": 2.0**-10,
    "bf8_fnuz": 2.0**-17,
}
