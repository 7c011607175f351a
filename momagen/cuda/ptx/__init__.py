"""The emulation of PTX, as NVRTC emits it, on the CPU: it is translated to C and runs with one fiber for each thread.

Every memory access is checked.
"""
