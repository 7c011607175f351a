"""Requests for kernels (specifications), which are checked once, before anything is generated.

``make_spec`` turns arguments into a :class:`momagen.kinds.modular.spec.Spec`, and chooses what they leave open.
"""
