"""The formula of a kernel, for reports and as the definition of its results, and the factors of Montgomery form."""

from __future__ import annotations

from momagen.kernels.elementwise.forms import factors
from momagen.kinds.modular.spec import Spec


def formula_of(spec: Spec) -> str:
    """Return the formula of an element-wise kernel for reports, such as "a·x + y modulo q"."""
    row = spec.expression.on(spec.form)
    return f"{row.formula(spec.cmp)} modulo {'q' if row.modular else f'2^{spec.arith.held}'}{form_text(spec)}"


def form_text(spec: Spec) -> str:
    """Return the value of R for reports, or "" if residues are not in Montgomery form."""
    return f", R = 2^{spec.form}" if spec.form else ""


def meaning(spec: Spec, q: int, *operands: int) -> int:
    """Return one element of an element-wise kernel's result by definition.

    Args:
        spec: The specification of the kernel.
        q: The modulus.
        *operands: The operands, integers of any library.
    """
    row = spec.expression.on(spec.form)
    return row.meaning(q if row.modular else 1 << spec.arith.held, spec.cmp, *operands, form=spec.form)


def factor_of_products(spec: Spec, q: int) -> int:
    """Return the factor of the product of two numbers modulo q: 1/R in Montgomery form, otherwise 1."""
    return factors(spec.form, q).get("I", 1)


def lacking_bits(spec: Spec) -> int:
    """Return k if products of points must be multiplied by 2^k to have the requested Montgomery form.

    They are divided by 2^held, while the form requires a division by 2^``spec.form``.
    """
    return spec.arith.held - spec.form
