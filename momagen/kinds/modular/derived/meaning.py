"""What a kernel computes, for people and by definition, and where R of Montgomery form comes in."""

from __future__ import annotations

from momagen.kernels.elementwise.forms import factors
from momagen.kinds.modular.spec import Spec


def formula_of(spec: Spec) -> str:
    """What a BLAS kernel computes, for people: "a·x + y modulo q"."""
    row = spec.expression.on(spec.form)
    return f"{row.formula(spec.cmp)} modulo {'q' if row.modular else f'2^{spec.arith.held}'}{form_text(spec)}"


def form_text(spec: Spec) -> str:
    """What R is, for people; "" where there is none."""
    return f", R = 2^{spec.form}" if spec.form else ""


def meaning(spec: Spec, q: int, *operands: int) -> int:
    """One element of a BLAS kernel's result for the modulus q, by definition, on integers of any library."""
    row = spec.expression.on(spec.form)
    return row.meaning(q if row.modular else 1 << spec.arith.held, spec.cmp, *operands, form=spec.form)


def factor_of_products(spec: Spec, q: int) -> int:
    """What the product of two numbers is multiplied by modulo q: 1/R in Montgomery form, else 1."""
    return factors(spec.form, q).get("I", 1)


def lacking_bits(spec: Spec) -> int:
    """By how many bits products of points, which are over 2^held, are short of what the form asks for."""
    return spec.arith.held - spec.form
