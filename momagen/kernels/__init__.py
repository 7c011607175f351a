"""Kernels before lowering: the data flows of transforms, and codelets on integers as wide as the modulus.

``flow`` has the data flows of transforms, ``residues`` the representations of residues, and the other
subpackages the codelets of each kind of kernel.
"""
