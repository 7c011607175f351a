"""What the kinds of kernels that have a command do, as the overview of commands says it."""

from __future__ import annotations

TITLES = {
    "ntt": "Generate, verify and time a number-theoretic transform (NTT).",
    "polymul": "Multiply polynomials modulo x^n - 1 or x^n + 1.",
    "basemul": "Multiply two incomplete NTTs pointwise, modulo each factor x^d - z.",
    "lde": "Extend values at n points to a larger coset (low-degree extension).",
    "blas": "Compute element-wise vector operations modulo q: sums, products, a·x + y, …",
    "matmul": "Multiply matrices of residues modulo q by a constant matrix, on matrix engines.",
    "convert": "Convert residues from one RNS basis to another.",
    "keyswitch": "Compute inner products of digits and keys in an RNS basis (key switching).",
    "moddown": "Divide by the product of the last moduli of an RNS basis (ModDown).",
    "rescale": "Divide by the last modulus of an RNS basis, and round.",
}
"""The sentences by the names of the commands; the overview reads this table without importing the kinds."""
CODE, TUNING = "Generated code", "Tuning"
"""The titles of the groups of options that change the code, and of the groups that only affect speed."""
VARIABLE = "MOMAGEN_KINDS"
"""The environment variable that names the modules of other kinds, separated by commas."""
