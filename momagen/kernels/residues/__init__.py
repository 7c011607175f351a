"""The representations of residues: full-radix limbs, reduced-radix limbs and floating-point limbs, and their ranges.

Each representation bounds how large values may become before they must be reduced.
"""
