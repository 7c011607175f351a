"""Operations as lines in the notation of the papers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from momagen.ir import OPS, Value, words
from momagen.rewrite import SIGNS, Rule

from .naming import Names, Power, Symbol, Token

NOTATION: dict[str, str] = {
    "add": "{0} + {1}", "addc": "{0} + {1} + {2}", "addlo": "{0} + {1}", "addclo": "{0} + {1} + {2}",
    "sub": "{0} - {1}", "subb": "{0} - {1} - {2}", "sublo": "{0} - {1}", "subblo": "{0} - {1} - {2}",
    "mul": "{0} · {1}", "mullo": "{0} · {1} mod {2^w}", "mulhi": "⌊{0} · {1} / {2^w}⌋", "div": "⌊[{0}, {1}] / {2}⌋",
    "mulhi_about": "⌊{0} · {1} / {2^w}⌋", "mulhalf": "({0} mod {2^h}) · ({1} mod {2^h})",
    "smulhalf": "{0} · {1} of signed low half words",
    "mulhalves": "{0} · {1} by half words", "subhalves": "{0} - {1} by half words",
    "swaphalves": "{0} with its half words exchanged",
    "pack": "({0} · {2^h} + ({1} mod {2^h})) mod {2^w}",
    "lts": "({0} + {2^t}) mod {2^w} < ({1} + {2^t}) mod {2^w}",
    "lt": "{0} < {1}", "le": "{0} ≤ {1}", "eq": "{0} =? {1}", "and": "{0} ∧ {1}", "or": "{0} ∨ {1}", "not": "¬{0}",
    "select": "{1} if {0} otherwise {2}", "select_top": "{1} if {0} ≥ {2^t} otherwise {2}",
    "pick_top": "{1} if {0} ≥ {2^t} otherwise {2}",
    "word": "{0}", "top": "{0} ≥ {2^t}",
    "shr": "{0} >> {k}", "shrv": "{0} >> {1}", "shl": "{0} << {k}", "shlv": "{0} << {1}",
    "shrd": "[{0}, {1}] >> {k}", "low": "{0} mod {2^k}",
    "reduce": "[{0}, {1}] mod {2}", "csub": "{0} - {1} if {1} ≤ {0} otherwise {0}",
    "addmod": "({0} + {1}) mod {2}", "submod": "({0} - {1}) mod {2}", "barrett": "{0} · {1} mod {2}, by {3}",
    "minus_product": "(-{0} · {1}) mod {2^k}", "newton": "({0} · (2 - {1} · {0})) mod {2^k}",
    "over_by_reciprocal": "⌊{0} · {2^k} / {1}⌋, by [{3}, {2}]",
    "barrett_lazy": "{0} · {1} (mod {2}), by {3}", "montgomery_lazy": "{0} · {1} / {2^k} (mod {2}), by {3}",
    "montgomery": "{0} · {1} / {2^k} mod {2}, by {3}", "shoup": "{0} · {1} (mod {3}), by {2}",
    "mulmod": "{0} · {1} (mod {2})", "product": "{0} · {1} mod {2}", "product_lazy": "{0} · {1} (mod {2})",
    "product_full": "{0} · {1} mod {2}", "product_full_lazy": "{0} · {1} (mod {2})",
    "folded": "{0} (mod {1})", "power": "{2^k} mod {0}", "below": "⌊({2^k} - 1) / {0}⌋", "square": "{2^k}² mod {0}",
    "mulmod_fine": "{0} · {1} (mod {2})", "mulmod_around": "{0} · {1} (mod {2})", "over_about": "⌊{0} · {2^k} / {1}⌋",
    "product_truncated": "{0} · {1} (mod {2} · {2^k})", "mulmod_truncated": "{0} · {1} + {2} (mod {3} · {2^k})",
    "remainder_of_word": "{0} (mod {1})", "remainder": "{0} mod ({1} · {2^k})",
    "below_low": "⌊({2^k} - 1) / {0}⌋ mod {2^w}",
    "product_of_digits": "{0} · {1} (mod {2})", "complement": "{2^k} - {0}", "shifted": "{0} · {2^k}",
    "reciprocal": "⌊{2^k} / {0}⌋", "mulmod_full": "{0} · {1} mod {2}",
    "butterfly": "{0} ± {1} · {2} (mod {3})", "inverse_butterfly": "{0} + {1}, ({0} - {1}) · {2} (mod {3})",
    "butterfly_tight": "{0} ± {1} · {2} (mod {3})",
    "inverse_butterfly_tight": "{0} + {1}, ({0} - {1}) · {2} (mod {3})",
    "butterfly_full": "{0} ± {1} · {2} mod {3}", "inverse_butterfly_full": "{0} + {1}, ({0} - {1}) · {2} mod {3}",
    "over": "⌊{0} · {2^k} / {1}⌋", "scaled": "{0} · {2^k} mod {1}", "inverse": "1 / {0} mod {2^k}",
    "opposite": "-1 / {0} mod {2^k}", "estimate": "⌊{2^k} / {0}⌋", "minus_multiple": "-{k} · {0}",
    "rows": "{0} · 2^(w·i) mod {1}", "shifted_rows": "{0} · 2^(w·(i + 1)) mod {1}",
    "fractions": "⌊{0} · 2^(w·i) · 2^53 / {1}⌋",
    "addif": "{1} + {2} if {0} otherwise {1}", "subif": "{1} - {2} if {0} otherwise {1}",
    "inc": "{0} + {1}", "dec": "{0} - {1}", "mand": "{0} ∧ {1}", "mor": "{0} ∨ {1}", "mxor": "{0} ⊕ {1}",
    "each_add": "{0} + {1} by words", "each_sub": "{0} - {1} by words", "each_lt": "{0} < {1} by words",
    "each_eq": "{0} =? {1} by words", "each_full": "{0} =? {2^k} - 1 by words", "each_inc": "{0} + {1} by words",
    "each_dec": "{0} - {1} by words", "each_addif": "{1} + {2} by words if {0} otherwise {1}",
    "each_subif": "{1} - {2} by words if {0} otherwise {1}", "each_if": "({1} mod {2^k}) if {0} otherwise 0",
    "off": "{0} >> {k} mod 2", "carries_within": "carries({0}, {1})",
    "lift": "lift({0})", "pick": "{0} >> {k} mod 2", "carries": "carries({0}, {1})", "spread": "spread({0})",
    "plus": "{0} + {1}", "minus": "{0} - {1}", "sar": "⌊{0} / {2^k}⌋", "sal": "{0} · {2^k}", "negative": "{0} < 0",
    "signed": "{0}", "bit": "{0} >> {k} mod 2", "umin": "umin({0}, {1})", "umax": "umax({0}, {1})",
    "mulhis": "⌊{0} · {1} / {2^w}⌋", "mullos": "({0} · {1}) mod {2^w}",
    "sublos": "({0} - {1}) mod {2^w}", "mulhrs": "⌊{0} · {1} · 2 / {2^w}⌉",
    "redc": "{0} · {1} / {2^w} (mod {3})", "redc_signed": "{0} · {1} / {2^w} (mod {3})",
    "mulmod_balanced": "{0} · {1} (mod {2})", "near_zero": "{0} (mod {2})",
    "fmalo": "{0} + ({1} · {2} mod {2^d})", "fmahi": "{0} + ⌊{1} · {2} / {2^d}⌋", "settle": "{0}",
    "clear": "⌊{0} / {2^k}⌋ · {2^k}", "above": "⌊{0} / {2^k}⌋",
    "fold": "{0} + {1} · {2} (mod {3})",
    "shoup_split": "{0} · {1} (mod {5}), by {2}, {3}, {4}",
    "shoup_half": "{0} · {1} (mod {3}), by {2}", "shoup_limb": "{0} · {1} (mod {3}), by {2}",
    "sum_of_words": "[{0}, {1}] mod {2}, by {3}", "sum_by_leading": "({0} · 2^{k} / 2 + …) mod {2}, by {1} and {3}",
    "sum_of_one_word": "{0} mod {1}, by {3}", "sum_of_limbs": "({0} · {2^k} + {1}) mod {2}",
    "sum_of_limbs_long": "({0} · {2^k} + {1}) mod {2}",
    "residue": "{0} mod {1}",
    "mulmod_free": "{0} + {1} · {2} (mod {3})", "residue_lazy": "{0} mod {1}",
    "reduce_lazy": "{0} (mod {1})", "mulmod_split": "{0} · {1} (mod {2})",
    "mulmod_halves": "{0} · {1} (mod {2})", "halves": "{0} (mod {1}) by signed half words",
    "halves_moved": "{0} · {2^h} (mod {1}) by signed half words", "nearest": "⌊{0} · {2^h} / {1}⌉ mod {2^h}",
    "nearest_moved": "⌊({0} · {2^h} mod {1}) · {2^h} / {1}⌉ mod {2^h}",
    "high_half": "⌊{0} / {2^h}⌉", "correct_near": "{0} + {1} if {0} < 0 otherwise {0} - {1}",
    "correct_up": "{0} mod {1}", "correct_down": "({0} mod {1}) - {1}", "over_first": "⌊{0} · {2^k} / {1}⌋",
    "over_rest": "⌊{0} · 2^(w/2) · {2^k} / {1}⌋ mod {2^k}", "over_half": "⌊{0} · {2^k} / {1}⌋",
    "ratio": "({0} · {2^k} mod {1}) / {1} mod {2^k}",
    "residue_over": "({0} / {2^k} mod {1}) · {2^k}", "near_residue_over": "({0} / {2^k} mod {1}) · {2^k}",
    "quotient_over": "{0} · {2} (mod {2^k}), next to {1}", "add_multiple": "{0} + {1} · {2}",
    "near": "{0} + ⌊{1} / {2^k}⌉", "rest": "{0} - {1} · {2^k}", "fmanear": "{0} + ⌊{1} · {2} / {2^k}⌉",
    "fmarest": "{0} · {2^k} + {1} · {2}", "fmadown": "({0} + {1} · {2}) / {2^k}", "leading": "{0} · {2^k} + {1}",
    "fmsrest": "{1} · {2} - {0} · {2^k}", "fnmarest": "{0} · {2^k} - {1} · {2}", "mulleading": "{0} · {1}",
    "radd": "{0} + {1}", "rsub": "{0} - {1}", "rfma": "{0} · {1} + {2}", "rfms": "{0} · {1} - {2}",
    "rfnma": "{2} - {0} · {1}", "rmul": "{0} · {1}", "real": "{0} · {2^k}",
    "unreal": "{0} / {2^k}", "near_residue": "{0} mod {1}", "shoup_near": "{0} · {1} (mod {2})",
    "product_near": "{0} · {1} (mod {2})", "leading_fraction": "⌊({2^k} - 1) / {0}⌋", "quotient": "⌊{0} · {1} / {2^k}⌉",
    "product_around": "{0} · {1} (mod {2})", "near_fraction": "⌊{0} · {2^k} / {1}⌋",
    "about": "⌊{0} / {2^k}⌋", "row_near": "[{0}, {1}] (mod {2}), by {3}",
    "rows_near": "[{0}, {1}] (mod {2}), by {3}", "times_near": "{0} · {1} + {2} (mod {3})",
    "mad_low": "({0} · {1} mod {2^w}) + {2} + {3}", "mad_high": "⌊{0} · {1} / {2^w}⌋ + {2} + {3}",
    "subbif": "{1} - {2} - {3} if {0} otherwise {1}", "reduce_about": "{0} (mod {1})",
    "mulhi_within": "⌊{0} · {1} / {2^w}⌋", "mulmod_within": "{0} · {1} (mod {2})",
    "butterfly_within": "{0} ± {1} · {2} (mod {3})", "mulmod_solinas": "{0} · {1} mod {2}",
    "butterfly_solinas": "{0} ± {1} · {2} (mod {3})",
    "inverse_butterfly_solinas": "{0} + {1}, ({0} - {1}) · {2} (mod {3})",
    "solinas_product": "{0} · {1} / {2^w} mod {2} + {2^h} - 1", "solinas_sums": "{0} ± ({1} - {2^h} + 1) (mod {2})",
    "mulmod_signed": "{0} · {1} (mod {2})", "butterfly_signed": "{0} ± {1} · {2} (mod {3})",
    "inverse_butterfly_signed": "{0} + {1}, ({0} - {1}) · {2} (mod {3})",
    "fold_columns": "{0} (mod {1})",
    "fold_at": "({0} mod {2^k}) + ({0} >> {k}) · ({2^k} - {1})",
    "digits_product": "{0} · {1} / {2^h} (mod {3})", "digits_product_signed": "{0} · {1} / {2^h} (mod {3})",
    "digits_sums": "{0} · {1} + {0} · {2} by signed half words", "signed_sums": "{0} ± {1} (mod {2})",
    "signed_residue": "{0} + {2^t} / {2^h} (mod {1})", "unsigned_residue": "({0} - {2^t} / {2^h}) mod {1}",
    "low_factor": "{0} · {2^h} mod {1}, by signed half words",
    "high_factor": "{0} · {2^w} mod {1}, by signed half words",
    "inverse_butterfly_within": "{0} + {1}, ({0} - {1}) · {2} (mod {3})",
    "columns": "[{0}, {1}] + {2} · {3}", "mac": "[{0}, {1}] + {2} · {3}",
}  # fmt: skip


def _pattern(op: str) -> str:
    """Return the notation of ``op``; an operation that a target declares is written as a function."""
    return NOTATION.get(op) or f"{op}({', '.join(f'{{{at}}}' for at in range(len(OPS[op].args)))})"


RELATION = {**SIGNS, "leading": "≈"}
"""The relation between a result and its value by operation; the default is "="."""
_RELATION = re.compile(" [=≡≈] ")
_SLOT = re.compile(r"\{(2\^)?(\w)\}")
LONG = 5
"""The number of limbs from which on a number is abbreviated to its first and last limb."""


@dataclass(frozen=True)
class Line:
    """One assignment.

    Attributes:
        tokens: The tokens of its text.
        op: The operation.
        path: The position in the derivation.
        rule: The rule that introduced it, or None.
        fresh: Whether the rule was applied in this step.
    """

    tokens: tuple[Token, ...]
    op: str
    path: str
    rule: Rule | None = None
    fresh: bool = False

    def __str__(self) -> str:
        return "".join(map(str, self.tokens))

    @property
    def defines(self) -> list[str]:
        """The names on the left-hand side, as in source text."""
        left = takewhile(lambda token: not isinstance(token, str) or not _RELATION.search(token), self.tokens)
        return [token.code for token in left if isinstance(token, Symbol)]


class Writer:
    """A writer of lines with the names of one level.

    Args:
        names: The names.
        bits: Whether every word is marked with its width, as in the papers.
        stands_for: The flag of each word that only holds a flag, by ``id`` of the word.
    """

    def __init__(self, names: Names, bits: bool = False, stands_for: Mapping[int, Value] | None = None) -> None:
        self.names, self.bits, self.stands_for = names, bits, stands_for or {}

    def line(self, op: str, width: int, args: Sequence[Value], k: int, results: Sequence[Value]) -> tuple[Token, ...]:
        """Return the line ``results = op(args)``. Results that are not read have no names.

        Args:
            op: The operation.
            width: The width of the operation in bits.
            args: The arguments.
            k: The constant of the operation, such as the distance of a shift.
            results: The results.
        """
        left = list(self._left(op, results, width))
        numbers = {"w": width, "h": width // 2, "t": width - 1, "k": k, "d": k or width}
        right: list[Token] = []
        end, text = 0, _without_zeros(_pattern(op), op, args)
        for slot in _SLOT.finditer(text):
            right.append(text[end : slot.start()])
            right += self._slot(slot, args, numbers, text.startswith("["))
            end = slot.end()
        return _merged([*left, f" {RELATION.get(op, '=')} ", *right, text[end:]])

    def _slot(self, slot: re.Match[str], args: Sequence[Value], numbers: dict[str, int], bare: bool) -> list[Token]:
        power, key = slot.groups()
        if key in ("0", "1"):
            digits = self._digits(args[int(key)])
            return _comma(digits) if bare else _bracket(digits)
        if key.isdigit():
            return _bracket(self._digits(args[int(key)]))
        return [Power(numbers[key]) if power else str(numbers[key])]

    def _left(self, op: str, results: Sequence[Value], width: int) -> Iterator[Token]:
        """Yield the left-hand side: one bracket, high part first, or one bracket for each number of a butterfly."""
        digits = [self._result(v) for v in results]
        if len(results) == 2 and "f" not in OPS[op].results and op != "mul":
            yield from (t for i, part in enumerate(digits) for t in ([", "] * bool(i) + _bracket(part)))
            return
        flat = [d for part in digits for d in part]
        while len(flat) > 1 and flat[0] in ("0", "_"):
            flat = flat[1:]
        yield from _bracket(flat)

    def _result(self, value: Value) -> list[Token]:
        return [t if t in ("0", "_") or isinstance(t, Symbol) else "0" for t in self._digits(value)]

    def _digits(self, value: Value) -> list[Token]:
        if value.kind == "flag":
            return [self._name(value)]
        if value.is_const:
            return [self._number(value.lo)]
        count = max(1, len(value.digits) * value.weight // self.names.level)
        return [self._name(v) for v in reversed(words(value, self.names.level, count))]

    def _number(self, value: int) -> str:
        return self.names.known.get(value) or number(value)

    def _name(self, value: Value) -> Token:
        if value.is_const:
            return self._number(value.lo)
        value = self.stands_for.get(id(value), value)
        if value not in self.names:
            return "_"
        symbol = self.names[value]
        level = self.names.level
        bits = max(level, -(-value.hi.bit_length() // level) * level) if value.kind == "word" else 1
        return Symbol(symbol.letter, symbol.digit, bits) if self.bits else symbol


def _without_zeros(text: str, op: str, args: Sequence[Value]) -> str:
    """Return the text without added zeros: ``a + 0 + δ`` becomes ``a + δ``."""
    if not op.startswith(("add", "sub")) or op.endswith("mod"):
        return text
    zeros = [i for i, arg in enumerate(args) if i and arg.is_const and arg.lo == 0]
    for i in zeros:
        text = re.sub(rf" [+-] \{{{i}\}}", "", text)
    return text


def number(number: int) -> str:
    """Return a constant as text, in decimal if it is small and otherwise in hexadecimal."""
    return str(number) if number < 1 << 16 else hex(number)


def _comma(digits: Sequence[Token]) -> list[Token]:
    return [t for i, digit in enumerate(_shortened(digits)) for t in ([", "] * bool(i) + [digit])]


def _bracket(digits: Sequence[Token]) -> list[Token]:
    return list(digits) if len(digits) == 1 else ["[", *_comma(digits), "]"]


def _shortened(digits: Sequence[Token]) -> list[Token]:
    """Return the limbs with long runs of one letter abbreviated, as in a₀, …, a₇."""
    result: list[Token] = []
    for run in _runs(digits):
        result += [run[0], "…", run[-1]] if len(run) >= LONG else run
    return result


def _runs(digits: Sequence[Token]) -> Iterator[list[Token]]:
    run: list[Token] = []
    for digit in digits:
        before = run[-1] if run else None
        follows = isinstance(before, Symbol) and isinstance(digit, Symbol) and before.letter == digit.letter
        if run and not (follows and _next(before, digit)):
            yield run
            run = []
        run.append(digit)
    if run:
        yield run


def _next(before: Token | None, digit: Token) -> bool:
    assert isinstance(before, Symbol) and isinstance(digit, Symbol)
    return before.digit is not None and digit.digit == before.digit + 1


def _merged(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Return the tokens with adjacent texts joined."""
    result: list[Token] = []
    for token in tokens:
        if isinstance(token, str) and result and isinstance(result[-1], str):
            result[-1] += token
        elif token != "":
            result.append(token)
    return tuple(result)
