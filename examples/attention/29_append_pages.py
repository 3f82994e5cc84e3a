"""Append to pages: the token goes to the slot that the page table names.

Prints:
    token 17 of sequence 0 is in page 0, slot 1
    token 20 of sequence 1 is in page 4, slot 4
"""

import numpy as np

import tilewright as tw

pages = [np.zeros((6, 16, 2, 64), np.float32) for _ in range(2)]
table = np.array([[5, 0, 3], [1, 4, 2]], np.int32)
new = np.ones((2, 1, 2, 64), np.float32)
lengths = np.array([17, 20], np.int32)

tw.append_kv(*pages, new, new, lengths, page_table=table)
for i, (page, slot) in enumerate(np.argwhere(pages[0][:, :, 0, 0])):
    print(f"token {lengths[i]} of sequence {i} is in page {page}, slot {slot}")
