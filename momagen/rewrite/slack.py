"""Rewriting for digits with slack: a digit of weight 2^w stands in a lane of more bits, so that sums need no carry.

A wide value is a flat list of digits of any size and sign. They give the integer exactly, or modulo 2^ring where the
interval says the rest. Sums, differences and selections go digit by digit; whatever else reads a value takes *normal*
digits, 0 ≤ d < 2^w: one pass of carries, made once and only where intervals ask for it. A splitting rule applies where
it holds for any digits (``slack = true``).
"""

from __future__ import annotations

from collections.abc import Sequence

from momagen.errors import MomagenError
from momagen.ir import OPS, Block, Value, const, leaves, refine
from momagen.ir import join as plain_join
from momagen.ir.value import Interval

from .columns import folded
from .engine import Machine, Pass, Trace
from .rules import Rule, RuleTable

NO, ZERO = const(0, "flag"), const(0)
Digits = list[Value]
"""Low digit first."""
SUMS = {"plus": "plus", "add": "plus", "addlo": "plus", "addc": "plus", "addclo": "plus",
        "minus": "minus", "sublo": "minus"}  # fmt: skip
"""Operations that go digit by digit, and what they are on a digit."""

LINEAR = frozenset({"sar", "low", "negative", "word", "sal"})
"""Operations that take a digit of any size."""


class SlackPass(Pass):
    """The one pass down to digits of ``machine.word`` bits."""

    def __init__(self, table: RuleTable, machine: Machine, trace: Trace) -> None:
        super().__init__(table, machine, machine.word, trace)
        self.word, self.full = machine.word, machine.factor > 0
        self.splitting = False
        self._normal: dict[int, tuple[Value, Value]] = {}

    def emit(self, op: str, width: int, args: Sequence[Value], k: int = 0) -> Sequence[Value]:
        if op in SUMS:
            return self._sum(op, width, args)
        if op == "select":
            return [self._select(*args)]
        if op in ("sub", "lt"):
            return self._difference(op, *args)
        if op == "settle":
            return [self.normal(args[0]) if k == self.word else self._settled(args[0], width, 1 << k)]
        if op == "shl" and k % self.word == 0:
            return [self._moved(args[0], k, width)]
        if op == "fold":
            return [self._folded(width, k, *args)]
        if self.stays(op, width) and op not in LINEAR:
            args = [self.normal(a) for a in args]
        return super().emit(op, width, args, k)

    def _apply(self, rule: Rule, width: int, args: Sequence[Value], k: int) -> Sequence[Value]:
        """Splitting takes normal digits; its sums stay in range, but where the operation itself is modular."""
        outer, self.splitting = self.splitting, rule.digits > 1
        results = super()._apply(rule, width, [self.normal(a) for a in args] if self.splitting else args, k)
        self.splitting = outer
        return results

    # Digits of a value, and back

    def digits(self, value: Value) -> Digits:
        """The digits of ``value``, low digit first."""
        if not value.is_const:
            return list(leaves(value))[::-1]
        found, number = [], value.lo
        while number >> self.word not in (0, -1):
            found.append(const(number & self._full))
            number >>= self.word
        return [*found, const(number)]

    @property
    def _full(self) -> int:
        return (1 << self.word) - 1

    def whole(self, digits: Digits, interval: Interval | None = None, ring: int = 0) -> Value:
        """The value with these digits, exact or modulo 2^ring, in ``interval`` (default: what the digits say)."""
        if ring:
            digits = (digits + [ZERO] * (ring // self.word))[: ring // self.word]
        while len(digits) > 1 and digits[-1].is_const and digits[-1].lo == 0 and not ring:
            digits = digits[:-1]
        joined = plain_join(tuple(reversed(digits)), self.word)
        lo, hi = (0, (1 << ring) - 1) if ring else joined.interval
        if interval is not None:
            lo, hi = interval if ring else (max(lo, interval[0]), min(hi, interval[1]))
        if lo == hi:
            return const(lo)
        if len(digits) == 1 and not ring:
            return refine(digits[0], lo, hi)
        return Value(lo, hi, "word", "", tuple(reversed(digits)), self.word, ring)

    def refined(self, value: Value, lo: int, hi: int) -> Value:
        """``value`` in [lo, hi]; the digits that this range does not need are dropped."""
        if value.kind == "flag" or value.is_const or not value.digits:
            return super().refined(value, lo, hi)
        lo, hi = max(lo, value.lo), min(hi, value.hi)
        if lo == hi:
            return const(lo)
        digits = self.digits(value)
        whole = len(digits) if lo < 0 else 1  # a sign would be lost
        count = next(c for c in range(whole, len(digits) + 1) if c == len(digits) or _fits(lo, hi, c * self.word))
        ring = count * self.word if count < len(digits) else value.ring
        if ring and lo >= 0 and all(self._is_normal(d) for d in digits[:count]):
            ring = 0
            digits[count - 1] = refine(digits[count - 1], 0, hi >> self.word * (count - 1))
        return self.whole(digits[:count], (lo, hi), ring)

    def _is_normal(self, digit: Value) -> bool:
        return digit.lo >= 0 and digit.hi <= self._full

    def normal(self, value: Value) -> Value:
        """``value`` with digits 0 ≤ d < 2^w; the leading one carries the sign where there is one."""
        if value.kind == "flag" or value.is_const or (not value.digits and self._is_normal(value)):
            return value
        if id(value) not in self._normal:
            self._normal[id(value)] = value, self._carried(value)
        return self._normal[id(value)][1]

    def _carried(self, value: Value) -> Value:
        """One pass of carries, from the low digit up."""
        digits = self.digits(value)
        signed = value.lo < 0
        if not value.ring and all(self._is_normal(d) for d in digits[: -1 if signed else None]):
            return value
        if not signed and not value.ring and not self._is_normal(digits[-1]):
            return self._spread(value, -(-value.hi.bit_length() // self.word))
        carry, done = ZERO, list[Value]()
        for digit in digits[:-1]:
            total = self.digit("plus", digit, carry)
            carry = self.one("sar", self.word, total, k=self.word)
            done.append(self.one("low", self.word, total, k=self.word))
        top = self.digit("plus", digits[-1], carry)
        if value.ring and (signed or not _fits(value.lo, value.hi, value.ring)):
            raise MomagenError(f"a value from 0 to 2^{value.ring} - 1, or exact digits", str(value), "carries")
        if not signed:
            top = refine(self.one("low", self.word, top, k=self.word), 0, value.hi >> self.word * len(done))
        return self.whole([*done, top], value.interval)

    def _settled(self, value: Value, width: int, limit: int) -> Value:
        """``value`` modulo 2^width at least; with normal digits where one is not within ±limit."""
        loose = 0 < value.ring < width or not all(-limit <= d.lo <= d.hi <= limit for d in self.digits(value))
        if not loose:
            return value
        return self.normal(value) if value.ring else self._spread(value, width // self.word)

    def _spread(self, value: Value, count: int) -> Value:
        """An exact ``value`` in ``count`` digits, the leading one of any size and sign."""
        carry, done, digits = ZERO, list[Value](), self.digits(value)
        for at in range(count - 1):
            total = self.digit("plus", digits[at], carry) if at < len(digits) else carry
            carry = self.one("sar", self.word, total, k=self.word)
            done.append(self.one("low", self.word, total, k=self.word))
        top = self.digit("plus", digits[count - 1], carry) if count <= len(digits) else carry
        below = self.word * (count - 1)  # the digits below are normal: the leading one is the value's own quotient
        return self.whole([*done, refine(top, value.lo >> below, value.hi >> below)], value.interval)

    def _folded(self, width: int, rows: int, y: Value, table: Value, q: Value, minus_inverse: Value) -> Value:
        """The product by a constant that ``table`` holds ``rows`` times, shifted by one digit more each time."""
        most = self.machine.factor
        fits = self.full and not y.ring and all(-most <= d.lo and d.hi < most for d in self.digits(y))
        digits = self.digits(y if fits else self.normal(y))
        words, step = self.digits(table), width // self.word
        grid = [words[at * step : (at + 1) * step] for at in range(rows)]
        return self.whole(folded(self, digits, grid, self.digits(q), minus_inverse))

    def digit(self, op: str, a: Value, b: Value) -> Value:
        """a ± b on digits; the lane must hold it."""
        if b.is_const and b.lo == 0:
            return a
        if op == "plus" and a.is_const and a.lo == 0:
            return b
        (result,) = self.builder.emit(op, self.word, a, b)
        if not -(1 << self.machine.lane - 1) <= result.lo <= result.hi < 1 << self.machine.lane - 1:
            raise MomagenError(f"a sum within {self.machine.lane} bits", str(result), "digits with slack")
        return result

    # Digit by digit

    def _sum(self, op: str, width: int, args: Sequence[Value]) -> Sequence[Value]:
        flags = [self.one("word", self.word, a) for a in args[2:] if not (a.is_const and a.lo == 0)]
        total = self._combined(SUMS[op], args[0], args[1], 0 if SUMS[op] == op or op in ("add", "addc") else width)
        for flag in flags:
            total = self._combined("plus", total, flag, 0)
        return [NO, total] if op in ("add", "addc") else [total]

    def _combined(self, op: str, a: Value, b: Value, width: int) -> Value:
        """a ± b, modulo 2^width where that is not 0 and the result leaves its range."""
        (lo, hi), = OPS[op].bounds(self.word, 0, a.interval, b.interval)
        wraps = bool(width) and (lo < 0 or (hi >> width > 0 and not (self.splitting and not a.ring and not b.ring)))
        ring = min((r for r in (a.ring, b.ring, width * wraps) if r), default=0)
        if ring and not wraps and not _fits(lo, hi, ring):
            return self._combined(op, self.normal(a), self.normal(b), width)
        return self.whole(self._paired(op, a, b), (0, (1 << width) - 1) if wraps else (lo, hi), ring)

    def _paired(self, op: str, a: Value, b: Value) -> Digits:
        x, y = self.digits(a), self.digits(b)
        count = max(len(x), len(y))
        pairs = zip(x + [ZERO] * (count - len(x)), y + [ZERO] * (count - len(y)), strict=True)
        return [self.digit(op, u, v) for u, v in pairs]

    def _select(self, flag: Value, a: Value, b: Value) -> Value:
        if flag.is_const or a is b:
            return a if a is b or flag.lo else b
        a, b = (self._normal.get(id(x), (x, x))[1] for x in (a, b))  # normal digits where they are known already
        lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)
        ring = min((r for r in (a.ring, b.ring) if r), default=0)
        x, y = self.digits(a), self.digits(b)
        count = ring // self.word or max(len(x), len(y))
        pairs = zip((x + [ZERO] * count)[:count], (y + [ZERO] * count)[:count], strict=True)
        return self.whole([self.builder.one("select", self.word, flag, u, v) for u, v in pairs], (lo, hi), ring)

    def _difference(self, op: str, a: Value, b: Value) -> Sequence[Value]:
        """a - b and whether that is negative: the sign of the leading digit once carries are done."""
        if a.lo >= b.hi:
            return [NO, self._combined("minus", a, b, 0)] if op == "sub" else [NO]
        raw = self._paired("minus", self.normal(a), self.normal(b))
        signed = self.normal(self.whole(raw))
        *low, top = self.digits(signed)
        borrow = self.builder.one("negative", self.word, top)
        if op == "lt":
            return [borrow]
        ring = (len(low) + 1) * self.word
        masked = [*low, self.one("low", self.word, top, k=self.word)]
        return [borrow, self.whole(masked, None, ring)]

    def _moved(self, value: Value, k: int, width: int) -> Value:
        """value·2^k modulo 2^width, k a number of digits."""
        digits = [ZERO] * (k // self.word) + self.digits(value)
        ring = value.ring + k if value.ring else 0
        if value.hi << k >> width:
            ring = min(ring or width, width)
            return self.whole(digits, None, ring)
        return self.whole(digits, (value.lo << k, value.hi << k), ring)

    # What the engine asks of an algebra

    def _fresh(self, value: Value, name: str) -> Value:
        if value.digits:
            self.known[id(value)] = value
            return value
        return super()._fresh(value, name)

    def _applies(self, rule: Rule, width: int, args: Sequence[Value], k: int) -> bool:
        return (rule.digits == 1 or rule.slack) and super()._applies(rule, width, args, k)

    def bounded(self, rule: Rule, width: int, value: Value, lo: int, hi: int) -> Value:
        """Parts of a product may be larger than a part's own range: only their sum is right."""
        if OPS[rule.op].results == "ww":
            return value
        if rule.op == "mullo" and not value.ring and value.hi >> width:
            return self.whole(self.digits(value), None, width)
        return self.refined(value, lo, hi)

    def join(self, digits: Sequence[Value], weight: int) -> Value:
        step, flat, ring = weight // self.word, list[Value](), 0
        parts = [self.one("word", self.word, d) if d.kind == "flag" else d for d in reversed(digits)]
        for at, part in enumerate(parts):
            last = at == len(parts) - 1
            part = part if last or not part.ring else self.normal(part)
            ring = part.ring + at * weight if last and part.ring else 0
            for i, digit in enumerate(self.digits(part)):
                place = at * step + i
                flat += [ZERO] * (place + 1 - len(flat))
                flat[place] = self.digit("plus", flat[place], digit)
        return self.whole(flat, None, ring)

    def split(self, value: Value, weight: int, count: int) -> Sequence[Value]:
        step, digits = weight // self.word, self.digits(value)
        groups = [digits[at * step : (at + 1) * step] for at in range(count - 1)] + [digits[(count - 1) * step :]]
        parts = [self.whole(group or [ZERO]) for group in groups]
        if value.ring:
            at = (value.ring - 1) // weight
            parts[at] = self.whole(groups[at], None, value.ring - at * weight)
        return parts[::-1]


def _fits(lo: int, hi: int, bits: int) -> bool:
    """Whether numbers of [lo, hi] are told apart modulo 2^bits, by their sign where they have one."""
    return hi >> bits == 0 if lo >= 0 else -(1 << bits - 1) <= lo and hi < 1 << bits - 1


def rewrite_slack(block: Block, table: RuleTable, machine: Machine, trace: Trace | None = None) -> Block:
    """``block`` on digits of ``machine.word`` bits in lanes of ``machine.lane`` bits."""
    return SlackPass(table, machine, Trace() if trace is None else trace).run(block)
