"""SASS, the machine code of NVIDIA's GPUs: disassembled, read, and counted."""
