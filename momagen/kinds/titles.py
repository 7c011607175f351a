"""What the kinds of kernels with declared parameters do, as the overview of commands says it."""

from __future__ import annotations

TITLES = {
    "matmul": "Multiply matrices of residues modulo q by a constant matrix, on matrix engines.",
    "convert": "Convert residues from one RNS basis to another.",
    "keyswitch": "Compute inner products of digits and keys in an RNS basis (key switching).",
    "moddown": "Divide by the product of the last moduli of an RNS basis (ModDown).",
    "rescale": "Divide by the last modulus of an RNS basis, and round.",
}
"""The sentences by the names of the kinds; the overview reads this table without importing the kinds."""
