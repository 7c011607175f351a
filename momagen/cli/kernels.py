"""``momagen ntt``, ``polymul`` and ``blas``: a kernel from its parameters, made, checked, timed and shown."""

from __future__ import annotations

import argparse
from pathlib import Path

from momagen.api import Kernel
from momagen.api.request import specify
from momagen.emit import generate
from momagen.kernels.spec import BLAS, ORDERS

from .make import Wish, make
from .options import Commands, add_compiler, add_json, add_rule_options, add_target, command, console
from .progress import Phases
from .show import as_json, show

OPTIONS = ("algorithm", "compare", "multiply", "radix", "reduction")
"""What goes into a specification's options under its own name."""


def add(commands: Commands) -> None:
    ntt = command(commands, "ntt", _transform, "A number theoretic transform: generate, compile, verify, time.")
    _add_ring(ntt)
    ntt.add_argument("--inverse", action="store_true", help="from values to coefficients, scaled by 1/n")
    ntt.add_argument("--order", default="bitrev", metavar="ORDER", help=" or ".join(ORDERS) + " (default: bitrev)")
    ntt.add_argument("--algorithm", metavar="NAME", help="the data flow: ring (default), stockham, pease, …")
    product = command(commands, "polymul", _transform, "A product of polynomials modulo x^n - 1 or x^n + 1.")
    _add_ring(product)
    blas = command(commands, "blas", _blas, "Element by element at any length: sums, products, a·x + y.")
    blas.add_argument("kind", metavar="KIND", help=", ".join(BLAS))
    for parser in (ntt, product, blas):
        _add_common(parser)


def _add_ring(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--n", default="4096", metavar="N", help="points, a power of two from 2 to 2^24 (default: 4096)"
    )
    parser.add_argument(
        "--root", metavar="W", help="a root of unity of order n, 2n if negacyclic (default: the smallest)"
    )
    parser.add_argument("--negacyclic", action="store_true", help="modulo x^n + 1 instead of x^n - 1")
    parser.add_argument("--radix", metavar="R", help="2, 4, 8 or 16 (default: by the width)")


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bits", metavar="B", help="width class: takes the largest prime below 2^(B-4) that fits")
    parser.add_argument(
        "--modulus", metavar="Q", help="a prime: decimal, 0x…, an expression (2^64-2^32+1) or a known field"
    )
    add_target(parser)
    add_rule_options(parser)
    add_compiler(parser)
    parser.add_argument("--output", metavar="DIR", type=Path, help="where the files go (default: the cache)")
    parser.add_argument("--no-verify", action="store_true", help="do not compare with gmpy2")
    parser.add_argument("--no-bench", action="store_true", help="do not time")
    add_json(parser)


def _transform(given: argparse.Namespace) -> int:
    kind = "ntt" if "inverse" in given else "polymul"
    extra = {"inverse": given.inverse, "order": given.order} if kind == "ntt" else {}
    return _kernel(given, kind, n=given.n, root=given.root, negacyclic=given.negacyclic, **extra)


def _blas(given: argparse.Namespace) -> int:
    return _kernel(given, given.kind)


def _kernel(given: argparse.Namespace, kind: str, **shape: object) -> int:
    options = {name: getattr(given, name, None) for name in OPTIONS}
    numbers = {"bits": given.bits, "modulus": given.modulus}
    wish = Wish(given.output, given.compiler, verify=not given.no_verify, bench=not given.no_bench)
    with Phases() as phases:
        with phases.of("check"):
            spec = specify(kind, target=given.target, options=options, **numbers, **shape)  # type: ignore[arg-type]
        made = make(lambda: Kernel(generate(spec)), wish, phases)
    if given.json:
        print(as_json(made))
    else:
        show(made, console())
    return 0 if made.right else 1
