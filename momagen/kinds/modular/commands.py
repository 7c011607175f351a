"""The commands of kinds of kernels modulo q: their parameters, options, usage and examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from momagen.kinds.command import PRESET, KindCommand
from momagen.kinds.parameter import REQUIRED, parameters_of

from . import typed
from .options.declared import OptionFields
from .parameters import MODULI, NAMED, modular_parameters

USAGE = "(--bits B | --modulus-bits B | --modulus Q{}) [--target NAME] [options]"
"""The usage of the options that all these commands have, in which {} is replaced by the options of RNS bases."""
OF_BASES = " | --moduli Q,… | --moduli COUNT --modulus-bits B"
Changes = Mapping[str, Mapping[str, Any]]
"""The differences between a command's declarations and :mod:`momagen.kinds.modular.parameters`, by parameter."""
OF_CONSTANTS: Changes = {
    "reduction": {"type": typed.TransformReduction | None},
    "input_factor": {
        "default": "1", "choices": get_args(typed.Multiple), "accepts": typed.Multiple | None,
    },
}  # fmt: skip
"""The differences of options for kernels that multiply only by constants."""
COEFFICIENTS: Mapping[str, Any] = {
    "help": "number of coefficients, a power of two from 2 to 2^26",
    "doc": "The number of coefficients, a power of two from 2 to 2^26. With a preset, n may be omitted.",
    "accepts": int | None,
}
"""The differences of n if it is the number of coefficients."""


def modular_command(
    name: str, usage: str, example: Sequence[str], *, changes: Changes | None = None,
    defaults: Mapping[str, str] | None = None, title: str = "Transform", is_tuned: bool = True,
) -> KindCommand:  # fmt: skip
    """Return a command for kernels modulo q.

    Args:
        name: The name of the command.
        usage: The usage of the options that describe the operands.
        example: Complete commands without "momagen".
        changes: The differences from the shared declarations.
        defaults: The defaults that only command lines have.
        title: The title of the group of options that describe the operands.
        is_tuned: Whether ``momagen tune`` searches the options.
    """
    other, usual = {**({} if name == "blas" else OF_CONSTANTS), **(changes or {})}, defaults or {}
    shown = {each: {"default": text} for each, text in usual.items()}
    parameters, options = (
        {each: parameter.restated(**shown.get(each, {}), **other.get(each, {}))
         for each, parameter in declared.items() if name in (parameter.param.applies_to or (name,))}
        for declared in (modular_parameters(), parameters_of(OptionFields))
    )  # fmt: skip
    one_of = tuple(each for each in (*MODULI, PRESET) if each in parameters)
    usage = f"{usage} {USAGE.format(OF_BASES if 'moduli' in parameters else '')}"
    return KindCommand(parameters, usage, example, options, title, one_of, usual, is_tuned)


COMMANDS = {
    "ntt": modular_command(
        "ntt", "[--preset NAME | --n N | --n any [--max-n N]]",
        ("ntt --n 4096 --bits 128 --target avx2", "ntt --preset ml-kem --inverse --target native"),
        defaults={"n": "4096"},
    ),
    "polymul": modular_command(
        "polymul", "[--preset NAME | --n N]", ("polymul --n 4096 --bits 64 --negacyclic",),
        changes={
            "n": COEFFICIENTS,
            "depth": {
                "help": "multiply by incomplete NTTs of L butterfly levels; the results are the same",
                "doc": "The number of butterfly levels of the transforms, if they are incomplete; see :func:`ntt`. The"
                       " results are the same.",
            },
        },
        defaults={"n": "4096"},
    ),
    "basemul": modular_command(
        "basemul", "[--preset NAME | --n N --depth L]", ("basemul --preset ml-kem",),
        changes={
            "n": COEFFICIENTS,
            "depth": {
                "help": "number of butterfly levels of the incomplete NTTs, whose factors x^d - z have degree"
                        " d = n/2^L",
                "doc": "The number of butterfly levels of the transforms (default: log2 n); see :func:`ntt`.",
            },
            "montgomery": {
                "help": "divide products by 2^K; `reference`: as the reference code of --preset does",
                "doc": "k, if products are to be divided by 2^k, as the Montgomery products of reference"
                       " implementations are. \"reference\" selects the factor of the preset's reference"
                       " implementation.",
            },
        },
        defaults={"n": "4096"},
    ),
    "lde": modular_command(
        "lde", "[--n N] [--blowup B] [--coset G]", ("lde --n 1024 --blowup 4 --modulus babybear",),
        changes={
            "n": {
                "help": "number of input values, a power of two",
                "doc": "The number of values of the operand, a power of two from 2 on.", "accepts": int,
            },
            "blowup": {"usual": REQUIRED},
            "order": {
                "help": "order of the output values",
                "doc": 'The order of the result: "bitrev" (bit-reversed, the default) or "natural".',
            },
            "input_order": {"usual": "natural"},
            "coset": {
                "help": "evaluate at G·w^j; the input values are those at w^(B·i), where w is the root of order N·B",
                "doc": "g, a number below q that is coprime to q (default: 1, which is the subgroup of the roots of"
                       " unity).",
                "accepts": int | str, "usual": 1,
            },
            "columns": {
                "help": "extend each of the M columns of a matrix with N rows",
                "doc": "The number of columns of a row-major matrix of n rows, each of which is extended (default: 1).",
            },
            "bits": {
                "doc": "The width of the container in bits, instead of a modulus: q is the largest prime below"
                       " 2^(bits - 4) with 2n·blowup | q - 1.",
            },
            "modulus_bits": {
                "doc": "The width of the modulus in bits, instead of a modulus: q is the largest prime of exactly this"
                       " width with 2n·blowup | q - 1.",
            },
            "modulus": {"doc": "The modulus q: an odd prime with n·blowup | q - 1; see :func:`ntt`."},
            "root": {
                "help": "root of unity of order N·B",
                "doc": "ω, a primitive root of unity of order n·blowup (default: the smallest one).",
            },
            "generator": {
                "help": "generator g: the root is g^((q-1)/(N·B))",
                "doc": "A generator of the multiplicative group modulo q, instead of a root:"
                       " ω = g^((q - 1)/(n·blowup)).",
            },
            "target": {"doc": 'The name of a C or Python target, "native", or the path of a TOML file (default: "c").'},
        },
        defaults={"n": "1024", "blowup": "2"}, title="Extension", is_tuned=False,
    ),
    "blas": modular_command(
        "blas", "KIND", ("blas vmul --bits 128 --target native",),
        changes={
            "bits": {
                "doc": "The width of the container in bits, instead of a modulus: q is the largest prime below"
                       " 2^(bits - 4).",
            },
            "modulus_bits": {
                "doc": "The width of the modulus in bits, instead of a modulus: q is the largest prime of exactly this"
                       " width.",
            },
            "modulus": {
                "help": f"a number, {NAMED}",
                "doc": "The modulus q, odd or even, from 2 on; odd if Montgomery reduction is requested. It is given as"
                       ' an integer, an expression such as "2^64-2^32+1" or a name such as "goldilocks".',
            },
            "moduli": {
                "doc": "An RNS basis instead of one modulus; see :func:`ntt`. Vectors then have shape"
                       " (…, moduli, n, words), and scalars are one number for each modulus.",
            },
        },
        title="Vectors",
    ),
}  # fmt: skip
"""The commands by name; all element-wise kinds have the command ``blas``."""
