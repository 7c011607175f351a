"""The parameters of kernels modulo q besides their options, declared once, as command lines and Python take them."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Annotated

from momagen.kinds.parameter import Param, ParameterRole

from .typed import Order, PresetName

MODULUS, CODE = "Modulus", "Generated code"
"""Titles of groups of command-line options; the title of the group for parameters of vectors depends on the kind."""
NAMED = "such as 0x7f000001, 2^64-2^32+1 or a name that `momagen help moduli` lists"


@dataclass(frozen=True)
class ModularParameters:
    """The parameters in the order in which command lines list them; None stands for no value."""

    n: Annotated[
        int | str | None, Param("points, a power of two, or `any` up to --max-n", metavar="N", default="4096")
    ] = None
    negacyclic: Annotated[bool, Param("compute modulo x^n + 1 instead of x^n - 1")] = False
    depth: Annotated[
        int | None,
        Param(
            "stop after L butterfly levels (incomplete NTT), leaving residues modulo x^d - z, d = n/2^L",
            metavar="L", default="log2 n",
        ),
    ] = None
    preset: Annotated[
        PresetName | None, Param("use the n, depth, modulus and root of a standard", default="none")
    ] = None
    max_n: Annotated[int | None, Param("largest size of `--n any`", metavar="N", default="2^17")] = None
    blowup: Annotated[
        int, Param("number of output values per input value, a power of two", metavar="B", default="2")
    ] = 1
    columns: Annotated[int, Param("transform each of the M columns of an n×M matrix", metavar="M")] = 1
    coset: Annotated[
        int | str | None, Param("evaluate at G·w^i instead of w^i; w is the root", metavar="G", default="none")
    ] = None
    inverse: Annotated[bool, Param("compute coefficients from values, scaled by 1/n")] = False
    montgomery: Annotated[
        int | str | None,
        Param(
            "multiply the results of --inverse by 2^K; `reference`: by the factor in the reference code of --preset",
            metavar="K", default="0",
        ),
    ] = None
    order: Annotated[Order, Param("order of the values, not of coefficients")] = "bitrev"
    input_order: Annotated[Order, Param("order of the input values")] = "natural"
    automorphism: Annotated[
        int | None, Param("transform a(x^G) instead of a(x), for an odd G", metavar="G", default="1")
    ] = None
    bits: Annotated[
        int | None,
        Param(
            "width of the container in bits: q is the largest suitable prime below 2^(B-4)",
            group=MODULUS, metavar="B", default="none",
        ),
    ] = None
    modulus_bits: Annotated[
        int | None,
        Param("width of q in bits; q is the largest such prime", group=MODULUS, metavar="B", default="none"),
    ] = None
    modulus: Annotated[
        int | str | None, Param(f"a prime, {NAMED}", group=MODULUS, metavar="Q", default="none")
    ] = None
    moduli: Annotated[
        object,
        Param(
            "RNS moduli; or COUNT: the COUNT largest suitable primes of the width --modulus-bits",
            group=MODULUS, metavar="Q,…|COUNT", default="none",
        ),
    ] = None
    roots: Annotated[
        object, Param("one root of unity per modulus", group=MODULUS, metavar="W,…", default="smallest")
    ] = None
    root: Annotated[
        int | str | None,
        Param(
            "root of order n (negacyclic: 2n; with --depth L: n = 2^L)", group=MODULUS, metavar="W", default="smallest"
        ),
    ] = None
    generator: Annotated[
        int | str | None,
        Param("generator g: the root is g^((q-1)/order)", group=MODULUS, metavar="G", default="none"),
    ] = None
    target: Annotated[
        str | PathLike[str],
        Param(
            "name from `momagen targets`, native (the best of this CPU), or a TOML file, whose code is executed: use"
            " trusted files only",
            group=CODE, metavar="NAME", role=ParameterRole.MACHINE,
        ),
    ] = "c"
    layout: Annotated[
        str | None,
        Param(
            "array words: u16, u32, u64", group=CODE, metavar="WORDS", role=ParameterRole.CODE,
            default="chosen by target and width",
        ),
    ] = None  # fmt: skip


MODULI = ("bits", "modulus_bits", "modulus", "moduli")
"""The parameters that select the modulus."""
ROOTS = ("roots", "root", "generator")
"""The parameters that select roots of unity."""
SHARED = (*MODULI, "target", "layout")
"""The parameters that all kinds have."""
