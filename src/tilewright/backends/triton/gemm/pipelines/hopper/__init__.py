"""hopper: a warp of its own fills a ring of stages by TMA; the others multiply with wgmma."""

PLACE = 2
WHAT = "operands arrive by TMA in a ring of stages, which a warp of its own fills"
