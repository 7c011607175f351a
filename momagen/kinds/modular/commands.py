"""The commands of kinds of kernels modulo q: their parameters, options, usage and examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from momagen.kinds.command import PRESET, KindCommand
from momagen.kinds.parameter import parameters_of

from . import typed
from .parameters import MODULI, NAMED, ROOTS, SHARED, ModularParameters

USAGE = (
    "(--bits B | --modulus-bits B | --modulus Q | --moduli Q,… | --moduli COUNT --modulus-bits B)"
    " [--target NAME] [options]"
)
"""The usage of the options that all these commands have."""
COEFFICIENTS = "number of coefficients, a power of two from 2 to 2^26"
"""The help of the number of coefficients."""


def modular_command(
    names: Sequence[str], usage: str, example: Sequence[str], option_types: type, *,
    texts: Mapping[str, str] | None = None, defaults: Mapping[str, str] | None = None, title: str = "Transform",
    is_tuned: bool = True,
) -> KindCommand:  # fmt: skip
    """Return a command for kernels modulo q.

    Args:
        names: The names of its parameters besides those that all these commands have.
        usage: The usage of the options that describe the operands.
        example: Complete commands without "momagen".
        option_types: The TypedDict of its options.
        texts: The help of parameters that has other words than in :mod:`momagen.kinds.modular.parameters`.
        defaults: The defaults that only command lines have.
        title: The title of the group of options that describe the operands.
        is_tuned: Whether ``momagen tune`` searches the options.
    """
    help_of, usual = texts or {}, defaults or {}
    parameters = {
        name: each.restated(help_of.get(name, ""), usual.get(name, ""))
        for name, each in parameters_of(ModularParameters).items() if name in (*names, *SHARED)
    }  # fmt: skip
    one_of = (*MODULI, PRESET) if PRESET in names else MODULI
    return KindCommand(parameters, f"{usage} {USAGE}", example, option_types, title, one_of, usual, is_tuned)


COMMANDS = {
    "ntt": modular_command(
        (
            "n", "negacyclic", "depth", PRESET, "max_n", "columns", "coset", "inverse", "montgomery", "order",
            "automorphism", *ROOTS,
        ),
        "[--preset NAME | --n N | --n any [--max-n N]]",
        ("ntt --n 4096 --bits 128 --target avx2", "ntt --preset ml-kem --inverse --target native"),
        typed.TransformOptions, defaults={"n": "4096"},
    ),
    "polymul": modular_command(
        ("n", "negacyclic", "depth", PRESET, *ROOTS), "[--preset NAME | --n N]",
        ("polymul --n 4096 --bits 64 --negacyclic",), typed.ProductOptions, defaults={"n": "4096"},
        texts={
            "n": COEFFICIENTS, "depth": "multiply by incomplete NTTs of L butterfly levels; the results are the same",
        },
    ),
    "basemul": modular_command(
        ("n", "negacyclic", "depth", PRESET, "order", "montgomery", *ROOTS), "[--preset NAME | --n N --depth L]",
        ("basemul --preset ml-kem",), typed.BaseProductOptions, defaults={"n": "4096"},
        texts={
            "n": COEFFICIENTS,
            "depth": "number of butterfly levels of the incomplete NTTs, whose factors x^d - z have degree d = n/2^L",
            "montgomery": "divide products by 2^K; `reference`: as the reference code of --preset does",
        },
    ),
    "lde": modular_command(
        ("n", "blowup", "coset", "columns", "order", "input_order", "root", "generator"),
        "[--n N] [--blowup B] [--coset G]", ("lde --n 1024 --blowup 4 --modulus babybear",), typed.ExtensionOptions,
        texts={
            "n": "number of input values, a power of two", "order": "order of the output values",
            "coset": "evaluate at G·w^j; the input values are those at w^(B·i), where w is the root of order N·B",
            "columns": "extend each of the M columns of a matrix with N rows", "root": "root of unity of order N·B",
            "generator": "generator g: the root is g^((q-1)/(N·B))",
        },
        defaults={"n": "1024", "blowup": "2", "coset": "1", "input_order": "natural"}, title="Extension",
        is_tuned=False,
    ),
    "blas": modular_command(
        (), "KIND", ("blas vmul --bits 128 --target native",), typed.ElementwiseOptions,
        texts={"modulus": f"a number, {NAMED}"}, title="Vectors",
    ),
}  # fmt: skip
"""The commands by name; ``blas`` is that of all element-wise kinds."""
