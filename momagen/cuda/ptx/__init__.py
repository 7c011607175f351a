"""PTX, as NVRTC emits it, translated to C and run on the CPU: one fiber per thread, every access checked."""
