"""Programs run by the interpreter, and random operands: for the tests of programs and of printers."""

from __future__ import annotations

import random

from momagen.errors import MomagenError
from momagen.kinds.modular.spec import Spec
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


class ElementsProgram:
    """The program of an element-wise kernel, which the interpreter runs for any modulus that it serves."""

    def __init__(self, spec: Spec) -> None:
        self.spec, self.made = spec, lowered(spec)

    def __call__(self, q: int, scalars: list[int], *vectors: list[int]) -> list[int]:
        """Return the result modulo q: create, then execute."""
        program, words, word, n = self.made.host_program, self.spec.arith.words, self.spec.arith.word, len(vectors[0])
        run = Interpreter(program.functions, program.statics, self.made.writer.target.lanes, word)
        kept, modulus = [Pointer([0] * field.words) for field in program.kept], Pointer(split([q], words, word))
        assert run.call("modulus_fits", modulus) and not program.beside and not program.room
        run.call(program.setup, *kept, modulus)
        z = Pointer([0] * n * words)
        operands = [[number] for number in scalars] + [*vectors]
        run.call(program.run, z, *(Pointer(split(numbers, words, word)) for numbers in operands), *kept, n)
        return joined(z.words, words, word)


def interpreted_elements(spec: Spec, q: int, scalars: list[int], *vectors: list[int]) -> list[int]:
    """Return the result of an element-wise kernel modulo q."""
    return ElementsProgram(spec)(q, scalars, *vectors)


def drawn(spec: Spec, q: int, some: random.Random, n: int) -> tuple[list[int], ...]:
    """The scalars of a call together, then its vectors of n numbers: a third of them from the edges of their ranges."""
    ranges = spec.ranges

    def number(factor: int) -> int:
        top = ranges.top(factor, q)
        edges = [value for value in (0, 1, q - 1, q, top - 2, top - 1) if 0 <= value < top]
        return some.choice(edges) if some.random() < 0.3 else some.randrange(top)

    vectors = [[number(ranges.operands[name]) for _ in range(n)] for name in ranges.vectors]
    return [number(ranges.operands[name]) for name in ranges.scalars], *vectors
