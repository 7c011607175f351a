"""Corrections: a difference of several words and the selections by its borrow, which one statement prints.

A compiler may turn a selection in C into a branch. One statement of inline assembly has no branches, and it
reads the flag directly after the subtraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from momagen.ir import Instr, Value
from momagen.ir.order.dependences import Readers

HELD = 3
"""The largest number of words for which clang finds enough registers in one statement; beyond it, the
selections are a second statement."""


@dataclass(frozen=True, eq=False)
class MultiWord:
    """An operation on several words, which one statement prints.

    Attributes:
        op: The operation: "add" or "sub"; "select", which is a or b, as ``flag`` selects; "reduce", which is
            a - b, or a if a < b; "carried", which is the same for the number [flag, a]; or "restore", which
            is a - b, or a - b + q modulo 2^(64 words) if a < b.
        words: The arguments of each word, low word first: (a, b) or (a, b, q).
        results: The results, one for each word.
        flag: The flag that "select" and "carried" read, or None.
        carry: The carry that "add" or "sub" returns, or None.
        covers: The instructions that the statement replaces.
    """

    op: str
    words: tuple[tuple[Value, ...], ...]
    results: tuple[Value, ...]
    flag: Value | None
    carry: Value | None
    covers: tuple[Instr, ...]

    @property
    def calls(self) -> set[tuple[str, int]]:
        """The functions that the statement calls, as names and numbers of words."""
        words = len(self.words)
        apart = self.op in ("reduce", "carried") and words > HELD
        return {(self.op, words), ("select" if apart else self.op, words)}


def correction(links: Sequence[Instr], readers: Readers) -> MultiWord | None:
    """Return the correction that begins with the subtraction ``links``, or None if its borrow has other readers."""
    borrow = links[-1].results[0]
    if links[-1].op not in ("sub", "subb") or readers.outputs[id(borrow)]:
        return None
    flag, carry, covers = _flag(borrow, readers)
    choices = _choices(links, flag, readers)
    if choices is None:
        return None
    results, covers = tuple(choice.results[0] for choice in choices), (*links, *covers, *choices)
    if all(choice.args[1] is link.args[0] for link, choice in zip(links, choices, strict=True)):
        words = tuple(link.args[:2] for link in links)
        found = MultiWord("carried" if carry else "reduce", words, results, carry, None, covers)
        return found if all(readers.alone(link.results[1]) for link in links) else None
    sums = None if carry else _sums(links, choices, readers)
    if sums is None:
        return None
    words = tuple((*link.args[:2], _other(total, link)) for link, total in zip(links, sums, strict=True))
    return MultiWord("restore", words, results, None, None, (*covers, *sums))


def _flag(borrow: Value, readers: Readers) -> tuple[Value, Value | None, tuple[Instr, ...]]:
    """Return the flag that selects, the carry above all words or None, and the instructions that compute the flag.

    If there is a carry, the flag is the conjunction of the borrow and the negated carry.
    """
    both = readers.alone(borrow)
    if both is None or both.op != "and":
        return borrow, None, ()
    negated = next(arg for arg in both.args if arg is not borrow)
    inverse = readers.makers.get(id(negated))
    if inverse is None or inverse.op != "not":
        return borrow, None, ()
    return both.results[0], inverse.args[0], (both, inverse) if readers.alone(negated) is both else (both,)


def _choices(links: Sequence[Instr], flag: Value, readers: Readers) -> list[Instr] | None:
    """Return the selection by ``flag`` of each link's difference, or None if the flag has other readers."""
    found = {id(i.args[2]): i for i in readers.of(flag) if i.op == "select" and i.args[0] is flag}
    choices = [found.get(id(link.results[1])) for link in links]
    known = [choice for choice in choices if choice is not None]
    return known if len(known) == len(links) == len(readers.of(flag)) else None


def _sums(links: Sequence[Instr], choices: Sequence[Instr], readers: Readers) -> list[Instr] | None:
    """Return the additions whose results are the alternatives to the differences, low word first.

    The result is None if the alternatives are not such sums, or if the sums or the differences have other
    readers.
    """
    sums = list[Instr]()
    for link, choice in zip(links, choices, strict=True):
        difference, total = link.results[1], readers.makers.get(id(choice.args[1]))
        name = ("addc" if sums else "add") + "lo" * (link is links[-1])
        if total is None or total.op != name or difference not in total.args[:2]:
            return None
        chained = not sums or (total.args[2] is sums[-1].results[0] and readers.alone(total.args[2]) is total)
        read = readers.alone(total.results[-1]) is choice and len(readers.of(difference)) == 2
        if not chained or not read or readers.outputs[id(difference)]:
            return None
        sums.append(total)
    return sums


def _other(total: Instr, link: Instr) -> Value:
    """Return the number that ``total`` adds to the difference of ``link``."""
    a, b = total.args[:2]
    return b if a is link.results[1] else a
