"""The execution of kernels on operands that were read: by C code that checks their ranges, or by a plan in Python."""
