"""tma_persistent: operands arrive by TMA, and Triton's compiler makes the pipeline."""

PLACE = 1
WHAT = "operands arrive by TMA, in a pipeline that Triton's compiler makes"
