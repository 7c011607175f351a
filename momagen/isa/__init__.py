"""The evaluation of proposed instruction sets.

Kernels that use the proposed instructions are checked, their instructions are counted, and they are timed by proxies
and compared.
"""
