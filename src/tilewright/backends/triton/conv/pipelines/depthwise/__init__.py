"""depthwise: windows of one channel per group on the vector units."""

PLACE = 2
WHAT = "the same on vector units"
