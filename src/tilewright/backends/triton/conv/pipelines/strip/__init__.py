"""strip: pixels of few channels, read once; rows wait in shared memory."""

PLACE = 3
WHAT = "such pixels read once, rows wait in shared memory"
