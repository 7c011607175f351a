"""Operations on a number word by word: k bits a word, and a mask that has a bit for each; no carry goes anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from momagen.ir import Op, register
from momagen.ir.value import Interval


def _words(w: int, k: int, number: int) -> Iterator[int]:
    """The words of a number of w bits, low first."""
    return (number >> at & (1 << k) - 1 for at in range(0, w, k))


def _joined(k: int, words: Iterator[int]) -> int:
    return sum((word % (1 << k)) << k * i for i, word in enumerate(words))


def _full(w: int, k: int, *args: Interval) -> tuple[Interval]:
    return ((0, (1 << w) - 1),)


def _mask(w: int, k: int, *args: Interval) -> tuple[Interval]:
    return ((0, (1 << w // k) - 1),)


def _divides(w: int, k: int, *args: int) -> bool:
    return k > 0 and w % k == 0


def _sums(name: str, sign: int, notation: str) -> Op:
    """a ± b."""
    return Op(name, "ww", "w", lambda w, k, a, b: (
        _joined(k, (x + sign * y for x, y in zip(_words(w, k, a), _words(w, k, b), strict=True))),),
        _full, notation, rank=0, requires=_divides)  # fmt: skip


def _sums_if(name: str, sign: int, notation: str) -> Op:
    """a ± b where the flag is set, else a."""
    return Op(name, "fww", "w", lambda w, k, f, a, b: (
        _joined(k, (x + sign * f * y for x, y in zip(_words(w, k, a), _words(w, k, b), strict=True))),),
        _full, notation, rank=0, requires=_divides)  # fmt: skip


def _carried(name: str, sign: int, notation: str) -> Op:
    """a ± bit i of m in word i."""
    return Op(name, "wm", "w", lambda w, k, a, m: (
        _joined(k, (x + sign * (m >> i & 1) for i, x in enumerate(_words(w, k, a)))),),
        _full, notation, rank=0, requires=_divides)  # fmt: skip


def _comparison(name: str, holds: Callable[[int, int], bool], notation: str) -> Op:
    return Op(name, "ww", "m", lambda w, k, a, b: (
        sum(holds(x, y) << i for i, (x, y) in enumerate(zip(_words(w, k, a), _words(w, k, b), strict=True))),),
        _mask, notation, rank=0, requires=_divides)  # fmt: skip


_ROWS = [
    _sums("each_add", 1, "c_i = a_i + b_i"), _sums("each_sub", -1, "c_i = a_i - b_i"),
    _sums_if("each_addif", 1, "c_i = a_i + b_i if δ otherwise a_i"),
    _sums_if("each_subif", -1, "c_i = a_i - b_i if δ otherwise a_i"),
    _carried("each_inc", 1, "c_i = a_i + m_i"), _carried("each_dec", -1, "c_i = a_i - m_i"),
    _comparison("each_lt", lambda x, y: x < y, "m_i = a_i < b_i"),
    _comparison("each_eq", lambda x, y: x == y, "m_i = a_i =? b_i"),
    Op("each_full", "w", "m", lambda w, k, a: (sum((x + 1 >> k) << i for i, x in enumerate(_words(w, k, a))),),
       _mask, "m_i = a_i is 2^k - 1", rank=0, requires=_divides),
    Op("each_if", "fm", "m", lambda w, k, f, m: (f * (m & (1 << k) - 1),),
       lambda w, k, f, m: ((0, f[1] * ((1 << k) - 1)),), "c_i = m_i ∧ δ for i < k", rank=0),
    Op("off", "m", "f", lambda w, k, m: (m >> k & 1,), lambda w, k, m: ((0, min(1, m[1] >> k)),), "δ = m_k", rank=0),
]  # fmt: skip

EACH = {row.name: register(row) for row in _ROWS}
