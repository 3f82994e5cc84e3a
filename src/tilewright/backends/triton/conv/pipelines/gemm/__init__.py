"""gemm: a 1x1 convolution as a product of the gemm backend."""

PLACE = 4
WHAT = "1x1 as a product of the gemm backend"
