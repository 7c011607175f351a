"""The evaluation of proposed instruction sets.

Kernels that use the proposed instructions are verified, and their instructions are counted. Proxy builds of
these kernels are timed and compared with other targets.
"""
