"""Carry chains in PTX: instructions that hand their carry on to the next one, as one statement of inline assembly.

The carry flag of PTX lives from one instruction to the next; a flag that anything else reads becomes a register.
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
"""Links whose carries are borrows."""
SUMS = ({"add", "addc"}, {"addclo"}), ({"sub", "subb"}, {"subblo"})
"""Two words of a sum, or a difference, of two numbers."""
LETTERS = "abcd"


@dataclass
class Chain:
    """Instructions of one statement. ``flag``: the carry that it leaves in a register, if something reads that."""

    instrs: list[Instr] = field(default_factory=list)
    flag: Value | None = None


def _carry(instr: Instr, value: Value) -> Value | None:
    return value if instr.op in LINKS and value.kind == "flag" and not value.is_const else None


def carry_in(instr: Instr) -> Value | None:
    """The carry that an instruction takes; None for none."""
    return _carry(instr, instr.args[-1])


def carry_out(instr: Instr) -> Value | None:
    """The carry that it gives; None for none."""
    return _carry(instr, instr.results[0])


def _always(instr: Instr, target: Target) -> bool:
    """Whether it has no other spelling than that of a link."""
    return instr.op in LINKS and not target.ops[instr.op].results


def gathered(block: Block, target: Target) -> Iterator[Chain | Instr]:
    """The instructions of ``block``, those of one carry chain together.

    Raises:
        MomagenError: a carry within a chain is read by something else, too.
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
    """One statement: its operands, and its lines, in which %n is operand n.

    Attributes:
        made, given: by a value's id, the registers of its results, and those that it reads. lines: rows of the target,
            with the operands and the texts that stand between their braces.
    """

    def __init__(self, target: Target, name: Callable[[Value], str], fresh: Callable[[], str]) -> None:
        self.target, self.name, self.fresh = target, name, fresh
        self.made, self.given = dict[int, str](), dict[int, str]()
        self.lines = list[tuple[str, Mapping[str, str], Mapping[str, str]]]()

    def put(self, row: str, operands: Mapping[str, str], *, takes: bool = False, gives: bool = False) -> None:
        """Append an instruction, which takes a carry or gives one."""
        carries = self.target.carries
        self.lines.append((row, operands, {"in": carries["in"] * takes, "out": carries["out"] * gives}))

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
        found = self.made.get(id(value)) or self.given.get(id(value))
        if found is None:
            self.given[id(value)] = found = self.name(value)
        return found

    def words(self, instr: Instr, letters: str = LETTERS) -> dict[str, str]:
        """What an instruction reads beside flags, by letter."""
        return {letter: self.operand(a) for letter, a in zip(letters, instr.args, strict=False) if a.kind != "flag"}

    def statement(self) -> list[str]:
        """Its text, after the declaration of its results."""
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
    """The lines of one statement, and the names of its results."""
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
    """Whether a chain ends with two words of a sum, or a difference, of two numbers."""
    if len(chain.instrs) < 2 or chain.flag is not None:
        return False
    low, high = (instr.op for instr in chain.instrs[-2:])
    return any(low in lows and high in highs for lows, highs in SUMS)
