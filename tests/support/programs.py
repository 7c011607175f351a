"""Programs as the interpreter runs them, and what they must give: for the tests of programs and of printers."""

from __future__ import annotations

import random
from collections.abc import Callable

import gmpy2

from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec
from momagen.lower.kernels import lowered
from momagen.program.interpret import Interpreter, Pointer


def split(numbers: list[int], words: int, word: int = 64) -> list[int]:
    return [number >> word * w & (1 << word) - 1 for number in numbers for w in range(words)]


def joined(words: list[int], each: int, word: int = 64) -> list[int]:
    return [sum(w << word * i for i, w in enumerate(words[at : at + each])) for at in range(0, len(words), each)]


def interpreted(spec: Spec, root: int, *operands: list[int]) -> list[int]:
    """What the kernel makes of ``operands`` as the interpreter does it: create, then execute."""
    made = lowered(spec)
    program, words, word = made.program, spec.arith.words, spec.arith.word
    run = Interpreter(program.functions, program.statics, made.writer.target.lanes, word)
    fields = program.kept, program.beside, program.room
    kept, beside, room = ([Pointer([0] * field.words) for field in each] for each in fields)
    q, g = (Pointer(split([number], words, word)) for number in (spec.modulus, root))
    assert run.call("modulus_fits", q)
    if not run.call(program.setup, *kept, *beside, q, g):
        raise MomagenError("a root of the order", root, "root")
    y = Pointer([0] * program.stride)
    run.call(program.run, y, *(Pointer(split(xs, words, word)) for xs in operands), *kept, *room)
    return joined(y.words, words, word)


def interpreted_elements(spec: Spec, q: int, scalars: list[int], *vectors: list[int]) -> list[int]:
    """The same of a BLAS kernel, modulo q."""
    made = lowered(spec)
    program, words, word, n = made.program, spec.arith.words, spec.arith.word, len(vectors[0])
    run = Interpreter(program.functions, program.statics, made.writer.target.lanes, word)
    kept, modulus = [Pointer([0] * field.words) for field in program.kept], Pointer(split([q], words, word))
    assert run.call("modulus_fits", modulus) and not program.beside and not program.room
    run.call(program.setup, *kept, modulus)
    z = Pointer([0] * n * words)
    operands = [[number] for number in scalars] + [*vectors]
    run.call(program.run, z, *(Pointer(split(numbers, words, word)) for numbers in operands), *kept, n)
    return joined(z.words, words, word)


def points(spec: Spec) -> list[int]:
    """Where a polynomial is evaluated, in the order of the values."""
    bits = spec.n.bit_length() - 1

    def at(j: int) -> int:
        i = j if spec.order == "natural" else int(format(j, f"0{bits}b")[::-1], 2)
        return 2 * i + 1 if spec.negacyclic else i

    return [int(gmpy2.powmod(spec.root, at(j), spec.modulus)) for j in range(spec.n)]


def evaluated(spec: Spec, xs: list[int]) -> list[int]:
    found = []
    for point in points(spec):
        total = gmpy2.mpz(0)
        for x in reversed(xs):
            total = (total * point + x) % spec.modulus
        found.append(int(total))
    return found


def multiplied(spec: Spec, xs: list[int], ys: list[int]) -> list[int]:
    """The product of two polynomials modulo x^n - 1, or x^n + 1."""
    found = [gmpy2.mpz(0)] * spec.n
    for i, x in enumerate(xs):
        for j, y in enumerate(ys):
            sign = -1 if spec.negacyclic and i + j >= spec.n else 1
            found[(i + j) % spec.n] += sign * gmpy2.mpz(x) * y
    return [int(total % spec.modulus) for total in found]


HOLDS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda x, b: x == b, "ne": lambda x, b: x != b, "lt": lambda x, b: x < b, "nlt": lambda x, b: x >= b,
    "le": lambda x, b: x <= b, "nle": lambda x, b: x > b, "true": lambda x, b: True, "false": lambda x, b: False,
}  # fmt: skip


def elements(spec: Spec, q: int, scalars: list[int], *vectors: list[int]) -> list[int]:
    """What a BLAS kernel makes of vectors, by definition."""
    m, r, (a, b, *_) = gmpy2.mpz(q), 1 << spec.arith.held, [*map(gmpy2.mpz, scalars), 0, 0]
    holds = HOLDS[spec.cmp]
    formulas: dict[str, Callable[..., int]] = {
        "vadd": lambda x, y: (x + y) % m, "vsub": lambda x, y: (x - y) % m, "vmul": lambda x, y: x * y % m,
        "vmuladd": lambda x, y, w: (x * y + w) % m,
        "axpy": lambda x, y: (a * x + y) % m, "scal": lambda x: a * x % m, "vadds": lambda x: (x + a) % m,
        "vsubs": lambda x: (x - a) % m, "vneg": lambda x: -x % m, "reduce": lambda x: x % m,
        "cmpadd": lambda x: (x + b) % r if holds(x, a) else x, "cmpsub": lambda x: (x - holds(x, a) * b) % m,
    }  # fmt: skip
    return [int(formulas[spec.kind](*row)) for row in zip(*vectors, strict=True)]


def drawn(spec: Spec, q: int, some: random.Random, n: int) -> tuple[list[int], ...]:
    """The scalars of a call together, then its vectors of n numbers: a third of them from the edges of their ranges."""
    ranges = spec.ranges

    def number(factor: int) -> int:
        top = ranges.top(factor, q)
        edges = [value for value in (0, 1, q - 1, q, top - 2, top - 1) if 0 <= value < top]
        return some.choice(edges) if some.random() < 0.3 else some.randrange(top)

    vectors = [[number(ranges.operands[name]) for _ in range(n)] for name in ranges.vectors]
    return [number(ranges.operands[name]) for name in ranges.scalars], *vectors
