"""Codelets on digits with slack or in doubles: the butterflies of a level, what goes before all levels and after."""

from __future__ import annotations

from functools import cached_property

from momagen.ir import Block, Builder, Value, const, refine
from momagen.ir.real import MANTISSA

from .free import FreeArith
from .quotients import Maker
from .real import fractions


class Frame:
    """A builder with the modulus, and what codelets share."""

    def __init__(self, arith: FreeArith) -> None:
        self.arith, self.b = arith, Builder()
        self.q = arith.q(self.b)
        self.top = arith.reach * arith.top - 1

    def drifted(self, name: str, multiple: int = 0, unsettled: int = 0) -> Value:
        """An input within reach·q, or multiple·q, with the digits that levels leave: the last ``unsettled`` of them
        settled none."""
        a = self.arith
        top = (multiple or a.reach) * a.top - 1
        return self.digits(name, (-top if a.real else 0, top), a.after(unsettled), 0 if a.real else a.held)

    def digits(self, name: str, interval: tuple[int, int], most: int, ring: int = 0) -> Value:
        """An input with digits within ±most, exact or modulo 2^ring."""
        a = self.arith
        most = min(most, interval[1] + 1) if a.single else most
        found = tuple(Value(-most, most - 1, "word", f"{name}_{i}") for i in reversed(range(a.words)))
        self.b.block.inputs[name] = value = Value(*interval, "word", name, found, a.word, ring)
        return value

    def given(self, name: str) -> Value:
        """What comes in below m_in·q; reduced where one double is to hold it."""
        x = self.arith.residue(self.b, name, self.arith.m_in)
        return self.nearest(x) if self.arith.single and self.arith.m_in > 1 else x

    def lifted(self, x: Value) -> Value:
        """``x`` where differences on all levels to come leave it above 0; as it is where values have either sign."""
        a = self.arith
        return x if a.real or a.doubling else self.b.one("plus", a.width, x, a.times_q(self.b, self.q, a.offset))

    def product(self, y: Value, shared: bool) -> Value:
        """v·y within g·q, v a constant that comes folded or with its quotient."""
        a = self.arith
        if a.over_q:
            y = self.nearest(y) if a.reduces and not a.doubling else y
            over = fractions(self.b, "u", a.words)  # W_0 / q, W_1 / q, …
            most = const((max(-y.lo, y.hi) >> a.word * (a.words - 1)) + 1)
            return self.b.one("shoup_near", a.word, y, self._table(), over, self.q, most, k=a.words)
        if shared or a.folds:
            t = self.b.one("fold", a.word, y, self._table(), self.q, self.minus_inverse, k=a.words)
            return refine(t, -a.grown * a.top if a.real else 0, a.grown * a.top)
        if a.deep:
            return self._shoup(y)
        pair = a.residue(self.b, "v"), a.quotient(self.b, "u")
        return self.b.one("shoup_free", a.width, y, *pair, self.q, k=a.k)

    def _shoup(self, y: Value) -> Value:
        """v·y below 3q: the quotient lacks less than 1 for ⌊ ⌋, 1 for what v' lacks, and a little in a low digit."""
        a, maker = self.arith, Maker(self.arith, self.arith.word, 1, self.b)
        v, u = a.residue(self.b, "v"), self.b.input("u", 0, (1 << a.held) - 1)
        high = maker.high(y, u, a.words - 1)
        e = self.b.one("shr", a.width, high, k=a.word)
        less = self.b.one("mullo", a.width, e, self.b.one("sublo", a.width, const(0), self.q))
        t = self.b.one("addlo", a.width, self.b.one("mullo", a.width, y, v), less)
        return refine(self.b.one("low", a.width, t, k=a.held), 0, 3 * a.top - 1)

    def _table(self) -> Value:
        """W_0, W_1, … one after another, each in as many digits as q has, and zeros."""
        a, full = self.arith, (1 << self.arith.word) - 1
        used = -(-a.bits // a.word)
        row = [(i, j) for i in range(a.words) for j in range(a.words)]
        digits = [Value(0, full, "word", f"v_{i}_{j}") if j < used else const(0) for i, j in row]
        value = Value(0, (1 << a.held * a.words) - 1, "word", "v", tuple(reversed(digits)), a.word)
        self.b.block.inputs["v"] = value
        return value

    def level(self, name: str, value: Value, settles: bool = True) -> None:
        """A result of a level: by the theorem on all levels together it stays within reach·q, or it is reduced.

        ``settles``: with digits that are settled, where levels do that at all.
        """
        a, signed = self.arith, self.arith.real
        if a.doubling and a.reduces:
            value = self.nearest(value) if value.hi > self.top else value
        else:
            value = refine(value, -self.top if signed else 0, self.top)
        self.b.output(name, self.settled(value) if a.settles and settles else self._modulo(value))

    def settled(self, value: Value) -> Value:
        """``value`` with small digits."""
        a = self.arith
        most = a.loose if a.settles else a.word + 1
        return self.b.one("settle", self.arith.held, value, k=most)

    @cached_property
    def mu(self) -> Value:
        """The estimate of 1/q."""
        return self.b.input("mu", 0, self.arith.mu)

    @cached_property
    def minus_inverse(self) -> Value:
        """-1/q modulo 2^word."""
        return self.b.input("qn", 0, (1 << self.arith.word) - 1)

    def nearest(self, value: Value) -> Value:
        """``value`` less the multiple of q next to it."""
        a = self.arith
        within = const(max(-value.lo, value.hi) // a.top + 1)
        return self.b.one("near_residue", a.word, value, self.q, self.mu, within, k=a.cut + a.word)

    def _modulo(self, value: Value) -> Value:
        return self.b.one("settle", self.arith.held, value, k=self.arith.lane - 1)

    def reduced(self, name: str, value: Value, most: int) -> None:
        """A result below most·q of a value that leaves the estimate of its quotient a digit; below 2q is all that is
        won by a larger ``most``.

        Of digits in doubles it is within ±q.
        """
        a, width = self.arith, self.arith.width
        if a.real:
            self.b.output(name, self.nearest(value))
            return
        value = self.b.one("residue" if most == 1 else "residue_lazy", width, value, self.q, self.mu, k=a.cut)
        self.b.output(name, self.b.one("settle", width, value, k=a.word))


def cooley_tukey(a: FreeArith, shared: bool) -> Block:
    """X ≡ x + v·y, Y ≡ x - v·y."""
    f = Frame(a)
    x, y = f.drifted("x"), f.drifted("y")
    t = f.product(y, shared)
    f.level("X", f.b.one("plus", a.width, x, t))
    f.level("Y", f.b.one("minus", a.width, x, t))
    return f.b.block


def gentleman_sande(a: FreeArith, shared: bool, settles: bool = True) -> Block:
    """X ≡ x + y, Y ≡ v·(x - y); ``settles``: the last level of ``pace``, which settles X."""
    f = Frame(a)
    x, y = (f.drifted(name, unsettled=a.pace - 1 - (not settles)) for name in "xy")
    f.level("X", f.b.one("plus", a.width, x, y), settles)
    if a.real:
        difference = f.b.one("minus", a.width, x, y)
    else:
        lifted = f.b.one("plus", a.width, x, a.times_q(f.b, f.q, a.reach))
        difference = refine(f.b.one("minus", a.width, lifted, y), 0, 2 * f.top + 1)
    f.level("Y", f.product(difference, shared))
    return f.b.block


def lift(a: FreeArith) -> Block:
    """X = x + offset·q for x below m_in·q where values must not go below zero, else X = x; or reduced, where one double
    is to hold it."""
    f = Frame(a)
    f.b.output("X", f.lifted(f.given("x")))
    return f.b.block


def first(a: FreeArith) -> Block:
    """X0, X1 ≡ x0 ± v·x1: the first level, on what comes in."""
    f = Frame(a)
    x, t = f.lifted(f.given("x0")), f.product(f.given("x1"), True)
    f.level("X0", f.b.one("plus", a.width, x, t))
    f.level("X1", f.b.one("minus", a.width, x, t))
    return f.b.block


def first_two(a: FreeArith) -> Block:
    """X0, X1 ≡ (x0 + x2) ± (x1 + x3) and X2, X3 ≡ (x0 - x2) ± v·(x1 - x3): the first two levels of x^n - 1, whose
    roots are 1, 1 and v."""
    f = Frame(a)
    x0, x1, x2, x3 = (f.given(f"x{i}") for i in range(4))
    x0 = f.b.one("minus", a.width, x0, f.q) if a.real else f.lifted(x0)
    even, odd = f.b.one("plus", a.width, x0, x2), f.b.one("plus", a.width, x1, x3)
    y = f.b.one("minus", a.width, f.lifted(x1), x3)
    rest, t = f.b.one("minus", a.width, x0, x2), f.product(y if a.real else refine(y, 0, f.top), True)
    for at, (one, other) in enumerate(((even, odd), (rest, t))):
        f.level(f"X{2 * at}", f.b.one("plus", a.width, one, other))
        f.level(f"X{2 * at + 1}", f.b.one("minus", a.width, one, other))
    return f.b.block


def settle(a: FreeArith) -> Block:
    """X = x with small digits, or x less the multiple of q next to it."""
    f = Frame(a)
    x = f.drifted("x")
    x = f.nearest(x) if a.reduces_between else x
    f.b.output("X", x if a.single else f.settled(x))
    return f.b.block


def finish(a: FreeArith) -> Block:
    """X ≡ x below m_out·q, after the last level."""
    f = Frame(a)
    f.reduced("X", f.drifted("x", a.last), a.m_out)
    return f.b.block


def rest(a: FreeArith) -> Block:
    """X ≡ x below resting·q, between two passes."""
    f = Frame(a)
    f.reduced("X", f.drifted("x"), a.resting)
    return f.b.block


def resume(a: FreeArith) -> Block:
    """X ≡ x below resting·q, with room for the differences of all levels."""
    f = Frame(a)
    f.b.output("X", f.lifted(a.residue(f.b, "x", a.resting)))
    return f.b.block


def scaled(a: FreeArith) -> Block:
    """X ≡ v·x below m_out·q."""
    f = Frame(a)
    f.reduced("X", f.product(f.drifted("x"), shared=True), a.m_out)
    return f.b.block


def canonical(a: FreeArith, ends: tuple[str, ...] = ("",)) -> Block:
    """X = x mod n·q where -n·q < x < n·q, for n = 2^over, on integers in lanes; ``negative`` says whether x is. Once
    for each of ``ends`` of these names."""
    f, zero, top = Frame(a), const(0), a.top << a.over
    whole = f.b.one("shl", a.width, f.q, k=a.over) if a.over else f.q
    for end in ends:
        x = f.digits(f"x{end}", (1 - top, top - 1), 1 << MANTISSA - 2)
        negative = f.b.input(f"negative{end}", 0, 1, "flag")
        total = f.b.one("plus", a.width, x, f.b.one("select", a.width, negative, whole, zero))
        f.b.output(f"X{end}", f.b.one("settle", a.width, refine(total, 0, top - 1), k=a.word))
    return f.b.block
