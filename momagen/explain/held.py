"""Remarks about kernels that work differently from the explanation, for example on reduced-radix limbs."""

from __future__ import annotations

from momagen.kinds.modular.make_spec import modular_kind
from momagen.kinds.modular.spec import Spec
from momagen.lower.elementwise.choice import refusal
from momagen.plan.ways import way
from momagen.targets import Target

from .operations import BUTTERFLIES

POINTS = 4096
"""The number of points of the transform whose kernel is compared with the explanation of a butterfly."""
PRODUCTS = ("mul", "mulhi", "mullo", "mulmod", "barrett", "montgomery", "shoup")
MODULAR = (*BUTTERFLIES, "mulmod", "addmod", "submod")
DIGITS = 64
"""The width of words, in bits, from which on targets split products of two words."""
SHORTER = (
    "This explanation uses {word}-bit words. "
    "At this width, kernels for {target} use {other} unless you choose a layout."
)
NOTE = "This explanation uses {word}-bit words. At this width, kernels for {target} {how}, so their steps differ."


def aside(op: str, bits: int, target: Target) -> str:
    """Return a remark on how kernels differ from the explanation of ``op``, or "" if they do not.

    Args:
        op: The operation.
        bits: The width of its numbers or of its modulus.
        target: The target whose words the explanation uses.
    """
    if op in MODULAR and (other := target.narrower(bits)) is not target:
        return SHORTER.format(word=target.word, target=target.name, other=other)
    how = _butterfly(op, bits, target) if op in BUTTERFLIES else _product(op, bits, target)
    return how and NOTE.format(word=target.word, target=target.name, how=how)


def aside_of(spec: Spec) -> str:
    """Return the remark for a BLAS kernel."""
    target = spec.target
    words = not spec.expression.multiplies or "products" not in target.tiles or refusal(spec)
    return "" if words else NOTE.format(word=target.word, target=target.name, how=_digits(target))


def _butterfly(op: str, bits: int, target: Target) -> str:
    own = way(Spec(modular_kind("ntt"), POINTS, bits, (1 << bits) - 1, 1, target, inverse=op == "gs"))
    if own == "steps" and bits > target.digit:
        quotients = f"compute quotients by {target.digit or target.word // 2}-bit multiply-adds"
        return "multiply signed words by Montgomery's method" if target.word < DIGITS else quotients
    return "" if own == "words" else _digits(target)


def _product(op: str, bits: int, target: Target) -> str:
    words = op not in PRODUCTS or refusal(Spec(modular_kind("vmul"), 0, bits, (1 << bits) - 1, 0, target))
    return "" if words else _digits(target)


def _digits(target: Target) -> str:
    return f"hold residues in {f'radix-2^{target.digit}' if target.digit else 'floating-point'} limbs"
