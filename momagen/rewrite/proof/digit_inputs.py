"""The valid inputs of operations on digits with slack and in doubles, each as a short program of choices."""

from __future__ import annotations

from momagen.ir.real import MANTISSA
from momagen.rewrite.operations.horner import most

from .pick import Case, Pick, Program


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
    return k, (pick(-2, 1) * q, y, table, q, -pow(q, -1, 1 << w) % (1 << w))


def _quotient(pick: Pick, w: int) -> Case:
    """Exponents on both sides of what a quotient needs two digits for."""
    k = pick(0, 2) + pick(0, 1) * (2 * w + 6)
    return k, (_signed(pick, 2 << max(0, k - w)), pick(0, 1 << w))


def _near_residue(pick: Pick, w: int) -> Case:
    k, c = w + pick(0, 4), pick(1, 3)
    q = pick(max(1, 1 << k - w), (1 << k) - 1)
    return k, (_signed(pick, min(c * q, 1 << k >> 2)), q, (1 << k) // q, c)


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
    return k, (x, pick(0, min((1 << w) - 1, most // x if x else most)), q, ((1 << k) - 1) // q)


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
    return k, (high, value - (high << w), q, ((1 << k) - 1) // q, c, c + 3, n)


def _row_near(pick: Pick, w: int) -> Case:
    k, args = _rows_near(pick, w)
    return k, args[:-1]


def _times_near(pick: Pick, w: int) -> Case:
    """As of ``rows_near``, y and z below q or 2q."""
    k, (_, _, q, mu, c, m, n) = _rows_near(pick, w)
    x, y, z = pick(0, (1 << w * n) - 1), _coarse(pick, 0, c * q, w), pick(0, 1) * (c * q - 1)
    return k, (x, y, z, q, mu, c, m, n)


SLACK: dict[str, Program] = {
    "quotient_over": _quotient_over, "add_multiple": _add_multiple, "mac": _mac, "dot": _dot, "fold": _fold,
    "quotient": _quotient, "dot_near": _dot_near, "near_residue": _near_residue, "shoup_near": _shoup_near,
    "product_near": _product_near, "about": lambda pick, w: (pick(0, 2 * w), (_signed(pick, 8 << 2 * w), pick(1, 3))),
    "row_near": _row_near, "rows_near": _rows_near, "times_near": _times_near, "columns": _columns,
}  # fmt: skip
