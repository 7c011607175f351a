"""Every kind of kernel on every target at several widths: how each is generated, and whether momagen should refuse it.

The kinds and the targets come from momagen's own tables, so a new kind or a new target belongs to the matrix at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import momagen as mg
from momagen.emit import Source, generate
from momagen.errors import MomagenError
from momagen.kinds.modular.lists import BLAS, MADE
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.registry import kind_named
from momagen.languages import B512, COMPILED, CUDA, JAX, LANGUAGES
from momagen.rpu.programs.elementwise import KINDS as RPU_KINDS
from momagen.targets import load_target, names

WIDTHS = (31, 60, 124, 252)
"""Bits of a modulus."""
POINTS = {B512: 1024}
"""Points of a transform by the syntax of the target, 16 elsewhere: B512 has none that are shorter."""


class Case(NamedTuple):
    """One kernel of the matrix."""

    kind: str
    target: str
    bits: int

    def __str__(self) -> str:
        return " ".join(map(str, self))


class Text(NamedTuple):
    """A generated kernel: the base name of its files, its text, and its header or ""."""

    name: str
    source: str
    header: str = ""


def _text(source: Source) -> Text:
    return Text(source.name, source.source, source.header)


def _kernel(kind: str, target: str, bits: int, **shape: Any) -> Text:
    points: dict[str, Any] = {} if kind in BLAS else {"n": POINTS.get(load_target(target).syntax, 16)}
    more: dict[str, Any] = {"blowup": 2, "coset": 3, "input_order": "natural"} if kind == "lde" else {}
    return _text(generate(make_spec(kind, modulus_bits=bits, target=target, **points, **more, **shape)))


def _matmul(target: str, bits: int) -> Text:
    product = mg.matmul([[1, 2], [3, 4]], modulus=(1 << bits) - 1, target=target)
    return Text(product.name, product.source)


def _convert(target: str, bits: int) -> Text:
    found = mg.convert(2, to=2, modulus_bits=bits, target=target)
    return Text(found.name, found.source, getattr(found, "header", ""))


def _rescale(target: str, bits: int) -> Text:
    found = mg.rescale(2, modulus_bits=bits, target=target)
    return Text(found.name, found.source, found.header)


def _keyswitch(target: str, bits: int) -> Text:
    found = mg.keyswitch(2, modulus_bits=bits, target=target)
    return Text(found.name, found.source, found.header)


def _moddown(target: str, bits: int) -> Text:
    found = mg.moddown(4, modulus_bits=bits, drop=2, target=target)
    return Text(found.name, found.source, found.header)


MATRICES: dict[str, Callable[[str, int], Text]] = {
    "matmul": _matmul, "convert": _convert, "rescale": _rescale, "keyswitch": _keyswitch, "moddown": _moddown
}  # fmt: skip
"""The kernels that :func:`make_spec` does not make."""
MAKERS: dict[str, Callable[[str, int], Text]] = {
    **{kind: partial(_kernel, kind) for kind in MADE},
    **{f"{kind} inverse": partial(_kernel, kind, inverse=True) for kind in MADE if kind_named(kind).has_inverse},
    "ntt automorphism": partial(_kernel, "ntt", automorphism=3), **MATRICES,
}  # fmt: skip
"""By kind, what generates the kernel for a target and a width."""
NO_KERNELS = {
    "Kernel", "Library", "MomagenError", "__version__", "automorphism", "explain", "inspect", "kernel", "library",
    "load", "rns_context", "sharded_ntt", "supports", "sweep", "targets", "tune",
}  # fmt: skip
"""Public names that are no kinds of kernels. ``mg.automorphism`` moves arrays, and no text is generated for it; the
kernels of ``mg.library`` and ``mg.rns_context`` are kinds of their own; ``mg.kernel`` builds kernels of all kinds."""


def every_case() -> list[Case]:
    """The whole matrix."""
    return [Case(kind, target, bits) for target in names() for kind in MAKERS for bits in WIDTHS]


# What momagen refuses

PLAIN, WORDS = {COMPILED, "python"}, {COMPILED, "python", CUDA, JAX}
ONLY = {
    **{kind: WORDS for kind in BLAS if kind not in RPU_KINDS},
    "basemul": PLAIN, "lde": PLAIN, "vinv": PLAIN, "dot": PLAIN,
    "matmul": {JAX}, "convert": {COMPILED, CUDA, JAX}, "rescale": {COMPILED, CUDA}, "keyswitch": {COMPILED, CUDA},
    "moddown": {COMPILED, CUDA},
}  # fmt: skip
"""The languages of the kinds that some languages lack."""
ROWS = {"convert": 64, "rescale": 64, "keyswitch": 62, "moddown": 62}
"""The longest moduli of the kinds that in C are for words of 64 bits; CUDA has them for moduli of up to 62 bits."""


def is_offered(case: Case) -> bool:
    """Whether there must be such a kernel; momagen must refuse any other one."""
    target = load_target(case.target)
    if target.syntax not in ONLY.get(case.kind, LANGUAGES):
        return False
    if case.kind in ROWS and target.syntax == COMPILED:
        return target.word == 64 and case.bits <= ROWS[case.kind]
    if case.kind in ROWS and target.syntax == CUDA:
        return case.bits <= 62
    return target.syntax != B512 or case.bits <= 128


def attempt(case: Case) -> Text | str:
    """Return the generated kernel, or the text of the error by which momagen refuses it."""
    try:
        return MAKERS[case.kind](case.target, case.bits)
    except MomagenError as error:
        return str(error)
