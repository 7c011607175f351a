"""Valid inputs of every operation: all of them, all combinations of edges, or random ones.

An operation's inputs are a short *program* of choices: ``pick(lo, hi)`` is any integer of that range. The same program,
asked by different sources, sweeps everything, sweeps the edges of every range, or draws at random.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import product

from momagen.ir import OPS

from .inputs import Case, EmptyRangeError, Pick, Program, programs


def _all(lo: int, hi: int) -> range:
    return range(lo, hi + 1)


def _edges(lo: int, hi: int) -> list[int]:
    """The ends, the middle and what follows the lower end: 0, 1, 2^(w-1), 2^w - 1 for a word."""
    return sorted({lo, min(lo + 1, hi), (lo + hi + 1) // 2, hi})


def _sweep(program: Program, width: int, options: Callable[[int, int], range | list[int]]) -> Iterator[Case]:
    """Every outcome of ``program`` where choices have ``options``: depth first, replaying all choices but the last."""
    script: list[int] = []
    while True:
        sizes: list[int] = []

        def pick(lo: int, hi: int, sizes: list[int] = sizes) -> int:
            if hi < lo:
                raise EmptyRangeError
            found = options(lo, hi)
            if len(sizes) == len(script):
                script.append(0)
            sizes.append(len(found))
            return found[script[len(sizes) - 1]]

        with suppress(EmptyRangeError):
            yield program(pick, width)
        del script[len(sizes) :]
        while script and script[-1] + 1 == sizes[len(script) - 1]:
            script.pop()
        if not script:
            return
        script[-1] += 1


def every_case(op: str, digits: int, w: int) -> Iterator[Case]:
    """All inputs of ``op`` on words of ``digits`` digits of ``w`` bits; shifts by every distance below 2·width + w."""
    if op in programs():
        return _sweep(programs()[op], digits * w, _all)
    distances = range((2 * digits + 1) * w) if op in SHIFTS else (0,)
    numbers = [range(2 if kind == "f" else 1 << digits * w) for kind in OPS[op].args]
    return ((k, args) for k in distances for args in product(*numbers))


def edge_cases(op: str, digits: int, w: int) -> Iterator[Case]:
    """All combinations of edges: of every digit, modulus, constant and distance."""
    return _sweep(_program(op, digits, w), digits * w, _edges)


def random_cases(op: str, digits: int, w: int, rng: random.Random, count: int) -> Iterator[Case]:
    """At most ``count`` random inputs; fewer where choices run into a dead end."""
    program = _program(op, digits, w)
    for _ in range(count):
        with suppress(EmptyRangeError):
            yield program(partial(_draw, rng), digits * w)


def _draw(rng: random.Random, lo: int, hi: int) -> int:
    """An edge, a number of random length above the lower end, or any number of the range."""
    if hi < lo:
        raise EmptyRangeError
    way = rng.randrange(3)
    if way == 0:
        return rng.choice([*_edges(lo, hi), max(lo, hi - 1)])
    return rng.randint(lo, hi if way == 1 else min(hi, lo + (1 << rng.randint(0, (hi - lo).bit_length()))))


def _program(op: str, digits: int, w: int) -> Program:
    return programs().get(op) or _plain(op, digits, w)


SHIFTS = ("shr", "shl", "shrd", "low")


def _plain(op: str, digits: int, w: int) -> Program:
    """Any digits, any flags, any distance."""

    def program(pick: Pick, width: int) -> Case:
        k = w * pick(0, 2 * digits) + pick(0, w - 1) if op in SHIFTS else 0
        return k, tuple(pick(0, 1) if kind == "f" else _word(pick, digits, w) for kind in OPS[op].args)

    return program


def _word(pick: Pick, digits: int, w: int) -> int:
    number = 0
    for _ in range(digits):
        number = number << w | pick(0, (1 << w) - 1)
    return number
