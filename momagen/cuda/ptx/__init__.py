"""The emulation of PTX that NVRTC generates: it is translated to C and runs on the CPU, with one fiber for each thread.

Every memory access is checked.
"""
