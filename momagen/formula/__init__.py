"""Formulas, which write linear transforms over Z_q as products of sparse matrices, and breakdown rules.

The function :func:`momagen.formula.breakdown.expand` applies the rules of ``rules/breakdown.toml`` to a
transform, as SPIRAL does, until only factors remain that one pass over memory computes.
"""
