"""Carry chains in PTX, which one statement of inline assembly contains.

The carry flag of PTX passes from one instruction to the next one only. If another instruction reads it, it is
copied to a register.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from momagen.errors import MomagenError
from momagen.ir import Block, Instr, Value
from momagen.targets import Target
from momagen.targets.links import LINKS

BORROWS = frozenset({"sub", "subb", "sublo", "subblo", "subbif"})
"""The links whose carries are borrows."""
SUMS = ({"add", "addc"}, {"addclo"}), ({"sub", "subb"}, {"subblo"})
"""The operations on the low word and on the high word of a sum, and of a difference, of two-word numbers."""
LETTERS = "abcd"


@dataclass
class Chain:
    """The instructions of one statement.

    Attributes:
        instrs: The instructions.
        flag: The carry that the statement copies to a register because a later instruction reads it, or None.
    """

    instrs: list[Instr] = field(default_factory=list)
    flag: Value | None = None


def _carry(instr: Instr, value: Value) -> Value | None:
    """Return ``value`` if it is a carry of a link and not a constant, or else None."""
    return value if instr.op in LINKS and value.kind == "flag" and not value.is_const else None


def carry_in(instr: Instr) -> Value | None:
    """Return the carry that an instruction reads, or None."""
    return _carry(instr, instr.args[-1])


def carry_out(instr: Instr) -> Value | None:
    """Return the carry that an instruction writes, or None."""
    return _carry(instr, instr.results[0])


def _always(instr: Instr, target: Target) -> bool:
    """Return whether the target spells an instruction only as a link of a chain."""
    return instr.op in LINKS and not target.ops[instr.op].results


def gathered(block: Block, target: Target) -> Iterator[Chain | Instr]:
    """Yield the instructions of ``block``, with those of each carry chain as one :class:`Chain`.

    Raises:
        MomagenError: Another instruction reads a carry within a chain.
    """
    readers = Counter(id(a) for instr in block.instrs for a in instr.args if a.kind == "flag")
    chain = Chain()
    for instr, following in zip(block.instrs, [*block.instrs[1:], None], strict=False):
        flag = carry_out(instr)
        goes_on = flag is not None and following is not None and carry_in(following) is flag
        if not (chain.instrs or goes_on or _always(instr, target)):
            yield instr
            continue
        chain.instrs.append(instr)
        if goes_on:
            if readers[id(flag)] > 1:
                raise MomagenError("a carry that only the next instruction reads", instr.op, "carry chains")
            continue
        if flag is not None and readers[id(flag)]:
            chain.flag = flag
        yield chain
        chain = Chain()


class Assembly:
    """One statement of inline assembly: its operands, and its lines, in which %n is operand n.

    Attributes:
        target: The target.
        name: The function that returns the register of a value.
        fresh: The function that returns a new name.
        made: The registers of results, by the ids of the values.
        given: The registers that the statement reads, by the ids of the values.
        lines: The lines: the target's text, its operands, and the texts of its other placeholders.
    """

    def __init__(self, target: Target, name: Callable[[Value], str], fresh: Callable[[], str]) -> None:
        self.target, self.name, self.fresh = target, name, fresh
        self.made, self.given = dict[int, str](), dict[int, str]()
        self.lines = list[tuple[str, Mapping[str, str], Mapping[str, str]]]()

    def put(self, row: str, operands: Mapping[str, str], *, takes: bool = False, gives: bool = False) -> None:
        """Append an instruction.

        Args:
            row: The target's text of the instruction.
            operands: The registers and numbers by placeholder.
            takes: Whether it reads the carry flag.
            gives: Whether it writes the carry flag.
        """
        carries = self.target.carries
        self.lines.append((row, operands, {"in": carries["in"] * takes, "out": carries["out"] * gives}))

    def result(self, value: Value) -> str:
        """Return a new register for ``value``."""
        self.made[id(value)] = found = self.fresh()
        return found

    def spare(self) -> str:
        """Return a new register that nothing reads."""
        name = self.fresh()
        self.made[-len(self.made) - 1] = name
        return name

    def operand(self, value: Value) -> str:
        """Return the text of an operand: a register of the statement, an input, or a number."""
        if value.is_const:
            return hex(value.lo)
        found = self.made.get(id(value)) or self.given.get(id(value))
        if found is None:
            self.given[id(value)] = found = self.name(value)
        return found

    def words(self, instr: Instr, letters: str = LETTERS) -> dict[str, str]:
        """Return the operands of an instruction except flags, by letter."""
        return {letter: self.operand(a) for letter, a in zip(letters, instr.args, strict=False) if a.kind != "flag"}

    def statement(self) -> list[str]:
        """Return the lines of the statement, which the declaration of its results precedes."""
        types = self.target.types
        numbers = {name: f"%{at}" for at, name in enumerate([*self.made.values(), *self.given.values()])}
        texts = [
            row.format(**fixed, **{slot: numbers.get(each, each) for slot, each in operands.items()})
            for row, operands, fixed in self.lines
        ]
        out = ", ".join(f'"={types["word_in"]}"({each})' for each in self.made.values())
        given = ", ".join(f'"{types["word_in"]}"({each})' for each in self.given.values())
        first, *rest = [f'"{text}\\n\\t"' for text in texts]
        declared = f"{types['word']} {', '.join(self.made.values())};"
        return [declared, f"asm({first}", *[f"    {line}" for line in rest], f"    : {out} : {given});"]


def assembly(
    chain: Chain, target: Target, name: Callable[[Value], str], fresh: Callable[[], str]
) -> tuple[list[str], dict[int, str]]:
    """Return the lines of the statement for a chain, and the registers of its results by the ids of the values.

    Args:
        chain: The chain.
        target: The target.
        name: The function that returns the register of a value.
        fresh: The function that returns a new name.
    """
    made, rows = Assembly(target, name, fresh), target.carries
    begin, end = chain.instrs[0], chain.instrs[-1]
    if begin.op == "subbif":
        made.put(rows["condition"], {"a": made.operand(begin.args[0])})
    flag = carry_in(begin)
    if flag is not None:
        row = rows["load_borrow" if begin.op in BORROWS else "load_carry"]
        made.put(row, {"r": made.spare(), "a": made.operand(flag)})
    count = len(chain.instrs) - 2 * _pairs_up(chain)
    for at, instr in enumerate(chain.instrs[:count]):
        operands = {**made.words(instr), "r": made.result(instr.results[-1])}
        gives = instr is not end or chain.flag is not None
        made.put(target.ops[instr.op].link, operands, takes=at > 0 or flag is not None, gives=gives)
    if count < len(chain.instrs):
        low, high = chain.instrs[count:]
        operands = {**made.words(low, "ab"), **made.words(high, "cd")}
        operands |= {"low": made.result(low.results[-1]), "high": made.result(high.results[-1])}
        made.put(rows["pair_sub" if low.op in BORROWS else "pair_add"], operands, takes=count > 0 or flag is not None)
    if chain.flag is not None:
        made.put(rows["keep_borrow" if end.op in BORROWS else "keep_carry"], {"r": made.result(chain.flag)})
    if begin.op == "subbif":
        made.put(rows["condition_end"], {})
    return made.statement(), made.made


def _pairs_up(chain: Chain) -> bool:
    """Return whether a chain ends with a sum or a difference of two-word numbers."""
    if len(chain.instrs) < 2 or chain.flag is not None:
        return False
    low, high = (instr.op for instr in chain.instrs[-2:])
    return any(low in lows and high in highs for lows, highs in SUMS)
