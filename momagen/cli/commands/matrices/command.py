"""``momagen matmul``, ``convert``, ``keyswitch``, ``moddown``, ``rescale``: matrix products and RNS kernels."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from momagen.cli.choices import add_choice, listed
from momagen.cli.options import add_json, group_of, path_of
from momagen.errors import MomagenError, reason
from momagen.kernels.requests import typed
from momagen.tables import parse_json

if TYPE_CHECKING:
    from momagen.api.matrices import MatrixKernel
    from momagen.api.rns import RowsKernel

THREADS = "use up to K threads per call, in C (default: 1)"
RANDOM = 64
"""The number of rows and of columns of a random matrix."""


def _examples(*arguments: str) -> str:
    """Return the examples below the help of a command."""
    return "\n".join(["examples:", *(f"  momagen {each}" for each in arguments)])


def add_matmul(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen matmul``."""
    parser.usage = "momagen matmul --modulus Q [--matrix FILE | --rows M --inner N] [--target NAME] [options]"
    parser.set_defaults(run=_run, make=_matmul)
    given = group_of(parser, "Matrix")
    given.add_argument(
        "--modulus", required=True, metavar="Q", help="odd modulus: decimal, 0x… or an expression such as 2^31-1"
    )
    given.add_argument(
        "--matrix",
        type=path_of,
        metavar="FILE",
        help="JSON file with the rows of the matrix (default: a random matrix)",
    )
    given.add_argument("--rows", metavar="M", help=f"number of rows of a random matrix (default: {RANDOM})")
    given.add_argument("--inner", metavar="N", help=f"number of columns of a random matrix (default: {RANDOM})")
    add_choice(given, "sums", typed.MatrixOptions)
    sparse = (
        "store the digits of each element in a banded matrix, nearly half of whose entries are 0, instead of the "
        "digits of its multiples modulo q; the CROSS paper compares with this variant (Figure 7)"
    )
    given.add_argument("--sparse", action="store_true", help=sparse)
    parser.epilog = _examples("matmul --modulus 2^31-1 --rows 64 --inner 128")
    _add_shared(parser, "jax", "target with matrix engines (default: jax)")


def add_convert(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen convert``."""
    parser.usage = "momagen convert --moduli Q,…|COUNT --to P,…|COUNT [--modulus-bits B] [--target NAME] [options]"
    parser.set_defaults(run=_run, make=_convert)
    bases = group_of(parser, "Bases")
    bases.add_argument(
        "--moduli",
        required=True,
        metavar="Q,…|COUNT",
        help="source moduli; or COUNT: the COUNT largest primes of the width --modulus-bits",
    )
    bases.add_argument(
        "--to",
        required=True,
        metavar="P,…|COUNT",
        help="target moduli; or COUNT: the next COUNT primes of this width, in descending order",
    )
    bases.add_argument("--modulus-bits", metavar="B", help="width of these primes in bits (default: none)")
    method = (
        "how residues are converted; exact: with mixed radices (Garner), corrected: with floating-point quotients, "
        "shenoy-kumaresan: with the last of --moduli as a redundant modulus, montgomery: with a quotient modulo a "
        "power of two, fast: without a quotient, so that the result may differ by a multiple of the product of "
        "--moduli (default: exact)"
    )
    bases.add_argument("--method", metavar=listed(get_args(typed.ConversionMethod)), help=method)
    bases.add_argument("--approximate", action="store_true", help="select --method fast")
    positive = "interpret residues as numbers from 0 to Q - 1 instead of numbers around 0"
    bases.add_argument("--positive", action="store_true", help=positive)
    scaled = "convert round(P·a/Q) instead of a, where P is the product of --to and Q the product of --moduli"
    bases.add_argument("--scaled", action="store_true", help=scaled)
    bases.add_argument("--threads", metavar="K", help=THREADS)
    parser.epilog = _examples("convert --moduli 3 --to 4 --modulus-bits 50", "convert --moduli 13,17 --to 19,23")
    _add_shared(
        parser,
        "c",
        "target in C with 64-bit words, native, cuda, or a target with matrix engines such as jax (default: c)",
    )


def add_keyswitch(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen keyswitch``."""
    parser.usage = "momagen keyswitch --moduli Q,…|COUNT [--modulus-bits B] [--target NAME] [options]"
    parser.set_defaults(run=_run, make=_keyswitch)
    parser.epilog = _examples("keyswitch --moduli 4 --modulus-bits 60 --dnum 2")
    _add_basis(parser)
    sums = group_of(parser, "Sums")
    sums.add_argument(
        "--outputs", metavar="K", help="number of keys per digit, and number of results, from 1 to 4 (default: 2)"
    )
    factor = "accept digits below F·q (lazy range) (default: 1)"
    sums.add_argument("--input-factor", metavar=listed(["1", "2", "4"]), help=factor)
    digits = (
        "number of digits (1 to 64) with which the kernel is verified; the generated function `create` accepts every "
        "number in this range (default: 3)"
    )
    sums.add_argument("--dnum", dest="digits", metavar="D", help=digits)
    _add_target(parser)


def add_moddown(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen moddown``."""
    parser.usage = "momagen moddown --moduli Q,…|COUNT [--drop K] [--modulus-bits B] [--target NAME] [options]"
    parser.set_defaults(run=_run, make=_moddown)
    parser.epilog = _examples("moddown --moduli 6 --drop 2 --modulus-bits 50")
    bases = _add_basis(parser)
    drop = "divide by the product of the last K moduli (default: 1)"
    bases.add_argument("--drop", metavar="K", help=drop)
    method = (
        "how quotients are rounded; exact: to the nearest integer, corrected: the same, except that quotients within "
        "2^-40 of a half may round either way, fast: too low by at most the K of --drop (default: corrected)"
    )
    bases.add_argument("--method", default="corrected", metavar=listed(get_args(typed.DivisionMethod)), help=method)
    scale = "multiply by S before the division; in BFV, S is the plaintext modulus (default: 1)"
    bases.add_argument("--scale", metavar="S", help=scale)
    plaintext = "plaintext modulus T of BGV; the result is congruent to a/P modulo T for the divisor P (default: 1)"
    bases.add_argument("--plaintext-modulus", metavar="T", help=plaintext)
    _add_target(parser)


def _add_basis(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    group = group_of(parser, "Basis")
    group.add_argument(
        "--moduli",
        required=True,
        metavar="Q,…|COUNT",
        help="moduli of the RNS basis; or COUNT: the COUNT largest primes of the width --modulus-bits",
    )
    group.add_argument("--modulus-bits", metavar="B", help="width of these primes in bits (default: none)")
    group.add_argument("--threads", metavar="K", help=THREADS)
    return group


def _add_target(parser: argparse.ArgumentParser) -> None:
    group = group_of(parser, "Output")
    what = "target in C with 64-bit words, native, or cuda (default: c)"
    group.add_argument("--target", default="c", metavar="NAME", help=what)
    _add_written(group)


def add_rescale(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen rescale``."""
    parser.usage = "momagen rescale --moduli Q,…|COUNT [--modulus-bits B] [--target NAME] [options]"
    parser.set_defaults(run=_run, make=_rescale)
    parser.epilog = _examples("rescale --moduli 4 --modulus-bits 50 --target native")
    bases = group_of(parser, "Bases")
    bases.add_argument(
        "--moduli",
        required=True,
        metavar="Q,…|COUNT",
        help="moduli of the RNS basis, of which the last is the divisor; or COUNT: the COUNT largest primes of the "
        "width --modulus-bits",
    )
    bases.add_argument("--modulus-bits", metavar="B", help="width of these primes in bits (default: none)")
    bases.add_argument("--threads", metavar="K", help=THREADS)
    _add_target(parser)


def _add_shared(parser: argparse.ArgumentParser, default: str, target: str) -> None:
    group = group_of(parser, "Output")
    group.add_argument("--target", default=default, metavar="NAME", help=target)
    engines = listed(get_args(typed.ProductEngine))
    group.add_argument(
        "--engine", metavar=engines, help="number format of matrix products (default: the cheapest exact one)"
    )
    _add_written(group)


def _add_written(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--output", metavar="DIR", type=path_of, help="folder for the generated files (default: none are written)"
    )
    group.add_argument("--no-verify", action="store_true", help="skip the verification against gmpy2")
    add_json(group)


def _matmul(given: argparse.Namespace) -> MatrixKernel:
    from momagen.api.matrices import matmul

    if given.matrix and (given.rows or given.inner):
        raise MomagenError("--matrix, or --rows and --inner", "both", "matmul")
    matrix = _read(given.matrix) if given.matrix else _drawn(given.rows or RANDOM, given.inner or RANDOM, given.modulus)
    ways = {"sums": given.sums or "montgomery", "sparse": given.sparse}
    return matmul(matrix, modulus=given.modulus, target=given.target, engine=given.engine, **ways)


def _read(path: Path) -> object:
    expected = "a JSON file with rows of integers"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise MomagenError(expected, reason(error), str(path)) from None
    return parse_json(text, expected, str(path))


def _drawn(rows: object, inner: object, modulus: object) -> Sequence[Sequence[int]]:
    """Return a random matrix, which depends only on its size and modulus."""
    import random

    from momagen.api.numbers import count, integer
    from momagen.kernels.matrices.spec import check_matrix

    rng, q = random.Random(0), integer(modulus, "modulus")
    sizes = count(rows, "rows", 1), count(inner, "inner", 1)
    check_matrix(*sizes)
    return [[rng.randrange(max(q, 1)) for _ in range(sizes[1])] for _ in range(sizes[0])]


def _whole(text: object, where: str) -> int:
    from momagen.api.numbers import integer

    return integer(text, where)


def _convert(given: argparse.Namespace) -> MatrixKernel | RowsKernel:
    from momagen.api.matrices import convert

    bits, threads = (_known(given, name) for name in ("modulus_bits", "threads"))
    moduli, to = (_listed(getattr(given, name), name) for name in ("moduli", "to"))
    return convert(
        moduli, to=to, modulus_bits=bits, exact=not given.approximate, method=given.method, positive=given.positive,
        scaled=given.scaled, target=given.target, engine=given.engine, threads=threads,
    )  # fmt: skip


def _rescale(given: argparse.Namespace) -> RowsKernel:
    from momagen.api.rns import rescale

    bits, threads = (_known(given, name) for name in ("modulus_bits", "threads"))
    return rescale(_listed(given.moduli, "moduli"), modulus_bits=bits, target=given.target, threads=threads)


def _keyswitch(given: argparse.Namespace) -> RowsKernel:
    from momagen.api.rns import keyswitch

    numbers = _numbers(given, ("modulus_bits", "outputs", "input_factor", "digits", "threads"))
    return keyswitch(_listed(given.moduli, "moduli"), target=given.target, **numbers)


def _moddown(given: argparse.Namespace) -> RowsKernel:
    from momagen.api.rns import moddown

    numbers = _numbers(given, ("modulus_bits", "drop", "scale", "plaintext_modulus", "threads"))
    return moddown(_listed(given.moduli, "moduli"), method=given.method, target=given.target, **numbers)


def _numbers(given: argparse.Namespace, names: Sequence[str]) -> dict[str, int]:
    """Return the numbers of the options that are given."""
    return {name: number for name in names if (number := _known(given, name)) is not None}


def _known(given: argparse.Namespace, name: str) -> int | None:
    """Return the number that an option gives; None without it."""
    text = getattr(given, name)
    return None if text is None else _whole(text, name)


def _listed(text: str, where: str) -> list[int] | int:
    """Return a list of numbers separated by commas, or one number, which is a count."""
    numbers = [_whole(part.strip(), where) for part in text.split(",") if part.strip()]
    return numbers if "," in text else numbers[0] if numbers else []


def _run(given: argparse.Namespace) -> int:
    from momagen.cli.make import check_folder
    from momagen.screen import console

    if given.output:
        check_folder(given.output)
    made: MatrixKernel | RowsKernel = given.make(given)
    report = None if given.no_verify else made.verify()
    right = report is None or report.ok
    files = made.files if given.output and right else {}
    if files:
        made.save(given.output)
    where = [str(given.output / name) for name in files]
    if given.json:
        shown = {"name": made.name, "rows": made.rows, "inner": made.inner, "files": where,
                 "verify": report.to_dict() if report else None}  # fmt: skip
        print(json.dumps(shown, indent=2, ensure_ascii=False))
    else:
        lines = [
            f"{made.name}: {made.inner} input rows, {made.rows} output rows",
            *([str(report)] if report else []),
            *where,
        ]
        console().print("\n".join(lines), markup=False, soft_wrap=True)
    return 0 if right else 1
