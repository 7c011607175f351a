"""The compilation of CUDA C++ by NVIDIA's tools, its execution on a GPU or by emulation, and instruction counts."""
