"""Operations on a number word by word: k bits a word, and a mask that has a bit for each; no carry goes anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import eq, lt

from momagen.ir import Op, register
from momagen.ir.bounds import Bounds
from momagen.ir.masks import known
from momagen.ir.ops import Meaning


def _words(w: int, k: int, number: int) -> Iterator[int]:
    """The words of a number of w bits, low first."""
    return (number >> at & (1 << k) - 1 for at in range(0, w, k))


def _pairs(w: int, k: int, a: int, b: int) -> Iterator[tuple[int, int]]:
    return zip(_words(w, k, a), _words(w, k, b), strict=True)


def _joined(k: int, words: Iterator[int]) -> tuple[int]:
    return (sum((word & (1 << k) - 1) << k * i for i, word in enumerate(words)),)


def _divides(w: int, k: int, *args: int) -> bool:
    return k > 0 and w % k == 0


def _row(name: str, args: str, result: str, meaning: Meaning, notation: str) -> Op:
    """A number of w bits, or a mask with a bit for each word, may be any."""
    bounds: Bounds = lambda w, k, *args: ((0, (1 << (w if result == "w" else w // k)) - 1),)  # noqa: E731
    return Op(name, args, result, meaning, known(meaning, bounds), notation, rank=0, requires=_divides)


def _sums(sign: str, step: int) -> Iterator[Op]:
    """a ± b, the same where a flag is set, and a ± the bits of a mask."""
    name, count = {1: ("add", "inc"), -1: ("sub", "dec")}[step]
    yield _row(f"each_{name}", "ww", "w", lambda w, k, a, b: _joined(k, (x + step * y for x, y in _pairs(w, k, a, b))),
               f"c_i = a_i {sign} b_i")  # fmt: skip
    yield _row(f"each_{name}if", "fww", "w",
               lambda w, k, f, a, b: _joined(k, (x + step * f * y for x, y in _pairs(w, k, a, b))),
               f"c_i = a_i {sign} b_i if δ otherwise a_i")  # fmt: skip
    yield _row(f"each_{count}", "wm", "w",
               lambda w, k, a, m: _joined(k, (x + step * (m >> i & 1) for i, x in enumerate(_words(w, k, a)))),
               f"c_i = a_i {sign} m_i")  # fmt: skip


def _comparison(name: str, sign: str, holds: Callable[[int, int], bool]) -> Op:
    return _row(name, "ww", "m",
                lambda w, k, a, b: (sum(holds(*pair) << i for i, pair in enumerate(_pairs(w, k, a, b))),),
                f"m_i = a_i {sign} b_i")  # fmt: skip


def _if(w: int, k: int, f: int, m: int) -> tuple[int]:
    return (f * (m & (1 << k) - 1),)


def _off(w: int, k: int, m: int) -> tuple[int]:
    return (m >> k & 1,)


_ROWS = [
    *_sums("+", 1), *_sums("-", -1), _comparison("each_lt", "<", lt), _comparison("each_eq", "=?", eq),
    _row("each_full", "w", "m", lambda w, k, a: (sum((x + 1 >> k) << i for i, x in enumerate(_words(w, k, a))),),
         "m_i = a_i is 2^k - 1"),
    Op("each_if", "fm", "m", _if, known(_if, lambda w, k, f, m: ((0, f[1] * ((1 << k) - 1)),)),
       "c_i = m_i ∧ δ for i < k", rank=0),
    Op("off", "m", "f", _off, known(_off, lambda w, k, m: ((0, min(1, m[1] >> k)),)), "δ = m_k", rank=0),
]  # fmt: skip

EACH = {row.name: register(row) for row in _ROWS}
