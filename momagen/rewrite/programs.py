"""The valid inputs of composite operations, each as a short *program* of choices: ``pick(lo, hi)`` is any integer of
that range."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from momagen.ir.real import MANTISSA

from .free import split_room
from .horner import most

Pick: TypeAlias = Callable[[int, int], int]
Case: TypeAlias = tuple[int, tuple[int, ...]]
"""The attribute k and the arguments."""
Program: TypeAlias = Callable[[Pick, int], Case]


class EmptyRangeError(Exception):
    """A choice among nothing: the choices before it lead to no valid input."""


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


def _shoup_split(pick: Pick, w: int) -> Case:
    """Factors of the machine's products from half a word to a whole one."""
    if w % 2:
        raise EmptyRangeError
    k = pick(w // 2, w)
    q = pick(1, (1 << w) // (3 if 2 * k > w else 4))
    y, v = pick(0, (1 << w) - 1), pick(0, q - 1)
    best, rest = divmod(v << w // 2 + k, q)
    short = min(best, ((q * split_room(w, k) - 1) // y - rest) // q) if y else best
    whole = best - pick(0, short)
    return k, (y, v, whole >> w // 2, whole % (1 << k), whole >> k, q)


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


def _signed(pick: Pick, top: int) -> int:
    return pick(-top, top)


def _mac(pick: Pick, w: int) -> Case:
    """Sums so far of either sign, and factors below 2^w of either sign."""
    full = (1 << w) - 1
    return 0, (pick(-1, 1) * full, pick(-1, 1) << w, _signed(pick, full), _signed(pick, full))


def _dot(pick: Pick, w: int) -> Case:
    """One row or two, of one digit or two."""
    k, rows = pick(1, 2), pick(1, 2)
    return k, (pick(-1, 0), 0, _signed(pick, (1 << w * rows) - 1), pick(0, (1 << w * rows * k) - 1), rows)


def _fold(pick: Pick, w: int) -> Case:
    k = pick(1, 2)
    q = 2 * pick(0, (1 << w * k - 1) - 1) + 1
    v, y = pick(0, q - 1), _signed(pick, (1 << w * k) - 1)
    table = sum((v << w * i) % q << w * k * i for i in range(k))
    return k, (y, table, q, -pow(q, -1, 1 << w) % (1 << w))


def _quotient(pick: Pick, w: int) -> Case:
    """Exponents on both sides of what a quotient needs two digits for."""
    k = pick(0, 2) + pick(0, 1) * (2 * w + 6)
    return k, (_signed(pick, 2 << max(0, k - w)), pick(0, 1 << w))


def _near_residue(pick: Pick, w: int) -> Case:
    k, c = w + pick(0, 4), pick(1, 3)
    q = pick(max(1, 1 << k - w), (1 << k) - 1)
    return k, (_signed(pick, min(c * q, 1 << k >> 2)), q, (1 << k) // q, c)


def _residue_over(pick: Pick, w: int) -> Case:
    """x from 0 to 2q above a multiple e·q that is not far, and -1/q modulo 2^w; 2^k is less than any digit has."""
    k, full = pick(1, min(w - 2, 7)), 1 << w
    q = 2 * pick(0, (1 << w - k - 1) - 1 >> 1) + 1
    e = pick(0, min(3, full // q - 2))
    return k, (pick(e * q, (e + 2) * q - 1), e, q, -pow(q, -1, full) % full)


def _quotient_over(pick: Pick, w: int) -> Case:
    """Of one digit or two."""
    return pick(1, min(w, 20)), (_signed(pick, 1 << w * pick(1, 2)), _signed(pick, 1 << w), pick(0, (1 << w) - 1))


def _add_multiple(pick: Pick, w: int) -> Case:
    """Of two digits or three."""
    k = pick(2, 3)
    return k, (_signed(pick, (1 << w * k) - 1), _signed(pick, (1 << w) - 1), pick(0, (1 << w * k) - 1))


def _dot_near(pick: Pick, w: int) -> Case:
    """As of ``dot``, with quotients that are zero or a third."""
    k, (c0, c1, y, table, rows) = _dot(pick, w)
    return k, (c0, c1, 0, y, table, pick(0, 1) * ((1 << MANTISSA * rows) // 3), rows)


def _shoup_near(pick: Pick, w: int) -> Case:
    """Leading digits as large as others, and four times as large."""
    k = pick(1, 2)
    q = pick(1, 1 << w * k - 1)
    v, y = pick(0, q - 1), _signed(pick, (4 << w * k) - 1)
    rows = [(v << w * i) % q for i in range(k)]
    table = sum(row << w * k * i for i, row in enumerate(rows))
    over = sum((row << MANTISSA) // q << MANTISSA * i for i, row in enumerate(rows))
    return k, (y, table, over, q, (abs(y) >> w * (k - 1)) + 1)


def _product_near(pick: Pick, w: int) -> Case:
    k, q, x = w + pick(0, w), pick(1, 1 << w - 1), pick(0, (1 << w) - 1)
    most = min((q << MANTISSA) // 8, (1 << k) // 4, (q << w) // 4)
    return k, (x, pick(0, min((1 << w) - 1, most // x if x else most)), q, (1 << k) // q)


def _coarse(pick: Pick, lo: int, hi: int, w: int) -> int:
    """Any number of a range; of digits below eight bits its ends and thirds."""
    return lo + pick(0, 3) * (hi - lo) // 3 if w < 8 else pick(lo, hi)


def _columns(pick: Pick, w: int) -> Case:
    """One row or two, of two digits."""
    n = pick(1, 2)
    return 0, (pick(-1, 1), pick(-1, 1) << w, _signed(pick, (1 << w * n) - 1), pick(0, (1 << 2 * w) - 1), n)


def _rows_near(pick: Pick, w: int) -> Case:
    """q of two digits or more, and thirteen bits at least; what one quotient or two bring down to it."""
    bits, c, n = max(w, 12) + 1 + pick(0, 1) * w, pick(1, 2), pick(1, 2)
    q = _coarse(pick, 1 << bits - 1, (1 << bits) - 1, w)
    top, k = most(w, q, c, c + 3, n), bits + MANTISSA - 1
    value = _coarse(pick, 7 - top, top - 7, w) + pick(-7, 7)
    high = (value >> w) + pick(0, 1)
    return k, (high, value - (high << w), q, (1 << k) // q, c, c + 3, n)


def _row_near(pick: Pick, w: int) -> Case:
    k, args = _rows_near(pick, w)
    return k, args[:-1]


def _times_near(pick: Pick, w: int) -> Case:
    """As of ``rows_near``, y and z below q or 2q."""
    k, (_, _, q, mu, c, m, n) = _rows_near(pick, w)
    x, y, z = pick(0, (1 << w * n) - 1), _coarse(pick, 0, c * q, w), pick(0, 1) * (c * q - 1)
    return k, (x, y, z, q, mu, c, m, n)


PROGRAMS: dict[str, Program] = {
    "addmod": _sum_mod, "submod": _sum_mod, "reduce": _reduce, "mulhi_about": _about,
    "barrett": _barrett, "barrett_lazy": _barrett, "montgomery": _montgomery, "montgomery_lazy": _montgomery_lazy,
    "shoup": _shoup, "ct": _ct, "gs": _gs, "ct_tight": _ct_tight, "gs_tight": _gs_tight,
    "ct_montgomery": _butterfly_montgomery, "gs_montgomery": _butterfly_montgomery,
    "shoup_free": _shoup, "shoup_split": _shoup_split, "montgomery_free": _montgomery_free,
    "residue": _residue, "residue_lazy": _residue_lazy,
    "residue_over": _residue_over, "quotient_over": _quotient_over, "add_multiple": _add_multiple,
    "mac": _mac, "dot": _dot, "fold": _fold,
    "quotient": _quotient, "dot_near": _dot_near,
    "near_residue": _near_residue, "shoup_near": _shoup_near, "product_near": _product_near,
    "about": lambda pick, w: (pick(0, 2 * w), (_signed(pick, 8 << 2 * w), pick(1, 3))),
    "row_near": _row_near, "rows_near": _rows_near, "times_near": _times_near,
    "columns": _columns,
}  # fmt: skip
