"""The types of parameters and options that several declarations or functions share.

This module imports no table.
"""

from __future__ import annotations

from typing import Literal

Algorithm = (
    Literal["ring", "cooley_tukey", "gentleman_sande", "pease", "korn_lambiotte", "korn_lambiotte_dif", "pease_dif",
            "stockham", "stockham_dif"] | None
)  # fmt: skip
Elementwise = Literal[
    "vadd", "vsub", "vmul", "vmuladd", "axpy", "scal", "vadds", "vsubs", "vneg", "reduce", "cmpadd", "cmpsub", "tomont",
    "frommont", "vinv", "dot",
]  # fmt: skip
Order = Literal["bitrev", "natural"]
PresetName = Literal["ml-kem", "ml-dsa", "falcon-512", "falcon-1024"]
Engine = Literal["int8", "int32", "bfloat16", "float32", "float64"]
ProductEngine = Literal["int8", "int32", "words", "bfloat16", "float32", "float64"]
Sums = Literal["montgomery", "barrett", "folded"]
ConversionMethod = Literal["exact", "corrected", "shenoy-kumaresan", "montgomery", "fast"]
DivisionMethod = Literal["exact", "corrected", "fast"]
Multiple = Literal[1, 2, 4, 8, 16]
"""The bound of a vector's residues divided by q."""
InputMultiple = Literal[1, 2, 4, 8, 16, "any"]
TransformReduction = Literal["approximate", "lazy", "tight", "montgomery"]
Reduction = Literal["approximate", "lazy", "tight", "wide", "special", "montgomery", "barrett", "folded"]
Factors = str | tuple[int, ...]
"""The sizes of matrices, or a text such as "128x512"."""
Switch = bool | Literal["no", "yes"] | None


def written(value: object) -> str:
    """Return the value of an option as the tables of values contain it."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
