"""pointer: operands are read through pointers; runs on every GPU."""

PLACE = 0
WHAT = "operands are read through pointers; runs on every GPU"
