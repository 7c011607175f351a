"""What knows NVIDIA's tools: CUDA C++ to PTX and machine code, and what the machine code says."""
