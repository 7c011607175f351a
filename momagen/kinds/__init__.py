"""The kinds of kernels: what each computes, its parameters, and the functions that generate, call and check it.

:mod:`momagen.kinds.registry` lists the kinds by name. A kind is an object of a class derived from
:class:`momagen.kinds.kind.Kind`; nothing outside this package asks which kind a kernel is.
"""
