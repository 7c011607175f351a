"""SASS, the machine code of NVIDIA's GPUs: disassembly, parsing, and counts of instructions."""
