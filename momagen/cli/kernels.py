"""``momagen ntt``, ``polymul`` and ``blas``: a kernel from its parameters, made, checked, timed and shown."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from momagen.api.make import advised
from momagen.api.request import specify
from momagen.kernels.compare import COMPARES, DEFAULT
from momagen.kernels.kinds import BLAS, ORDERS
from momagen.kernels.options import KERNEL_OPTIONS, MACHINE, choices, options
from momagen.kernels.ranges import FACTORS
from momagen.kernels.spec import Spec
from momagen.params import known_fields
from momagen.screen import console

from .make import Wish, make
from .options import add_compiler, add_json, add_quotients, add_rule_options, add_target, add_wisdom, path_of
from .progress import Phases
from .show import as_json, show

OPTIONS = tuple(options())
"""Arguments that go into a specification's options under their own names."""
DIGITS = {"digits": "whole words, or digits with slack or in doubles (default: by the target and the width)"}
TURNS = {"turns": "vectors whose products go together, statement by statement (default: by the target and the width)"}
TILES = {
    "levels": "levels in one pass of digits at most", "group": "blocks of digits that the last pass takes together",
    "paired": "two butterflies on digits in turns", "constants": "where a butterfly on digits has its constants from",
    "chain": "products in one chain of multiply-adds at most",
    "twiddles": "twiddles with their quotients, or packed: one residue in words (default: by the table's length)",
    "rests": "residues in digits or words between passes over columns (default: by the length)",
}  # fmt: skip
SHAPE = ("n", "root", "inverse", "negacyclic", "order")
"""Arguments that not every kind of kernel has."""


def add_ntt(parser: argparse.ArgumentParser) -> None:
    _add_ring(parser)
    _add_transform(parser)
    _add_made(parser, "ntt")


def add_polymul(parser: argparse.ArgumentParser) -> None:
    _add_ring(parser)
    _add_made(parser, "polymul")


def add_blas(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", metavar="KIND", help=", ".join(BLAS))
    _add_compared(parser)
    _add_options(parser, DIGITS | TURNS)
    _add_made(parser)


def _add_made(parser: argparse.ArgumentParser, kind: str | None = None) -> None:
    """What the three commands share; a ``kind`` that is no argument of its own."""
    parser.set_defaults(run=_run, **({"kind": kind} if kind else {}))
    add_common(parser)
    _add_making(parser)


def _add_transform(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--inverse", action="store_true", help="from values to coefficients, scaled by 1/n")
    parser.add_argument("--order", default="bitrev", metavar="ORDER", help=" or ".join(ORDERS) + " (default: bitrev)")
    flows = "the data flow: ring (default for bitrev), stockham (default for natural), pease, …"
    parser.add_argument("--algorithm", metavar="NAME", help=flows)
    _add_options(parser, DIGITS | TILES)


def _add_options(parser: argparse.ArgumentParser, options: Mapping[str, str]) -> None:
    for option, text in options.items():
        parser.add_argument(f"--{option}", metavar="T", help=f"{text}: {', '.join(KERNEL_OPTIONS[option])}")


def _add_compared(parser: argparse.ArgumentParser) -> None:
    text = f"for cmpadd and cmpsub: {', '.join(COMPARES)} (default: {DEFAULT})"
    parser.add_argument("--cmp", metavar="HOW", help=text)


def add_any(parser: argparse.ArgumentParser) -> None:
    """What kernels of any kind have, together."""
    _add_ring(parser)
    _add_transform(parser)
    _add_compared(parser)
    _add_options(parser, TURNS)
    add_common(parser)


def _add_ring(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--n", default="4096", metavar="N", help="points, a power of two from 2 to 2^24 (default: 4096)"
    )
    parser.add_argument(
        "--root", metavar="W", help="a root of unity of order n, 2n if negacyclic (default: the smallest)"
    )
    parser.add_argument("--negacyclic", action="store_true", help="modulo x^n + 1 instead of x^n - 1")
    add_quotients(parser)
    parser.add_argument("--radix", metavar="R", help="2, 4, 8 or 16 (default: by the width)")


def add_common(parser: argparse.ArgumentParser) -> None:
    """What every kind of kernel has."""
    parser.add_argument("--bits", metavar="B", help="width class: takes the largest prime below 2^(B-4) that fits")
    names = ", ".join(known_fields())
    prime = f"a prime: decimal, 0x…, an expression (2^64-2^32+1) or a name: {names}"
    parser.add_argument("--modulus", metavar="Q", help=prime)
    factors = f"vectors {{}} may be below F·q: {', '.join(FACTORS)}"
    parser.add_argument("--input-factor", metavar="F", help=factors.format("in") + " (reduce, cmpsub: any)")
    parser.add_argument("--output-factor", metavar="F", help=factors.format("out"))
    add_target(parser)
    add_rule_options(parser)
    for option in MACHINE:
        text = f"{' or '.join(choices()[option])} (default: by the target)"
        parser.add_argument(f"--{option}", metavar="HOW", help=text)
    counts = ', '.join(KERNEL_OPTIONS['unroll'])
    unroll = f"copies of a loop's body: {counts} (default: by the target, or as the C compiler likes)"
    parser.add_argument("--unroll", metavar="U", help=unroll)
    bake = "yes: the build serves this modulus only, whose words are constants in it (default: no)"
    parser.add_argument("--bake", metavar="B", help=bake)
    add_compiler(parser)


def _add_making(parser: argparse.ArgumentParser) -> None:
    add_wisdom(parser)
    parser.add_argument("--output", metavar="DIR", type=path_of, help="where the files go (default: the cache)")
    parser.add_argument("--no-verify", action="store_true", help="do not compare with gmpy2")
    parser.add_argument("--no-bench", action="store_true", help="do not time")
    add_json(parser)


def specification(given: argparse.Namespace) -> Spec:
    """What the arguments of one of the three commands ask for, checked."""
    shape = {name: getattr(given, name) for name in SHAPE if name in given}
    options = {name: getattr(given, name) for name in OPTIONS if name in given}
    return specify(given.kind, bits=given.bits, modulus=given.modulus, target=given.target, options=options, **shape)


def _run(given: argparse.Namespace) -> int:
    wish = Wish(given.output, given.compiler, verify=not given.no_verify, bench=not given.no_bench)
    with Phases() as phases:
        with phases.of("check"):
            spec = specification(given)
        made = make(lambda: advised(spec, given.wisdom, given.compiler), wish, phases)
    if given.json:
        print(as_json(made))
    else:
        show(made, console())
    return 0 if made.right else 1
