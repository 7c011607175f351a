"""A note where an explanation on words is not what kernels do: they hold residues in reduced-radix digits there."""

from __future__ import annotations

from momagen.kernels.elementwise.products import MULTIPLYING
from momagen.kernels.spec.spec import Spec
from momagen.lower.elementwise.choice import refusal
from momagen.plan.ways import way
from momagen.targets import Target, load_target, narrower

from .operations import BUTTERFLIES

POINTS = 4096
PRODUCTS = ("mul", "mulhi", "mullo", "mulmod", "barrett", "montgomery", "shoup")
MODULAR = (*BUTTERFLIES, "mulmod", "addmod", "submod")
DIGITS = 64
"""Bits of a word from which on machines take products of one word apart."""
SHORTER = "Shown on {word}-bit words: at this width the kernels of {target} are those of {other}, if no layout is said."
NOTE = "Shown on {word}-bit words: at this width the kernels of {target} {how}, and run other steps than these."


def aside(op: str, bits: int, target: Target, name: str) -> str:
    """What to know before reading ``op`` on numbers or a modulus of ``bits`` bits as a kernel of the target, which was
    asked for as ``name``; "" where that kernel runs on such words, too."""
    if op in MODULAR and (other := narrower(name, bits)) != name:
        return SHORTER.format(word=target.word, target=target.name, other=other)
    how = _butterfly(op, bits, target, name) if op in BUTTERFLIES else _product(op, bits, target, name)
    return how and NOTE.format(word=target.word, target=target.name, how=how)


def aside_of(spec: Spec) -> str:
    """The same of a BLAS kernel."""
    target = load_target(spec.target)
    words = spec.kind not in MULTIPLYING or "products" not in target.tiles or refusal(spec)
    return "" if words else NOTE.format(word=target.word, target=target.name, how=_digits(target))


def _butterfly(op: str, bits: int, target: Target, name: str) -> str:
    own = way(Spec("ntt", POINTS, bits, (1 << bits) - 1, 1, name, inverse=op == "gs"))
    if own == "steps" and bits > target.digit:
        quotients = f"compute quotients by {target.digit or target.word // 2}-bit multiply-adds"
        return "multiply signed words by Montgomery's method" if target.word < DIGITS else quotients
    return "" if own == "words" else _digits(target)


def _product(op: str, bits: int, target: Target, name: str) -> str:
    words = op not in PRODUCTS or refusal(Spec("vmul", 0, bits, (1 << bits) - 1, 0, name))
    return "" if words else _digits(target)


def _digits(target: Target) -> str:
    return f"hold residues in {f'radix-2^{target.digit}' if target.digit else 'floating-point'} limbs"
