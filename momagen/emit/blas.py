"""What the files of BLAS kernels say of them."""

from __future__ import annotations

from momagen.kernels.spec.spec import Spec


def headline(spec: Spec) -> str:
    """The first line of the header comment."""
    return f"z = {spec.formula}, element by element, on vectors of any length."


def numbers(spec: Spec) -> dict[str, object]:
    """What the header's template asks for."""
    return {"formula": spec.formula}
