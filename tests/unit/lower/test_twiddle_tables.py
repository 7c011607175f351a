"""Entries of tables of twiddles: what set-up puts for a twiddle is what definitions on integers give."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable

import gmpy2
import pytest
from support.programs import split

from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.kernels import lowered
from momagen.program.interpret import Interpreter, Pointer

Entry = Callable[[int, int], list[int]]
"""The words of v modulo q."""


def digits(number: int, count: int, bits: int = 64) -> list[int]:
    assert number < 1 << count * bits
    return [int(number >> bits * i & (1 << bits) - 1) for i in range(count)]


def double(number: int, unit: int) -> int:
    (found,) = struct.unpack("<Q", struct.pack("<d", math.ldexp(number, unit)))
    return int(found)


def rows(v: int, q: int) -> list[int]:
    return [digit for i in (1, 2, 3) for digit in digits((v << 52 * i) % q, 3, 52)]


def doubles(v: int, q: int) -> list[int]:
    """Digits of 43 bits, the middle one of a residue held as it is."""
    moved = [(v << 43 * i) % q for i in range(3)]
    values = [double(digit, 43 * (j - i)) for i, w in enumerate(moved) for j, digit in enumerate(digits(w, 3, 43))]
    return values + [double((w << 53) // q, 43 - 43 * i - 53) for i, w in enumerate(moved)]


def one_digit(v: int, q: int) -> list[int]:
    scaled = (v << 52) % q
    return [scaled, int(scaled * gmpy2.invert(q, 1 << 52) % (1 << 52))]


def parts(v: int, q: int) -> list[int]:
    """Of the quotient's first 84 bits: the first 52, the last 52, the first 32."""
    whole = (v << 84) // q
    return [v, whole >> 32, whole % (1 << 52), whole >> 52]


CASES: list[tuple[str, int, dict[str, str], Entry, Entry | None]] = [
    ("c", 60, {}, lambda v, q: [v, (v << 64) // q], None),
    ("c", 60, {"reduction": "montgomery"}, lambda v, q: [(v << 64) % q], None),
    ("c", 124, {}, lambda v, q: digits(v, 2) + digits((v << 128) // q, 2), None),
    ("avx512ifma", 124, {}, rows, lambda v, q: digits(v, 3, 52) + digits((v << 156) // q, 3, 52)),
    ("avx512ifma", 124, {"twiddles": "packed"}, rows, lambda v, q: digits(v, 2)),
    ("avx512ifma", 124, {"quotients": "computed"}, rows, rows),
    ("avx2", 124, {}, doubles, doubles),
    ("avx512ifma", 50, {}, one_digit, one_digit),
    ("avx512ifma", 50, {"quotients": "computed"}, one_digit, lambda v, q: one_digit(v, q)[:1]),
    ("avx512ifma", 60, {}, parts, parts),
    ("avx512", 60, {}, lambda v, q: [v, (v << 32) // q, (v << 64) // q % (1 << 32)], None),
]  # fmt: skip
"""Target, bits, options, entries that all lanes share, and those of one of several lanes, where these are others."""


@pytest.mark.parametrize(
    ("target", "bits", "options", "shared", "apart"), CASES, ids=["-".join(map(str, case[:3])) for case in CASES]
)
def test_an_entry_holds_what_products_ask_for(
    target: str, bits: int, options: dict[str, str], shared: Entry, apart: Entry | None
) -> None:
    spec = make_spec("ntt", n=64, modulus_bits=bits, target=target, options=options)
    made, words, q = lowered(spec), spec.arith.words, spec.modulus
    run = Interpreter(made.program.functions, made.program.statics, made.writer.target.lanes)
    fields = made.program.kept, made.program.beside
    kept, beside = ([Pointer([0] * field.words) for field in each] for each in fields)
    assert run.call(made.program.setup, *kept, *beside, *(Pointer(split([x], words)) for x in (q, spec.root)))
    for v in (1, q - 1, random.Random(bits).randrange(q)):
        for step, wanted in ((1, shared(v, q)), (made.writer.target.lanes, (apart or shared)(v, q))):
            entry = Pointer([0] * len(wanted) * step)
            run.call("put_entry", entry, step, Pointer(split([(v << spec.arith.held) % q], words)), kept[0])
            assert entry.words[::step] == wanted, (v, step)
