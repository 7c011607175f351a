"""Corrections: a difference of several words and what its borrow chooses, gathered so that one statement prints them.

Written out, a choice by a flag is the compiler's to make a branch of; one statement of assembly is not, and reads the
flag where the subtraction left it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from momagen.ir import Block, Instr, Value, leaves

HELD = 3
"""The most words that clang finds registers for in one statement; of more, the choices are a statement of their own."""


@dataclass(frozen=True, eq=False)
class Correction:
    """A subtraction of words, low word first, and the choice that its borrow makes.

    Attributes:
        op: "reduce": a - b, or a where a < b; "carried": the same of [carry, a]; "restore": a - b, or a - b + q modulo
            2^(64 words) where a < b.
        words: the arguments of each word, (a, b) or (a, b, q). results: one a word. carry: the flag above all words.
        covers: the instructions that the statement stands for.
    """

    op: str
    words: tuple[tuple[Value, ...], ...]
    results: tuple[Value, ...]
    carry: Value | None
    covers: tuple[Instr, ...]

    @property
    def calls(self) -> set[tuple[str, int]]:
        """The statements that it is printed with, and of how many words."""
        words = len(self.words)
        apart = self.op != "restore" and words > HELD
        return {(self.op, words), ("select" if apart else self.op, words)}


class Readers:
    """Who reads each value of a block."""

    def __init__(self, block: Block) -> None:
        self.outputs = Counter(id(word) for value in block.outputs.values() for word in leaves(value))
        self.makers = {id(result): instr for instr in block.instrs for result in instr.results}
        self._readers: dict[int, list[Instr]] = defaultdict(list)
        for instr in block.instrs:
            for arg in instr.args:
                self._readers[id(arg)].append(instr)

    def of(self, value: Value) -> list[Instr]:
        """The instructions that read ``value``, once for each time."""
        return self._readers[id(value)]

    def alone(self, value: Value) -> Instr | None:
        """The only reader of ``value``, where it has no other and is no output."""
        readers = self.of(value)
        return readers[0] if len(readers) == 1 and not self.outputs[id(value)] else None


def correction(links: Sequence[Instr], readers: Readers) -> Correction | None:
    """What the borrow of the subtraction ``links`` decides, where that is all it does, and a correction."""
    last = links[-1]
    if last.op not in ("sub", "subb") or readers.outputs[id(last.results[0])]:
        return None
    covers, carry, flag = list(links), None, last.results[0]
    if (both := readers.alone(flag)) and both.op == "and":
        negated = next(arg for arg in both.args if arg is not flag)
        if negated.is_const or (inverse := readers.makers.get(id(negated))) is None or inverse.op != "not":
            return None
        covers, carry, flag = [*covers, both], inverse.args[0], both.results[0]
        covers += [inverse] * (readers.alone(negated) is both)
    choices = _choices(links, flag, readers)
    if choices is None:
        return None
    results, covers = tuple(choice.results[0] for choice in choices), [*covers, *choices]
    if all(choice.args[1] is link.args[0] for link, choice in zip(links, choices, strict=True)):
        if not all(readers.alone(link.results[1]) for link in links):
            return None
        words = tuple(link.args[:2] for link in links)
        return Correction("carried" if carry else "reduce", words, results, carry, tuple(covers))
    sums = None if carry else _sums(links, choices, readers)
    if sums is None:
        return None
    words = tuple((*link.args[:2], _other(total, link)) for link, total in zip(links, sums, strict=True))
    return Correction("restore", words, results, None, (*covers, *sums))


def _choices(links: Sequence[Instr], flag: Value, readers: Readers) -> list[Instr] | None:
    """For every link the choice by ``flag`` between something and its difference, where nothing else reads the flag."""
    found = {id(i.args[2]): i for i in readers.of(flag) if i.op == "select" and i.args[0] is flag}
    choices = [found.get(id(link.results[1])) for link in links]
    known = [choice for choice in choices if choice is not None]
    return known if len(known) == len(links) == len(readers.of(flag)) else None


def _sums(links: Sequence[Instr], choices: Sequence[Instr], readers: Readers) -> list[Instr] | None:
    """The additions, low word first, that give what ``choices`` take beside the difference; read by them alone."""
    sums, carry = list[Instr](), None
    for at, (link, choice) in enumerate(zip(links, choices, strict=True)):
        total = readers.makers.get(id(choice.args[1]))
        names = ("add" if at == 0 else "addc", "addlo" if at == 0 else "addclo")
        last = at == len(links) - 1
        if total is None or total.op != names[last] or link.results[1] not in total.args[:2]:
            return None
        chained = at == 0 or total.args[2] is carry
        read = readers.alone(total.results[-1]) is choice and len(readers.of(link.results[1])) == 2
        if not chained or not read or readers.outputs[id(link.results[1])]:
            return None
        if not last:
            carry = total.results[0]
            if readers.alone(carry) is None:
                return None
        sums.append(total)
    return sums


def _other(total: Instr, link: Instr) -> Value:
    """What ``total`` adds to the difference of ``link``."""
    a, b = total.args[:2]
    return b if a is link.results[1] else a
