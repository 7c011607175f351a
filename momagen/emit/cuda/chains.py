"""Carry chains in PTX: instructions that hand their carry on to the next one, as one statement of inline assembly.

The carry flag of PTX lives from one instruction to the next; a flag that anything else reads becomes a register.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from momagen.errors import MomagenError
from momagen.ir import Block, Instr, Value

ROWS = {
    **dict.fromkeys(("add", "addc", "addlo", "addclo"), "add{c}{cc}.u32 {r}, {0}, {1};"),
    **dict.fromkeys(("sub", "subb", "sublo", "subblo"), "sub{c}{cc}.u32 {r}, {0}, {1};"),
    "mad_low": "mad{c}.lo{cc}.u32 {r}, {0}, {1}, {2};", "mad_high": "mad{c}.hi{cc}.u32 {r}, {0}, {1}, {2};",
    "word": "addc.u32 {r}, 0, 0;", "subbif": "mov.u32 {r}, {1}; @p sub{c}.cc.u32 {r}, {r}, {2};",
}  # fmt: skip
"""PTX of an operation on its arguments by number; {c} and {cc} where it takes and gives a carry."""
TAKES = {"addc": 2, "addclo": 2, "subb": 2, "subblo": 2, "mad_low": 3, "mad_high": 3, "word": 0, "subbif": 3}
"""Which argument is the carry in."""
GIVES = frozenset({"add", "addc", "sub", "subb", "mad_low", "mad_high", "subbif"})
"""Operations whose first result is a carry."""
ALWAYS = frozenset({"addc", "subb", "mad_low", "mad_high", "subbif"})
"""Those that have no other spelling."""
BORROWS = frozenset({"sub", "subb", "sublo", "subblo", "subbif"})


@dataclass
class Chain:
    """Instructions of one statement. ``flag``: the carry that it leaves in a register, if something reads that."""

    instrs: list[Instr] = field(default_factory=list)
    flag: Value | None = None


def carry_in(instr: Instr) -> Value | None:
    """The carry that an instruction takes; None for none."""
    flag = instr.args[TAKES[instr.op]] if instr.op in TAKES else None
    return None if flag is None or flag.is_const else flag


def carry_out(instr: Instr) -> Value | None:
    """The carry that it gives; None for none."""
    return instr.results[0] if instr.op in GIVES and not instr.results[0].is_const else None


def gathered(block: Block) -> Iterator[Chain | Instr]:
    """The instructions of ``block``, those of one carry chain together.

    Raises:
        MomagenError: a carry within a chain is read by something else, too.
    """
    readers = Counter(id(a) for instr in block.instrs for a in instr.args if a.kind == "flag")
    chain = Chain()
    for instr, following in zip(block.instrs, [*block.instrs[1:], None], strict=True):
        flag = carry_out(instr)
        goes_on = flag is not None and following is not None and carry_in(following) is flag
        if not (chain.instrs or goes_on or instr.op in ALWAYS):
            yield instr
            continue
        chain.instrs.append(instr)
        if goes_on:
            if readers[id(flag)] > 1:
                raise MomagenError("a carry that the next instruction alone reads", instr.op, "carry chains")
            continue
        if flag is not None and readers[id(flag)]:
            chain.flag = flag
        yield chain
        chain = Chain()


class Assembly:
    """One statement: its operands, and its lines, in which %n is operand n."""

    def __init__(self, name: Callable[[Value], str], fresh: Callable[[], str]) -> None:
        self.name, self.fresh = name, fresh
        self.made, self.given = dict[int, str](), dict[int, str]()
        self.lines = list[tuple[str, tuple[str, ...]]]()
        self.predicate: Value | None = None

    def put(self, row: str, result: str, args: Sequence[str]) -> None:
        """Append an instruction."""
        self.lines.append((row, (result, *args)))

    def result(self, value: Value) -> str:
        """A new register for ``value``."""
        self.made[id(value)] = found = self.fresh()
        return found

    def spare(self) -> str:
        """A new register that nothing reads."""
        name = self.fresh()
        self.made[-len(self.made) - 1] = name
        return name

    def operand(self, value: Value) -> str:
        """A register of the statement, one that it is given, or a number."""
        if value.is_const:
            return hex(value.lo)
        if id(value) not in self.made:
            self.given.setdefault(id(value), self.name(value))
        return self.made.get(id(value)) or self.given[id(value)]

    def statement(self) -> list[str]:
        """Its text, after the declaration of its results."""
        numbers = {name: f"%{at}" for at, name in enumerate([*self.made.values(), *self.given.values()])}
        texts = [row.format(*(numbers.get(a, a) for a in args)) for row, args in self.lines]
        if self.predicate is not None:
            texts = ["{ .reg .pred p; " f"setp.ne.u32 p, {numbers[self.operand(self.predicate)]}, 0;", *texts, "}"]
        out = ", ".join(f'"=r"({each})' for each in self.made.values())
        given = ", ".join(f'"r"({each})' for each in self.given.values())
        first, *rest = [f'"{text}\\n\\t"' for text in texts]
        declared = f"uint32_t {', '.join(self.made.values())};"
        return [declared, f"asm({first}", *[f"    {line}" for line in rest], f"    : {out} : {given});"]


def assembly(chain: Chain, name: Callable[[Value], str], fresh: Callable[[], str]) -> tuple[list[str], dict[int, str]]:
    """The lines of one statement, and the names of its results."""
    made = Assembly(name, fresh)
    if chain.instrs[0].op == "subbif":
        made.predicate = chain.instrs[0].args[0]
        made.operand(made.predicate)
    first = carry_in(chain.instrs[0])
    if first is not None:
        op = "sub.cc.u32 {0}, 0, {1};" if chain.instrs[0].op in BORROWS else "add.cc.u32 {0}, {1}, 0xffffffff;"
        made.put(op, made.spare(), [made.operand(first)])
    count = len(chain.instrs) - 2 * _pairs_up(chain)
    for at, instr in enumerate(chain.instrs[:count]):
        words = [made.operand(a) if a.kind != "flag" else "" for a in instr.args]
        gives = ".cc" * (at < len(chain.instrs) - 1 or chain.flag is not None)
        takes = "c" * (at > 0 or first is not None)
        row = ROWS[instr.op].replace("{c}", takes).replace("{cc}", gives)
        made.put(_numbered(row), made.result(instr.results[-1]), words)
    if count < len(chain.instrs):
        low, high = chain.instrs[count:]
        words = [made.operand(a) for instr in (low, high) for a in instr.args if a.kind != "flag"]
        results = [made.result(instr.results[-1]) for instr in (low, high)]
        op = "sub" if low.op in BORROWS else "add"
        made.put(PAIR.format(op=op, c="c" * (count > 0)), results[0], [results[1], *words])
    if chain.flag is not None:
        borrows = chain.instrs[-1].op in BORROWS
        result = made.result(chain.flag)
        made.put("subc.u32 {0}, 0, 0; and.b32 {0}, {0}, 1;" if borrows else "addc.u32 {0}, 0, 0;", result, [])
    return made.statement(), made.made


PAIR = (
    "{{{{ .reg .b64 a, b; mov.b64 a, {{{{{{2}}, {{4}}}}}}; mov.b64 b, {{{{{{3}}, {{5}}}}}}; {op}{c}.u64 a, a, b; "
    "mov.b64 {{{{{{0}}, {{1}}}}}}, a; }}}}"
)
"""The last two words of a sum as one of 64 bits, which assemblers join with another one of three terms."""
SUMS = ({"add", "addc"}, {"addclo"}), ({"sub", "subb"}, {"subblo"})


def _pairs_up(chain: Chain) -> bool:
    """Whether a chain ends with two words of a sum, or a difference, of two numbers."""
    if len(chain.instrs) < 2 or chain.flag is not None:
        return False
    low, high = (instr.op for instr in chain.instrs[-2:])
    return any(low in lows and high in highs for lows, highs in SUMS)


def _numbered(row: str) -> str:
    """``row`` with its result as operand 0 and arguments from 1 on."""
    for number in reversed(range(4)):
        row = row.replace(f"{{{number}}}", f"{{{number + 1}}}")
    return row.replace("{r}", "{0}")
