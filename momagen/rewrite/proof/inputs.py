"""The valid inputs of composite operations, each as a short *program* of choices."""

from __future__ import annotations

from momagen.rewrite.operations.lazy import split_room

from .digit_inputs import SLACK
from .pick import Case, EmptyRangeError, Pick, Program


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
    return k, (pick(0, (q << i) - 1), pick(0, (q << 2 - i) - 1), q, ((1 << 2 * k + 3) - 1) // q)


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


def _mulmod(pick: Pick, w: int) -> Case:
    k, q = _lazy_modulus(pick, w)
    return k, (pick(0, (1 << w) - 1), pick(0, q - 1), q)


def _mulmod_full(pick: Pick, w: int) -> Case:
    k, q, _ = _odd(pick, w)
    return k, (pick(0, q - 1), pick(0, q - 1), q)


def _butterfly_full(pick: Pick, w: int) -> Case:
    k, q, _ = _odd(pick, w)
    return k, (pick(0, q - 1), pick(0, q - 1), pick(0, q - 1), q)


def _over(pick: Pick, w: int) -> Case:
    q = pick(1, (1 << w) - 1)
    return pick(0, w), (pick(0, q - 1), q)


def _inverse(pick: Pick, w: int) -> Case:
    return pick(0, w), (2 * pick(0, (1 << w - 1) - 1) + 1,)


def _without_quotient(program: Program, at: int) -> Program:
    """The same inputs without the quotient, which is argument ``at``."""

    def inputs(pick: Pick, w: int) -> Case:
        k, args = program(pick, w)
        return k, (*args[:at], *args[at + 1 :])

    return inputs


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


def _residue_over(pick: Pick, w: int) -> Case:
    """x from 0 to 2q above a multiple e·q that is not far, and -1/q modulo 2^w; 2^k is less than any digit has."""
    k, full = pick(1, min(w - 2, 7)), 1 << w
    q = 2 * pick(0, (1 << w - k - 1) - 1 >> 1) + 1
    e = pick(0, min(3, full // q - 2))
    return k, (pick(e * q, (e + 2) * q - 1), e, q, -pow(q, -1, full) % full)


PROGRAMS: dict[str, Program] = {
    "addmod": _sum_mod, "submod": _sum_mod, "reduce": _reduce, "mulhi_about": _about,
    "barrett": _barrett, "barrett_lazy": _barrett, "montgomery": _montgomery, "montgomery_lazy": _montgomery_lazy,
    "shoup": _shoup, "ct": _ct, "gs": _gs, "ct_tight": _ct_tight, "gs_tight": _gs_tight,
    "ct_montgomery": _butterfly_montgomery, "gs_montgomery": _butterfly_montgomery,
    "over": _over, "scaled": _over, "inverse": _inverse, "mulmod": _mulmod, "mulmod_full": _mulmod_full,
    "butterfly": _without_quotient(_ct, 3), "inverse_butterfly": _without_quotient(_gs, 3),
    "butterfly_tight": _without_quotient(_ct_tight, 3), "inverse_butterfly_tight": _without_quotient(_gs_tight, 3),
    "butterfly_full": _butterfly_full, "inverse_butterfly_full": _butterfly_full,
    "shoup_free": _shoup, "shoup_split": _shoup_split, "montgomery_free": _montgomery_free,
    "residue": _residue, "residue_lazy": _residue_lazy, "residue_over": _residue_over, **SLACK,
}  # fmt: skip
