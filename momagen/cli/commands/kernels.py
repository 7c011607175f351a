"""``momagen ntt``, ``polymul``, ``basemul``, ``blas``: a kernel from its parameters, made, checked, timed, shown."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, get_args

from momagen.cli.choices import add_choice, listed
from momagen.cli.options import (
    add_compiler,
    add_json,
    add_layout,
    add_levels,
    add_target,
    add_wisdom,
    group_of,
    path_of,
)
from momagen.errors import MomagenError
from momagen.kernels.spec import typed
from momagen.params import known_fields

if TYPE_CHECKING:
    from momagen.kernels.spec.spec import Spec

OPTIONS = tuple(typed.listed(typed.AnyOptions))
"""Arguments that go into a specification's options under their own names."""
MODULUS = ("bits", "modulus_bits", "modulus", "moduli")
"""Arguments that say which modulus."""
POINTS = "4096"
"""Where neither --n nor --preset is given."""
SHAPE = (
    "n", "max_n", "depth", "columns", "coset", "automorphism", "blowup", "input_order", "root", "roots", "generator",
    "inverse", "negacyclic", "order", "preset", "montgomery",
)  # fmt: skip
"""Arguments that not every kind of kernel has."""
ADVANCED = {
    "ntt": (
        "algorithm",
        "radix",
        "reduction",
        "quotients",
        "limbs",
        *typed.TILING,
        *typed.MATRICES,
        *typed.RULES,
        "unroll",
        "bake",
        "threads",
    ),
    "polymul": ("radix", "reduction", "quotients", *typed.MATRICES, *typed.RULES, "unroll", "bake", "threads"),
    "basemul": ("reduction", "quotients", *typed.RULES, "unroll", "bake", "threads"),
    "lde": ("radix", "reduction", "quotients", "limbs", *typed.TILING, *typed.RULES, "unroll", "bake"),
    "blas": ("reduction", "limbs", "interleave", *typed.RULES, "unroll", "bake", "threads"),
}
"""Options that every kernel has a good default for, by command."""
WIDTH = "(--bits B | --modulus-bits B | --modulus Q) [--target NAME] [options]"
MONTGOMERY = "{}, as reference codes have them; reference: as that of --preset does"


def add_ntt(parser: argparse.ArgumentParser) -> None:
    add_shape(parser)
    automorphism = "a(x^G) instead of a, G odd: its values, or inverse its coefficients from values of a"
    group_of(parser, "Transform").add_argument("--automorphism", metavar="G", help=automorphism)
    add_factors(group_of(parser, "Transform"), typed.TransformOptions)
    _add_made(parser, "ntt", "[--preset NAME | --n N | --n any [--max-n N]]", typed.TransformOptions)


def add_polymul(parser: argparse.ArgumentParser) -> None:
    _add_ring(parser, "points, a power of two from 2 to 2^26 (default: 4096)")
    ring = group_of(parser, "Transform")
    add_factors(ring, typed.ProductOptions)
    add_form(ring, typed.ProductOptions)
    _add_made(parser, "polymul", "[--preset NAME | --n N]", typed.ProductOptions)


def add_basemul(parser: argparse.ArgumentParser) -> None:
    _add_ring(parser, "coefficients, a power of two from 2 to 2^26 (default: 4096)")
    ring = group_of(parser, "Transform")
    _add_order(ring)
    ring.add_argument("--montgomery", metavar="K", help=MONTGOMERY.format("products over 2^K"))
    add_factors(ring, typed.BaseProductOptions)
    _add_made(parser, "basemul", "[--preset NAME | --n N --depth L]", typed.BaseProductOptions)


def add_lde(parser: argparse.ArgumentParser) -> None:
    ring = group_of(parser, "Extension")
    ring.add_argument("--n", default="1024", metavar="N", help="values that come in, a power of two (default: 1024)")
    grown = "as many times more values come out, a power of two (default: 2)"
    ring.add_argument("--blowup", default="2", metavar="B", help=grown)
    coset = "values come out at G·w^j, of the root w of order N·B (default: 1)"
    ring.add_argument("--coset", default="1", metavar="G", help=coset)
    columns = "of a matrix of n rows, each of which is extended (default: 1)"
    ring.add_argument("--columns", default="1", metavar="M", help=columns)
    orders = listed(get_args(typed.Order))
    ring.add_argument("--order", default="bitrev", metavar=orders, help="of what comes out (default: bitrev)")
    given = "of what comes in (default: natural)"
    ring.add_argument("--input-order", default="natural", metavar=orders, help=given)
    add_factors(ring, typed.ExtensionOptions)
    _add_made(parser, "lde", "[--n N] [--blowup B] [--coset G]", typed.ExtensionOptions, roots=False)
    group = group_of(parser, "Modulus")
    group.add_argument("--root", metavar="W", help="a root of unity of order N·B (default: the smallest)")
    derived = "a generator g of the multiplicative group: the root is g^((q-1)/(N·B))"
    group.add_argument("--generator", metavar="G", help=derived)


def add_blas(parser: argparse.ArgumentParser) -> None:
    vectors = group_of(parser, "Vectors")
    _add_made(parser, "blas", "KIND", typed.ElementwiseOptions, roots=False)
    vectors.add_argument("kind", metavar=listed(get_args(typed.Elementwise)), help="what is computed, modulo q")
    add_choice(vectors, "cmp", typed.ElementwiseOptions)
    add_factors(vectors, typed.ElementwiseOptions)
    add_form(vectors, typed.ElementwiseOptions)


def _add_made(parser: argparse.ArgumentParser, name: str, first: str, options: type, *, roots: bool = True) -> None:
    """What these commands share; ``options`` says of each the values."""
    parser.usage = f"momagen {name} {first} {WIDTH}"
    parser.set_defaults(run=_run, kind=name)
    add_modulus(parser, roots=roots)
    _add_output(parser)
    add_advanced(parser, ADVANCED[name], options)
    add_wisdom(group_of(parser, "Advanced"))


def _add_ring(parser: argparse.ArgumentParser, points: str) -> None:
    ring = group_of(parser, "Transform")
    ring.add_argument("--n", metavar="N", help=points)
    ring.add_argument("--negacyclic", action="store_true", help="modulo x^n + 1 instead of x^n - 1")
    add_levels(ring)


def add_shape(parser: argparse.ArgumentParser) -> None:
    """What says which transform."""
    _add_ring(parser, "points, a power of two from 2 to 2^26, or any: every size up to --max-n (default: 4096)")
    ring = group_of(parser, "Transform")
    ring.add_argument("--max-n", metavar="N", help="the largest size of --n any (default: 2^17)")
    columns = "of a matrix of n rows, each of which is transformed (default: 1)"
    ring.add_argument("--columns", default="1", metavar="M", help=columns)
    ring.add_argument("--coset", metavar="G", help="values at G·w^i instead of w^i, of the root w")
    ring.add_argument("--inverse", action="store_true", help="from values to coefficients, scaled by 1/n")
    ring.add_argument("--montgomery", metavar="K", help=MONTGOMERY.format("inverse: 2^K times the coefficients"))
    _add_order(ring)


def _add_order(ring: argparse._ArgumentGroup) -> None:
    order = "of the values: bit-reversed or natural (coefficients are natural) (default: bitrev)"
    ring.add_argument("--order", default="bitrev", metavar=listed(get_args(typed.Order)), help=order)


def add_factors(group: argparse._ArgumentGroup, options: type) -> None:
    """The ranges of vectors."""
    for option in ("input_factor", "output_factor"):
        add_choice(group, option, options)


def add_form(group: argparse._ArgumentGroup, options: type) -> None:
    """How kernels that multiply take residues."""
    for option in typed.FORM:
        add_choice(group, option, options)


def add_modulus(parser: argparse.ArgumentParser, *, roots: bool) -> None:
    """What says how wide, and which modulus; for transforms, which root of unity."""
    group = group_of(parser, "Modulus")
    container = "width of the container, as papers count: the modulus is the largest prime below 2^(B-4) that fits"
    group.add_argument("--bits", metavar="B", help=container)
    length = "width of the modulus: the largest prime of that length that fits"
    group.add_argument("--modulus-bits", metavar="B", help=length)
    names = ", ".join(known_fields())
    prime = f"a prime: decimal, 0x…, an expression (2^64-2^32+1, 1e9+7) or a name: {names}"
    group.add_argument("--modulus", metavar="Q", help=prime)
    several = "of a residue number system, Q,Q,…: one plan has them all; or how many, the largest primes of the width"
    group.add_argument("--moduli", metavar="Q,…|COUNT", help=several)
    if roots:
        group.add_argument("--roots", metavar="W,…", help="a root for each of --moduli (default: the smallest)")
        root = "a root of unity of order n, 2n if negacyclic (default: the smallest)"
        group.add_argument("--root", metavar="W", help=root)
        derived = "a generator g of the multiplicative group: the root is g^((q-1)/n), g^((q-1)/2n) if negacyclic"
        group.add_argument("--generator", metavar="G", help=derived)


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = group_of(parser, "Output")
    add_target(group)
    add_layout(group)
    group.add_argument("--output", metavar="DIR", type=path_of, help="where the files go (default: the cache)")
    group.add_argument("--no-verify", action="store_true", help="do not compare with gmpy2")
    group.add_argument("--no-bench", action="store_true", help="do not time")
    add_json(group)


def add_advanced(parser: argparse.ArgumentParser, names: tuple[str, ...], options: type) -> None:
    """Options with good defaults; their values are those that ``options`` says."""
    group = group_of(parser, "Advanced")
    for option in names:
        add_choice(group, option, options)
    add_compiler(group)


def check_modulus(given: argparse.Namespace) -> None:
    """Refuse a command without any of the options that say which modulus."""
    if all(getattr(given, name, None) is None for name in (*MODULUS, "preset")):
        raise MomagenError("--bits, --modulus-bits, --modulus or --moduli", "none of them", "modulus")


def specification(given: argparse.Namespace) -> Spec:
    """What the arguments of one of these commands ask for, checked."""
    from momagen.api.request import specify  # not before a command runs, so that help is quick

    check_modulus(given)
    shape = {name: getattr(given, name) for name in (*MODULUS, *SHAPE) if name in given}
    if "n" in shape and shape["n"] is shape.get("preset") is None:
        shape["n"] = POINTS
    chosen = {name: getattr(given, name) for name in OPTIONS if name in given}
    layout = getattr(given, "layout", None)
    return specify(given.kind, target=given.target, options=chosen, layout=layout, **shape)


def _run(given: argparse.Namespace) -> int:
    from momagen.api.make import advised
    from momagen.cli.make import MakeRequest, make
    from momagen.cli.show import as_json, show
    from momagen.screen import console
    from momagen.screen.progress import Phases

    wish = MakeRequest(given.output, given.compiler, verify=not given.no_verify, bench=not given.no_bench)
    with Phases() as phases:
        with phases.of("check"):
            spec = specification(given)
        made = make(lambda: advised(spec, given.wisdom, given.compiler), wish, phases)
    if given.json:
        print(as_json(made))
    else:
        show(made, console())
    return 0 if made.right else 1
