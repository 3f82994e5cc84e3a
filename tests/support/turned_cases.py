"""Gradients of few channels that box kernels compute as forward convolutions: sizes and the fields of a kernel."""

from __future__ import annotations

BLOCKS = {"pipeline": "hopper", "stages": 0, "warps": 8, "fold": True, "store": "pointer"}
ROWS = {**BLOCKS, "store": "tma", "tile_n": 64, "tile_k": 32}
# (sizes, kernel): blocks of one to sixteen pixels, odd edges, padding of every kind; rows of 1 to 40 channels.
CASES = {
    "stem": ({"c": 3, "k": 16, "input": [24, 32], "filter": [7, 7], "stride": 2, "pad": 3}, {**BLOCKS, "tile_n": 96}),
    "odd": ({"c": 3, "k": 8, "input": [19, 27], "filter": [5, 7], "stride": 2, "pad": [[2, 1], [3, 2]]},
            {**BLOCKS, "tile_n": 64, "vector_bytes": 2}),
    "dense": ({"c": 1, "k": 8, "input": [9, 16], "filter": [3, 3], "pad": 1}, {**BLOCKS, "tile_n": 64}),
    "patches": ({"c": 3, "k": 8, "input": [16, 24], "filter": [4, 4], "stride": 4}, {**BLOCKS, "tile_n": 192}),
    "far": ({"c": 4, "k": 8, "input": [17, 18], "filter": [11, 11], "stride": 4, "pad": 2}, {**BLOCKS, "tile_n": 128}),
    "unread": ({"c": 3, "k": 8, "input": [9, 9], "filter": [3, 3], "stride": 2, "pad": [[0, 4], [0, 5]]},
               {**BLOCKS, "tile_n": 32, "vector_bytes": 2}),
    "video": ({"c": 3, "k": 8, "input": [4, 9, 16], "filter": [3, 5, 5], "stride": [1, 2, 2], "pad": [1, 2, 2]},
              {**BLOCKS, "tile_n": 96}),
    "signal": ({"c": 2, "k": 8, "input": [40], "filter": [9], "stride": [4], "pad": [4]}, {**BLOCKS, "tile_n": 32}),
    "one_read": ({"c": 16, "k": 1, "input": [9, 7], "filter": [3, 3], "pad": [[0, 2], [0, 3]]}, ROWS),
    "three_read": ({"c": 16, "k": 3, "input": [9, 11], "filter": [3, 5], "pad": [1, 2]}, ROWS),
    "some_read": ({"c": 24, "k": 21, "input": [6, 7], "filter": [3, 3], "pad": 1}, ROWS),
    "volume_read": ({"c": 8, "k": 5, "input": [4, 5, 6], "filter": [3, 3, 3], "pad": 1}, ROWS),
}  # fmt: skip
