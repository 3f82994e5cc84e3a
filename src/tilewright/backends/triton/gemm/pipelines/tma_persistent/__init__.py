"""tma_persistent: operands arrive by TMA, and Triton's compiler makes the pipeline."""
