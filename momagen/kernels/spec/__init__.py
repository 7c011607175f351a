"""Specifications: requests for kernels that are checked once, before anything is generated.

``make_spec`` turns arguments into a :class:`momagen.kernels.spec.spec.Spec`, and chooses what they leave open.
"""
