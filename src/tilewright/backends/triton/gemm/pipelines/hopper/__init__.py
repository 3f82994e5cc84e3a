"""hopper: a warp of its own fills a ring of stages by TMA; the others multiply with wgmma."""
