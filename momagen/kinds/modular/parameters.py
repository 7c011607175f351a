"""The parameters of kernels modulo q besides their options, declared once for requests, command lines and Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from os import PathLike
from typing import Annotated, Any, Literal, get_args

from momagen.kinds.parameter import Param, Parameter, ParameterRole, parameters_of
from momagen.kinds.titles import CODE

from .options.record import NO_OPTIONS, KernelOptions
from .typed import Order, PresetName

MODULUS = "Modulus"
"""The title of the group of command-line options for the modulus. The title of the group for the parameters
of vectors depends on the kind."""
NAMED = "such as 0x7f000001, 2^64-2^32+1 or a name that `momagen help moduli` lists"
NTT, LDE = ("ntt",), ("lde",)
RINGS = (*NTT, "polymul", "basemul")
ROOTS = (*RINGS, *LDE)
BASES = (*RINGS, "blas")
"""The commands that have a parameter: the constants name the commands for transforms, extensions, rings,
kernels with roots, and RNS bases."""


@dataclass(frozen=True)
class SharedParameters:
    """The parameters that requests and specifications share, some of which follow from others.

    Attributes:
        options: The choices between implementations.
        serves: The width of the longest modulus that the build serves, if this kernel's modulus is shorter,
            otherwise 0.
        sized: Whether ``create`` takes the number of points: any power of two up to n.
        basis: The moduli of an RNS basis, or () for a single modulus.
        roots: The roots of unity for these moduli.
        columns: The number of columns. In a specification it is ``degree`` times the number in a request.
        coset: The number g if values are those at g·root^i, otherwise 0.
        automorphism: The number g if a transform is that of a(x^g) instead of a(x), otherwise 1.
        degree: The degree d if a transform stops at factors x^d - z, otherwise 1.
        montgomery: The exponent k if inverse transforms return 2^k times the coefficients, or products are
            divided by 2^k; otherwise 0.
        blowup: The number of values of a low-degree extension for each value of its operand, otherwise 1.
        input_order: The order of the operand of a low-degree extension, otherwise "".
    """

    inverse: Annotated[bool, Param(
        "compute coefficients from values, scaled by 1/n",
        doc="Whether to build the inverse transform, from values to coefficients, scaled by 1/n.", applies_to=NTT,
    )] = False  # fmt: skip
    negacyclic: Annotated[bool, Param(
        "compute modulo x^n + 1 instead of x^n - 1", doc="Whether the ring is Z_q[x]/(x^n + 1) instead of"
        " Z_q[x]/(x^n - 1).", applies_to=RINGS, part="negacyclic",
    )] = False  # fmt: skip
    order: Annotated[Order, Param(
        "order of the values, not of coefficients",
        doc='The order of the values: "bitrev" (bit-reversed, the default) or "natural".',
        applies_to=(*NTT, "basemul", *LDE),
    )] = "bitrev"  # fmt: skip
    options: KernelOptions = NO_OPTIONS
    serves: int = 0
    sized: bool = False
    basis: Annotated[tuple[int, ...], Param(
        "RNS moduli; or COUNT: the COUNT largest suitable primes of the width --modulus-bits",
        doc="An RNS basis instead of one modulus: pairwise coprime moduli, or the number of the largest primes below"
        " 2^(bits - 4), or of ``modulus_bits`` bits. One plan serves all of them, and vectors have an axis of moduli"
        " before n.",
        group=MODULUS, metavar="Q,…|COUNT", default="none", name="moduli", applies_to=BASES,
        accepts=int | Sequence[int | str] | None, role=ParameterRole.TABLES, samples=(2,),
    )] = ()  # fmt: skip
    roots: Annotated[tuple[int, ...], Param(
        "one root of unity per modulus", doc="One root for each of ``moduli`` (default: the smallest ones).",
        group=MODULUS, metavar="W,…", default="smallest", applies_to=RINGS, accepts=Sequence[int | str] | None,
        role=ParameterRole.TABLES,
    )] = ()  # fmt: skip
    columns: Annotated[int, Param(
        "transform each of the M columns of an n×M matrix",
        doc="The number of columns of a row-major matrix of n rows, each of which is transformed (default: 1). If it is"
        " not 1, vectors have an axis of columns after n. n·columns is at most 2^26, on JAX 2^30. A multiple of the"
        " target's number of lanes is fastest.",
        metavar="M", applies_to=(*NTT, *LDE), samples=(4, 3),
    )] = 1  # fmt: skip
    coset: Annotated[int, Param(
        "evaluate at G·w^i instead of w^i; w is the root",
        doc="A number g. Values are those at g·ω^i instead of ω^i, of polynomials modulo x^n - g^n. CUDA targets"
        " support bit-reversed order only, C targets both orders.",
        metavar="G", default="none", applies_to=(*NTT, *LDE), accepts=int | str | None, part="coset{}",
        samples=(3, {"coset": 3, "order": "natural"}),
    )] = 0  # fmt: skip
    automorphism: Annotated[int, Param(
        "transform a(x^G) instead of a(x), for an odd G",
        doc="An odd integer g, taken modulo the order of the root. The forward transform then computes the values of"
        " a(x^g) from the coefficients of a, and the inverse transform the coefficients of a(x^g) from the values of a."
        " This costs nothing, because only the tables change.",
        metavar="G", applies_to=NTT, accepts=int | str | None, part="automorphism{}", in_libraries=False,
        role=ParameterRole.TABLES, samples=(5,),
    )] = 1  # fmt: skip
    degree: int = 1
    montgomery: Annotated[int, Param(
        "multiply the results of --inverse by 2^K; `reference`: by the factor in the reference code of --preset",
        doc="k, if an inverse transform is to return 2^k times the coefficients, as reference implementations that"
        " multiply by Montgomery's method do. \"reference\" selects the factor of the preset's reference"
        " implementation.",
        metavar="K", applies_to=(*NTT, "basemul"), accepts=int | str | None, part="montgomery{}",
        role=ParameterRole.TABLES, samples=({"inverse": True, "montgomery": 64},),
    )] = 0  # fmt: skip
    blowup: Annotated[int, Param(
        "number of output values per input value, a power of two",
        doc="The factor by which the number of values grows, a power of two. n·blowup·columns is at most 2^26.",
        metavar="B", applies_to=LDE, part="blowup{}",
    )] = 1  # fmt: skip
    input_order: Annotated[Order | Literal[""], Param(
        "order of the input values", doc='The order of the operand: "natural" (the default) or "bitrev".',
        applies_to=LDE, part="from_bitrev", unnamed=("natural",), accepts=Order,
        choices=get_args(Order),
    )] = ""  # fmt: skip


@dataclass(frozen=True)
class ModularParameters(SharedParameters):
    """The parameters of a request; None means that momagen chooses the number."""

    n: Annotated[int, Param(
        "points, a power of two, or `any` up to --max-n",
        doc='The number of points, a power of two from 2 to 2^26. With "any", the kernel serves every power of two from'
        " 2 to ``max_n``: in C, the caller passes n to ``create``; in Python, a call takes n from its operand, and"
        " ``k.at(n)`` returns the kernel of one size. The root is then that of ``max_n``. With a preset, n may be"
        " omitted.",
        metavar="N", applies_to=ROOTS, accepts=int | str | None, by_position=True,
        samples=({"n": "any", "max_n": 1024},),
    )] = 0  # fmt: skip
    depth: Annotated[int | None, Param(
        "stop after L butterfly levels (incomplete NTT), leaving residues modulo x^d - z, d = n/2^L",
        doc="The number of butterfly levels, if it is below log2 n. The transform is then incomplete: it computes the"
        " remainders modulo x^d - z with d = n/2^depth. Remainder i is at positions d·i … d·i + d - 1, and its z is the"
        " root to the power ``k.order[i]``. The root has order 2^depth, or 2^(depth + 1) if negacyclic, which must"
        " divide q - 1. The inverse is scaled by 1/2^depth.",
        metavar="L", default="log2 n", applies_to=RINGS, samples=(8,),
    )] = None  # fmt: skip
    bits: Annotated[int | None, Param(
        "width of the container in bits: q is the largest suitable prime below 2^(B-4)",
        doc="The width of the container in bits, instead of a modulus: q is the largest prime below 2^(bits - 4) with"
        " 2n | q - 1.",
        group=MODULUS, metavar="B", role=ParameterRole.SHORTHAND, default="none",
    )] = None  # fmt: skip
    modulus_bits: Annotated[int | None, Param(
        "width of q in bits; q is the largest such prime",
        doc="The width of the modulus in bits, instead of a modulus: q is the largest prime of exactly this width with"
        " 2n | q - 1.",
        group=MODULUS, metavar="B", role=ParameterRole.SHORTHAND, default="none",
    )] = None  # fmt: skip
    modulus: Annotated[int | None, Param(
        f"a prime, {NAMED}",
        doc="The modulus q: an odd prime with n | q - 1 (2n | q - 1 if the transform is negacyclic), given as an"
        ' integer, an expression such as "2^64-2^32+1" or a name such as "goldilocks". An odd composite q is accepted'
        " if ``root`` is given.",
        group=MODULUS, metavar="Q", default="none", accepts=int | str | None, role=ParameterRole.TABLES,
    )] = None  # fmt: skip
    root: Annotated[int | None, Param(
        "root of order n (negacyclic: 2n; with --depth L: n = 2^L)",
        doc="ω, a primitive n-th root of unity modulo every prime factor of q (ω^(n/2) = -1); for a negacyclic"
        " transform ψ, a primitive 2n-th root (ψ^n = -1). By default, the smallest one; q must then be prime.",
        group=MODULUS, metavar="W", default="smallest", applies_to=ROOTS, accepts=int | str | None,
        role=ParameterRole.TABLES,
    )] = None  # fmt: skip
    generator: Annotated[int | None, Param(
        "generator g: the root is g^((q-1)/order)",
        doc="A generator g of the multiplicative group modulo a prime q, instead of a root: ω = g^((q - 1)/n), or"
        " ψ = g^((q - 1)/(2n)).",
        group=MODULUS, metavar="G", role=ParameterRole.SHORTHAND, default="none", applies_to=ROOTS,
        accepts=int | str | None,
    )] = None  # fmt: skip
    target: Annotated[Any, Param(
        "name from `momagen targets`, native (the best of this CPU), or a TOML file, whose code is executed: use"
        " trusted files only",
        doc='The name of a target (see :func:`momagen.targets`), "native" for the best target that this CPU supports,'
        ' or the path of a TOML file (default: "c").',
        group=CODE, metavar="NAME", role=ParameterRole.MACHINE, default="c", accepts=str | PathLike[str],
    )] = None  # fmt: skip
    layout: Annotated[str, Param(
        "array words: u16, u32, u64",
        doc='The words of the kernel\'s arrays: "u16", "u32" or "u64", if a residue is one word. By default, a target'
        " with vector lanes uses the shortest words that leave residues a spare bit, because two or four times as many"
        " of them fit in a register. In Python, the kernel also accepts arrays of these words and returns its result in"
        " them.",
        group=CODE, metavar="WORDS", role=ParameterRole.CODE, default="chosen by target and width",
        accepts=str | None,
    )] = ""  # fmt: skip


@dataclass(frozen=True)
class ModularShorthand:
    """The parameters that only determine others."""

    preset: Annotated[PresetName | None, Param(
        "use the n, depth, modulus and root of a standard",
        doc='The transform of a standard: "ml-kem", "ml-dsa", "falcon-512" or "falcon-1024". It sets n, depth, modulus,'
        " root and negacyclic.",
        role=ParameterRole.SHORTHAND, default="none", applies_to=RINGS,
    )] = None  # fmt: skip
    max_n: Annotated[int | None, Param(
        "largest size of `--n any`", doc='The largest size if n is "any" (default: 2^17).', metavar="N",
        role=ParameterRole.SHORTHAND, default="2^17", applies_to=NTT,
    )] = None  # fmt: skip


MODULI = ("bits", "modulus_bits", "modulus", "moduli")
"""The parameters that select the modulus."""
FIRST = ("n", "depth", "preset", "max_n")
"""The parameters that command lines list first."""


@cache
def modular_parameters() -> Mapping[str, Parameter]:
    """Return all parameters by the names of their arguments in Python, in the order of command lines."""
    declared = {**parameters_of(ModularParameters), **parameters_of(ModularShorthand)}
    named = {each.name: each for each in declared.values()}
    return {name: named[name] for name in dict.fromkeys((*FIRST, *MODULI, *named))}
