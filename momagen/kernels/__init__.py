"""Kernels before lowering: their specifications, data flows, and codelets on integers as wide as the modulus.

``spec`` has the checked specifications, ``flow`` the data flows of transforms, ``residues`` the representations of
residues, and the other subpackages the codelets of each kind of kernel.
"""
