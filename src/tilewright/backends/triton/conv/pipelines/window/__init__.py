"""window: pixels of few channels, read once per filter row, on the matrix units."""

PLACE = 1
WHAT = "pixels of few channels read once per filter row"
