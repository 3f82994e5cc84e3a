"""Which probabilities dropout keeps: a pure function of the seed and the position of an element.

Philox4x32 with 7 rounds, the fewest that pass all tests of its authors. The key is rng[0], rng[1]; the counter is (key
column // 4, query row // 2, batch * heads + head, rng[2]). Word c % 4 belongs to column c: its lower half to even rows,
its upper half to odd ones. An element is kept if its 16 bits >= probability * 2**16, rounded. Forward, backward and
every backend evaluate the same function, so no mask is ever stored.

The generator `ck` is that of CK Tile's kernels: Philox4x32 with 7 rounds. Its counter is (rng[2] + 64 * (batch * heads
+ head) + lane, tile row, tile column), its 16 bytes belong to the 32 x 32 tile in the order of the matrix instruction.
An element is kept if its byte <= (1 - probability) * 255.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]
ROUNDS = 7  # here and in CK
CK_TILE, CK_LANES = 32, 64  # CK draws 16 bytes in each of 64 lanes for a tile of 32 x 32
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
LOW_WORD = 0xFFFFFFFF
LOW = np.uint64(LOW_WORD)


def philox(
    counter: tuple[Any, Any, Any, Any], key: tuple[int, int], rounds: int = ROUNDS
) -> tuple[Words, Words, Words, Words]:
    """Return four words of 32 random bits for each counter (arrays that broadcast against each other).

    >>> [hex(int(w)) for w in philox((0, 0, 0, 0), (0, 0), rounds=10)]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    c = [np.asarray(x, np.uint64) & LOW for x in np.broadcast_arrays(*counter)]
    k = [int(x) & 0xFFFFFFFF for x in key]
    for _ in range(rounds):
        products = (np.uint64(MULTIPLIERS[0]) * c[0], np.uint64(MULTIPLIERS[1]) * c[2])
        high, low = [x >> np.uint64(32) for x in products], [x & LOW for x in products]
        c = [high[1] ^ c[1] ^ np.uint64(k[0]), low[1], high[0] ^ c[3] ^ np.uint64(k[1]), low[0]]
        k = [(x + w) & 0xFFFFFFFF for x, w in zip(k, WEYL, strict=True)]
    a, b, d, e = (x.astype(np.uint32) for x in c)
    return a, b, d, e


def threshold(probability: float) -> int:
    """Return the smallest word that is kept for an odd row: a multiple of 2**16.

    >>> threshold(0.5) == 2**31, threshold(1.0) == 0xFFFF0000
    (True, True)
    """
    return min(int(probability * 2.0**16 + 0.5), 2**16 - 1) << 16


def keep_mask(rng: Any, sequence: int, heads: Any, rows: Any, keys: int, probability: float) -> npt.NDArray[np.bool_]:
    """Return [heads, rows, keys]: which elements are kept. `heads` and `rows` are indices; `sequence` is batch * heads.

    >>> keep_mask([1, 2, 3], 0, [0], [0, 1], 6, 0.5).shape, keep_mask([1, 2, 3], 0, [0], [], 6, 0.5).shape
    ((1, 2, 6), (1, 0, 6))
    """
    words = np.asarray(rng).astype(np.int64).reshape(-1)
    blocks, row = np.arange(-(-keys // 4)), np.asarray(rows, np.int64)[None, :, None]
    lanes = np.asarray(heads, np.int64)[:, None, None] + sequence
    counter = (blocks[None, None, :], row // 2, lanes, int(words[2]) & 0xFFFFFFFF)
    four = np.stack(philox(counter, (int(words[0]), int(words[1]))), axis=-1)
    flat = four.reshape(*four.shape[:-2], 4 * len(blocks))[..., :keys]
    return np.asarray((flat << (16 * (1 - row % 2)).astype(np.uint32)) >= np.uint32(threshold(probability)))


def ck_keep_mask(
    rng: Any, sequence: int, heads: Any, rows: Any, keys: int, probability: float
) -> npt.NDArray[np.bool_]:
    """Return [heads, rows, keys]: which elements CK's kernels keep.

    >>> ck_keep_mask([1, 2, 3], 0, [0], [0, 1], 6, 0.5).shape
    (1, 2, 6)
    """
    words = [int(w) & 0xFFFFFFFF for w in np.asarray(rng).astype(np.int64).reshape(-1)]
    wanted, lanes = np.asarray(rows, np.int64), np.asarray(heads, np.int64)
    tiles = np.arange(int(wanted.max(initial=0)) // CK_TILE + 1), np.arange(-(-keys // CK_TILE))
    offset = words[2] + CK_LANES * (sequence + lanes[:, None]) + np.arange(CK_LANES)  # [heads, lanes]
    place = offset[:, None, None, :]
    counter = (place & LOW_WORD, place >> 32, tiles[0][None, :, None, None], tiles[1][None, None, :, None])
    four = np.stack(philox(counter, (words[0], words[1])), axis=-1)  # [heads, tile rows, columns, lanes, 4]
    drawn = np.ascontiguousarray(four.astype("<u4")).view(np.uint8)  # ... 16 bytes of each lane
    half = drawn.reshape(*drawn.shape[:-2], 2, CK_TILE, 2, 8)  # lane = (half, column), byte = (block, row of 8)
    tile = half.transpose(0, 1, 5, 3, 6, 2, 4)  # [heads, tile rows, block, half, row of 8, tile columns, column]
    whole = tile.reshape(len(lanes), len(tiles[0]) * CK_TILE, len(tiles[1]) * CK_TILE)
    return np.asarray(whole[:, wanted, :keys] <= ck_threshold(probability))


def ck_threshold(probability: float) -> int:
    """Return the largest byte that CK keeps.

    >>> ck_threshold(0.5)
    127
    """
    return int(np.floor(np.float32(1.0 - np.float32(probability)) * np.float32(255)))
