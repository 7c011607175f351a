"""``momagen ntt``, ``polymul``, ``basemul``, ``lde``, ``blas``: generate, verify and time one kernel, and report it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, get_args

from momagen.cli.choices import add_choice, listed
from momagen.cli.options import (
    DEPTH,
    add_compiler,
    add_depth_and_preset,
    add_json,
    add_layout,
    add_target,
    add_wisdom,
    group_of,
    path_of,
)
from momagen.cli.parser import TUNING
from momagen.errors import MomagenError
from momagen.kinds.modular import typed
from momagen.kinds.modular.options.record import OptionGroup, names_of

if TYPE_CHECKING:
    from momagen.kinds.modular.spec import Spec

OPTIONS = tuple(typed.listed(typed.AnyOptions))
"""Options of the command line that become options of a specification under the same name."""
MODULUS = ("bits", "modulus_bits", "modulus", "moduli")
"""Options that select the modulus."""
POINTS = "4096"
"""The number of points without --n and --preset."""
SHAPE = (
    "n", "max_n", "depth", "columns", "coset", "automorphism", "blowup", "input_order", "root", "roots", "generator",
    "inverse", "negacyclic", "order", "preset", "montgomery",
)  # fmt: skip
"""Options that not every kind of kernel has."""
RULES, TILING, MATRICES = map(names_of, (OptionGroup.RULES, OptionGroup.TILING, OptionGroup.MATRICES))
ADVANCED = {
    "ntt": (
        "algorithm", "radix", "reduction", "quotients", "limbs", *TILING, *MATRICES, *RULES, "unroll",
    ),
    "polymul": ("radix", "reduction", "quotients", *MATRICES, *RULES, "unroll"),
    "basemul": ("reduction", "quotients", *RULES, "unroll"),
    "lde": ("radix", "reduction", "quotients", "limbs", *TILING, *RULES, "unroll"),
    "blas": ("reduction", "limbs", "interleave", *RULES, "unroll"),
}  # fmt: skip
"""Options that only affect speed, and that have a good default for every kernel, by command."""
WIDTH = (
    "(--bits B | --modulus-bits B | --modulus Q | --moduli Q,… | --moduli COUNT --modulus-bits B)"
    " [--target NAME] [options]"
)
TRANSFORM, MODULUS_GROUP, CODE, OUTPUT = "Transform", "Modulus", "Generated code", "Output"
"""Titles of groups of options."""
ORDERS = listed(get_args(typed.Order))
EXAMPLES = {
    "ntt": ("--n 4096 --bits 128 --target avx2", "--preset ml-kem --inverse --target native"),
    "polymul": ("--n 4096 --bits 64 --negacyclic",),
    "basemul": ("--preset ml-kem",),
    "lde": ("--n 1024 --blowup 4 --modulus babybear",),
    "blas": ("vmul --bits 128 --target native",),
}
"""Arguments that the help of a command shows."""


ELEMENTWISE: dict[typed.Elementwise, str] = {
    "vadd": "x + y", "vsub": "x - y", "vmul": "x·y", "vmuladd": "x·y + w", "axpy": "a·x + y", "scal": "a·x",
    "vadds": "x + a", "vsubs": "x - a", "vneg": "-x", "reduce": "x, for any x that its words hold",
    "cmpadd": "x + diff where the comparison of x with bound holds, else x; not reduced modulo q",
    "cmpsub": "x - diff where the comparison of x with bound holds, else x",
    "tomont": "x·R, conversion to Montgomery form", "frommont": "x/R, conversion from Montgomery form",
    "vinv": "1/x, and 0 for x = 0; q is a prime", "dot": "the sum of all x·y",
}  # fmt: skip
"""What each operation computes for one element; x, y, w are vectors, a, bound and diff are numbers."""


def add_ntt(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen ntt``."""
    add_shape(parser)
    add_factors(group_of(parser, TRANSFORM), typed.TransformOptions)
    _add_made(parser, "ntt", "[--preset NAME | --n N | --n any [--max-n N]]", typed.TransformOptions)


def add_polymul(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen polymul``."""
    depth = "multiply by incomplete NTTs of L butterfly levels; the results are the same"
    _add_ring(parser, "number of coefficients, a power of two from 2 to 2^26 (default: 4096)", depth)
    ring = group_of(parser, TRANSFORM)
    add_factors(ring, typed.ProductOptions)
    add_form(ring, typed.ProductOptions)
    _add_made(parser, "polymul", "[--preset NAME | --n N]", typed.ProductOptions)


def add_basemul(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen basemul``."""
    depth = "number of butterfly levels of the incomplete NTTs, whose factors x^d - z have degree d = n/2^L"
    _add_ring(parser, "number of coefficients, a power of two from 2 to 2^26 (default: 4096)", depth)
    ring = group_of(parser, TRANSFORM)
    _add_order(ring)
    montgomery = "divide products by 2^K; `reference`: as the reference code of --preset does (default: 0)"
    ring.add_argument("--montgomery", metavar="K", help=montgomery)
    add_factors(ring, typed.BaseProductOptions)
    _add_made(parser, "basemul", "[--preset NAME | --n N --depth L]", typed.BaseProductOptions)


def add_lde(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen lde``."""
    ring = group_of(parser, "Extension")
    ring.add_argument("--n", default="1024", metavar="N", help="number of input values, a power of two (default: 1024)")
    blowup = "number of output values per input value, a power of two (default: 2)"
    ring.add_argument("--blowup", default="2", metavar="B", help=blowup)
    coset = "evaluate at G·w^j; the input values are those at w^(B·i), where w is the root of order N·B (default: 1)"
    ring.add_argument("--coset", default="1", metavar="G", help=coset)
    columns = "extend each of the M columns of a matrix with N rows (default: 1)"
    ring.add_argument("--columns", default="1", metavar="M", help=columns)
    ring.add_argument("--order", default="bitrev", metavar=ORDERS, help="order of the output values (default: bitrev)")
    given = "order of the input values (default: natural)"
    ring.add_argument("--input-order", default="natural", metavar=ORDERS, help=given)
    add_factors(ring, typed.ExtensionOptions)
    _add_made(parser, "lde", "[--n N] [--blowup B] [--coset G]", typed.ExtensionOptions, roots=False)
    group = group_of(parser, MODULUS_GROUP)
    root = "root of unity of order N·B (default: smallest)"
    group.add_argument("--root", metavar="W", help=root)
    derived = "generator g: the root is g^((q-1)/(N·B)) (default: none)"
    group.add_argument("--generator", metavar="G", help=derived)


def add_blas(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen blas``."""
    vectors = group_of(parser, "Vectors")
    _add_made(parser, "blas", "KIND", typed.ElementwiseOptions, roots=False)
    kinds = "\n".join(f"  {kind:<10}{text}" for kind, text in ELEMENTWISE.items())
    parser.epilog = f"operations, modulo q:\n{kinds}\n\n{parser.epilog}"
    vectors.add_argument("kind", metavar=listed(get_args(typed.Elementwise)), help="operation, as listed below")
    add_choice(vectors, "cmp", typed.ElementwiseOptions)
    add_factors(vectors, typed.ElementwiseOptions)
    add_form(vectors, typed.ElementwiseOptions)


def _add_made(parser: argparse.ArgumentParser, name: str, first: str, options: type, *, roots: bool = True) -> None:
    """Add what the commands of kernels share.

    Args:
        parser: The command's parser.
        name: The command.
        first: The usage of its first options.
        options: The TypedDict of its options.
        roots: Whether it has the options for roots of unity of transforms.
    """
    parser.usage = f"momagen {name} {first} {WIDTH}"
    parser.epilog = "examples:\n" + "\n".join(f"  momagen {name} {arguments}" for arguments in EXAMPLES[name])
    parser.set_defaults(run=_run, kind=name)
    add_modulus(parser, roots=roots, prime=name != "blas")
    _add_code(parser, options)
    _add_output(parser)
    add_tuning(parser, ADVANCED[name], options)


def _add_ring(parser: argparse.ArgumentParser, points: str, depth: str = DEPTH) -> None:
    ring = group_of(parser, TRANSFORM)
    ring.add_argument("--n", metavar="N", help=points)
    ring.add_argument("--negacyclic", action="store_true", help="compute modulo x^n + 1 instead of x^n - 1")
    add_depth_and_preset(ring, depth)


def add_shape(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which transform."""
    points = "points, a power of two, or `any` up to --max-n (default: 4096)"
    _add_ring(parser, points)
    ring = group_of(parser, TRANSFORM)
    ring.add_argument("--max-n", metavar="N", help="largest size of `--n any` (default: 2^17)")
    columns = "transform each of the M columns of an n×M matrix (default: 1)"
    ring.add_argument("--columns", default="1", metavar="M", help=columns)
    coset = "evaluate at G·w^i instead of w^i; w is the root (default: none)"
    ring.add_argument("--coset", metavar="G", help=coset)
    ring.add_argument("--inverse", action="store_true", help="compute coefficients from values, scaled by 1/n")
    montgomery = "multiply the results of --inverse by 2^K; `reference`: by the factor in the reference code of"
    montgomery += " --preset (default: 0)"
    ring.add_argument("--montgomery", metavar="K", help=montgomery)
    _add_order(ring)
    automorphism = "transform a(x^G) instead of a(x), for an odd G (default: 1)"
    ring.add_argument("--automorphism", metavar="G", help=automorphism)


def _add_order(ring: argparse._ArgumentGroup) -> None:
    order = "order of the values, not of coefficients (default: bitrev)"
    ring.add_argument("--order", default="bitrev", metavar=ORDERS, help=order)


def add_factors(group: argparse._ArgumentGroup, options: type) -> None:
    """Add the options for the ranges of vectors."""
    for option in ("input_factor", "output_factor"):
        add_choice(group, option, options)


def add_form(group: argparse._ArgumentGroup, options: type) -> None:
    """Add the options for the form of residues."""
    for option in names_of(OptionGroup.FORM):
        add_choice(group, option, options)


def add_modulus(parser: argparse.ArgumentParser, *, roots: bool, prime: bool = True) -> None:
    """Add the options for the width and the modulus, and for the root of unity of a transform if it has ``roots``."""
    group = group_of(parser, MODULUS_GROUP)
    container = "width of the container in bits: q is the largest suitable prime below 2^(B-4) (default: none)"
    group.add_argument("--bits", metavar="B", help=container)
    length = "width of q in bits; q is the largest such prime (default: none)"
    group.add_argument("--modulus-bits", metavar="B", help=length)
    kind = "prime" if prime else "number"
    examples = "such as 0x7f000001, 2^64-2^32+1 or a name that `momagen help moduli` lists"
    group.add_argument("--modulus", metavar="Q", help=f"a {kind}, {examples} (default: none)")
    several = "RNS moduli; or COUNT: the COUNT largest suitable primes of the width --modulus-bits (default: none)"
    group.add_argument("--moduli", metavar="Q,…|COUNT", help=several)
    if roots:
        group.add_argument("--roots", metavar="W,…", help="one root of unity per modulus (default: smallest)")
        root = "root of order n (negacyclic: 2n; with --depth L: n = 2^L) (default: smallest)"
        group.add_argument("--root", metavar="W", help=root)
        derived = "generator g: the root is g^((q-1)/order) (default: none)"
        group.add_argument("--generator", metavar="G", help=derived)


def _add_code(parser: argparse.ArgumentParser, options: type) -> None:
    group = group_of(parser, CODE)
    add_target(group)
    add_layout(group)
    for option in ("bake", "threads"):
        add_choice(group, option, options)
    if options is typed.ExtensionOptions:
        parser.set_defaults(wisdom=None)  # `momagen tune` stores no options of extensions
    else:
        add_wisdom(group)


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = group_of(parser, OUTPUT)
    output = "folder for the generated files (default: a folder in the cache)"
    group.add_argument("--output", metavar="DIR", type=path_of, help=output)
    add_compiler(group)
    group.add_argument("--no-verify", action="store_true", help="skip the verification against gmpy2")
    group.add_argument("--no-bench", action="store_true", help="skip the timing")
    add_json(group)


def add_tuning(parser: argparse.ArgumentParser, names: tuple[str, ...], options: type) -> None:
    """Add the options ``names``, which only affect speed, with the values that ``options`` lists."""
    group = group_of(parser, TUNING)
    for option in names:
        add_choice(group, option, options)


def check_modulus(given: argparse.Namespace) -> None:
    """Check that the command has an option that selects the modulus.

    Raises:
        MomagenError: It has none.
    """
    if all(getattr(given, name, None) is None for name in (*MODULUS, "preset")):
        raise MomagenError("--bits, --modulus-bits, --modulus or --moduli", "none of them", "modulus")


def specification(given: argparse.Namespace) -> Spec:
    """Return the checked specification for the arguments of one of these commands."""
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
    from momagen.cli.make import MakeRequest
    from momagen.cli.report import report_kernel

    wish = MakeRequest(given.output, given.compiler, verify=not given.no_verify, bench=not given.no_bench)
    return report_kernel(
        lambda: specification(given), lambda spec: advised(spec, given.wisdom, given.compiler), wish, given.json
    )
