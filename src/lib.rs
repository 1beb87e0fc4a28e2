//! gemmscope: how far every matrix multiply (GEMM) is from what the hardware allows.
