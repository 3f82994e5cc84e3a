"""pointer: operands are read through pointers; runs on every GPU."""
