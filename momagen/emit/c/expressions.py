"""The printer of the expressions of a program in C."""

from __future__ import annotations

from dataclasses import dataclass, field

from momagen.program.expressions import Binary, Call, Choice, Element, Expr, Name, Number, Real, Same, Type
from momagen.targets import Target

LEVELS = [["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]
"""The binary operators of C by precedence, lowest first."""
PRECEDENCE = {op: level for level, ops in enumerate(LEVELS, 1) for op in ops}
SUMS, FACTORS, ORDERS = ("+", "-"), ("*", "/", "%"), ("==", "!=", "<", "<=", ">")
BARE = {
    **{op: {*SUMS, *FACTORS} for op in SUMS}, **{op: {*SUMS, *FACTORS, "<<", ">>"} for op in ORDERS}, "*": {"*"},
    "&&": {"&&", *ORDERS}, "|": {"|"}, "^": {"^"}, "&": {">>"}, ">>": set(), "<<": set(), "/": {"*"}, "%": set(),
}  # fmt: skip
"""For each operator, the operators that may occur in its operands without parentheses: those for which
compilers do not warn and readers know the precedence."""

PROMOTED, GROWING = 32, {"+", "-", "*", "<<"}
"""C promotes words of fewer than ``PROMOTED`` bits to int. The results of the operators ``GROWING`` may then
exceed a word and need a cast."""


@dataclass(frozen=True)
class ExpressionText:
    """The printer of expressions.

    Attributes:
        host: The target of words.
        used: The names of the variables that were printed.
    """

    host: Target
    used: set[str] = field(default_factory=set)
    count = "size_t"
    """The C type of counts."""

    @property
    def word(self) -> str:
        """The C type of a word."""
        return self.host.types["word"]

    def type(self, type: Type) -> str:
        """Return the C type that precedes the name in a declaration, with a space or a star at its end."""
        return {
            Type.COUNT: f"{self.count} ", Type.WORD: f"{self.word} ", Type.LONG: "uint64_t ",
            Type.WORDS: f"{self.word} *", Type.INPUT: f"const {self.word} *", Type.COUNTS: f"const {self.count} *",
            Type.ROWS: f"{self.word} *const *", Type.INPUT_ROWS: f"const {self.word} *const *",
            Type.SHORT_WORDS: "uint32_t *", Type.SHORT_INPUT: "const uint32_t *",
        }[type]  # fmt: skip

    def text(self, expr: Expr, alone: bool = True) -> str:
        """Return ``expr`` in C.

        Args:
            expr: The expression.
            alone: Whether no operator is next to the expression. Otherwise an expression with an operator is
                put in parentheses.
        """
        match expr:
            case Number():
                return self._number(expr)
            case Name():
                self.used.add(expr.text)
                return expr.text
            case Element():
                return f"{self.text(expr.pointer, False)}[{self.text(expr.at)}]"
            case Call():
                return f"{expr.name}({', '.join(map(self.text, expr.args))})"
            case Real():
                biased = f"((uint64_t){self.text(expr.twos, False)} + 1023) << 52"
                unit = f"((union {{ uint64_t w; double d; }}){{{biased}}}).d"
                found = f"(double)(int64_t){self.text(expr.value, False)} * {unit}"
                return f"((union {{ double d; uint64_t w; }}){{{found}}}).w"
            case Same():
                found = f"memcmp({self.text(expr.a)}, {self.text(expr.b)}, {self.bytes(expr.count)}) == 0"
            case Choice():
                found = f"{self._part(expr.test, '&&')} ? {self.text(expr.yes, False)} : {self.text(expr.no, False)}"
            case Binary():
                number = expr.op == "<<" and isinstance(expr.left, Number)
                cast = f"({self.type(expr.left.type).strip()})" * number
                left, right = self._part(expr.left, expr.op), self._part(expr.right, expr.op, right=True)
                found = f"{cast}{left} {expr.op} {right}"
                if self.host.word < PROMOTED and expr.type is Type.WORD and expr.op in GROWING:
                    return f"({self.word})((uint32_t){left} {expr.op} {right})"
            case _:
                raise TypeError(expr)
        return found if alone else f"({found})"

    def bytes(self, count: Expr) -> str:
        """Return an expression for the size of ``count`` words in bytes."""
        return f"sizeof({self.word}) * {self.text(count, False)}"

    def literal(self, value: int) -> str:
        """Return the literal of a word."""
        return str(value) if value < 1 << 31 else self.host.types["const"].format(x=value)

    def declared(self, name: Name, fixed: bool = False) -> str:
        """Return the declaration of ``name`` without a semicolon; with ``fixed``, it is const."""
        before, behind = ("", "const ") if name.type.pointer else ("const ", "")
        return f"{before * fixed}{self.type(name.type)}{behind * fixed}{name.text}"

    def _part(self, expr: Expr, op: str, right: bool = False) -> str:
        """Return ``expr`` as an operand of ``op``, in parentheses if necessary.

        Args:
            expr: The operand.
            op: The operator.
            right: Whether ``expr`` is the right operand.
        """
        own = expr.op if isinstance(expr, Binary) else "==" if isinstance(expr, Same) else ""
        if not own:
            return self.text(expr, not isinstance(expr, Choice))
        return self.text(expr, own in BARE[op] and PRECEDENCE[own] - right >= PRECEDENCE[op])

    def _number(self, expr: Number) -> str:
        """Return a number as a literal of its type."""
        if expr.type is Type.WORD:
            return self.literal(expr.value)
        if expr.value < 1 << 31:
            return str(expr.value)
        return f"UINT64_C({expr.value:#x})" if expr.type is Type.LONG else f"({self.count})UINT64_C({expr.value})"
