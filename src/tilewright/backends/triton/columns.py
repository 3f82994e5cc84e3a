"""Matrix instructions of any multiple of 8 columns, which Gluon cannot express: its shapes are powers of two.

A kernel is compiled for a block of a power of two columns and reads only the first of them. `leave_out_columns` then
rewrites its matrix instructions (wgmma) for the columns that are read. Sums of the others stay zero, and the assembler
removes them. Whatever is not found exactly as expected ends the compilation.
"""

from __future__ import annotations

import re

from ...errors import BuildError

PRODUCT = re.compile(r"(wgmma\.mma_async\.sync\.aligned\.m64n)(\d+)(k\d+\.f32\.\w+\.\w+ )\{([^}]*)\}")


def leave_out_columns(assembly: str, block: int, columns: int) -> str:
    """PTX whose matrix instructions have `columns` columns instead of `block`.

    >>> sums = ", ".join(f"%r{n}" for n in range(8))
    >>> leave_out_columns("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {" + sums + "}, %rd1;", 16, 8)
    'wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r0, %r1, %r2, %r3}, %rd1;'
    """
    found = PRODUCT.findall(assembly)
    wrong = [n for _, n, _, sums in found if int(n) != block or len(sums.split(",")) != block // 2]
    if not found or wrong or len(found) != assembly.count("wgmma.mma_async"):
        said = f"{len(found)} products, {len(wrong)} of them not of {block} columns"
        raise BuildError(f"the compiler's matrix instructions are not as expected: {said}", remedy="use another tile_n")

    def cut(match: re.Match[str]) -> str:
        sums = ",".join(match[4].split(",")[: columns // 2])
        return f"{match[1]}{columns}{match[3]}{{{sums}}}"

    return PRODUCT.sub(cut, assembly)
