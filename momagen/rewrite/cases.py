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
from typing import TypeAlias

from momagen.ir import OPS

Pick: TypeAlias = Callable[[int, int], int]
Case: TypeAlias = tuple[int, tuple[int, ...]]
"""The attribute k and the arguments."""
Program: TypeAlias = Callable[[Pick, int], Case]


class EmptyRangeError(Exception):
    """A choice among nothing: the choices before it lead to no valid input."""


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
    if op in _MODULAR:
        return _sweep(_MODULAR[op], digits * w, _all)
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
    return _MODULAR[op] if op in _MODULAR else _plain(op, digits, w)


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


def _sum_mod(pick: Pick, w: int) -> Case:
    q = pick(1, (1 << w) - 1)
    return 0, (pick(0, q - 1), pick(0, q - 1), q)


def _reduce(pick: Pick, w: int) -> Case:
    q = pick(1, (1 << w) - 1)
    total = pick(0, 2 * q - 1)
    return 0, (total >> w, total & ((1 << w) - 1), q)


def _about(pick: Pick, w: int) -> Case:
    k = 1 << pick(0, 3)
    return k, (pick(0, (1 << w) - 1), pick(0, (1 << w) - 1))


def _barrett(pick: Pick, w: int) -> Case:
    k = pick(2, w - 4)
    q, i = pick(1 << (k - 1), (1 << k) - 1), pick(0, 2)
    return k, (pick(0, (q << i) - 1), pick(0, (q << 2 - i) - 1), q, (1 << 2 * k + 3) // q)


def _odd(pick: Pick, w: int) -> tuple[int, int, int]:
    """k, an odd q below 2^k, and q' = 1/q modulo 2^k with any bits above."""
    k = pick(1, w)
    q = 2 * pick(0, (1 << (k - 1)) - 1) + 1
    return k, q, pow(q, -1, 1 << k) + (pick(0, (1 << (w - k)) - 1) << k)


def _montgomery(pick: Pick, w: int) -> Case:
    k, q, qi = _odd(pick, w)
    a = pick(0, (1 << w) - 1)
    top = ((q << k) - 1) // a if a else (1 << w) - 1
    return k, (a, pick(0, min(top, (1 << w) - 1)), q, qi)


def _montgomery_lazy(pick: Pick, w: int) -> Case:
    k, args = _montgomery(pick, w)
    if args[2] > 1 << w - 1:
        raise EmptyRangeError
    return k, args


def _butterfly_montgomery(pick: Pick, w: int) -> Case:
    k, q, qi = _odd(pick, w)
    return k, (pick(0, q - 1), pick(0, q - 1), pick(0, q - 1), q, qi)


def _constant(pick: Pick, w: int, q: int, y: int) -> tuple[int, int]:
    """v < q and a quotient v' from ⌊v·2^w/q⌋ down to the least that y still bears."""
    v = pick(0, q - 1)
    best, rest = divmod(v << w, q)
    short = min(best, (((q << w) - 1) // y - rest) // q) if y else best
    return v, best - pick(0, short)


def _lazy_modulus(pick: Pick, w: int) -> tuple[int, int]:
    k = pick(1, min(8, 1 << (w - 1)))
    return k, pick(1, (1 << w) // (2 * k))


def _shoup(pick: Pick, w: int) -> Case:
    k, q = _lazy_modulus(pick, w)
    y = pick(0, (1 << w) - 1)
    return k, (y, *_constant(pick, w, q, y), q)


def _ct(pick: Pick, w: int) -> Case:
    k, (y, v, vq, q) = _shoup(pick, w)
    c = q * pick(2 * k, ((1 << w) - 1) // q)
    return k, (pick(0, (1 << w) - 1 - c), y, v, vq, q, c)


def _gs(pick: Pick, w: int) -> Case:
    k, q = _lazy_modulus(pick, w)
    c = q * pick(1, ((1 << w) - 1) // q)
    y, x = pick(0, c - 1), pick(0, (1 << w) - 1 - c)
    return k, (x, y, *_constant(pick, w, q, x + c), q, c)


def _ct_tight(pick: Pick, w: int) -> Case:
    q, y = pick(1, 1 << (w - 1)), pick(0, (1 << w) - 1)
    return 1, (pick(0, 2 * q - 1), y, *_constant(pick, w, q, y), q)


def _gs_tight(pick: Pick, w: int) -> Case:
    q = pick(1, 1 << (w - 1))
    return 1, (pick(0, 2 * q - 1), pick(0, 2 * q - 1), *_constant(pick, w, q, 2 * q), q)


def _montgomery_free(pick: Pick, w: int) -> Case:
    """c of any size and sign."""
    q = 2 * pick(0, (1 << w - 1) - 1) + 1
    v = pick(0, q - 1)
    return 0, (pick(-2, 2) * ((1 << w) - 1), pick(0, (1 << w) - 1), v, v * pow(q, -1, 1 << w) % (1 << w), q)


def _residue(pick: Pick, w: int) -> Case:
    return _residue_of(pick, w, pick(2, (1 << w) - 1))


def _residue_lazy(pick: Pick, w: int) -> Case:
    return _residue_of(pick, w, pick(2, 1 << w - 1))


def _residue_of(pick: Pick, w: int, q: int) -> Case:
    k = pick(0, q.bit_length() - 2)
    return k, (pick(0, min((1 << w), 1 << k + w - 1) - 1), q, (1 << k + w) // q)


_MODULAR: dict[str, Program] = {
    "addmod": _sum_mod, "submod": _sum_mod, "reduce": _reduce, "mulhi_about": _about,
    "barrett": _barrett, "barrett_lazy": _barrett, "montgomery": _montgomery, "montgomery_lazy": _montgomery_lazy,
    "shoup": _shoup, "ct": _ct, "gs": _gs, "ct_tight": _ct_tight, "gs_tight": _gs_tight,
    "ct_montgomery": _butterfly_montgomery, "gs_montgomery": _butterfly_montgomery,
    "shoup_free": _shoup, "montgomery_free": _montgomery_free,
    "residue": _residue, "residue_lazy": _residue_lazy,
}  # fmt: skip
