"""Permutations of lanes by fixed moves, for targets that cannot permute two registers by any pattern.

A pattern states for every lane of the result which lane it takes: one of a, or one of b, whose lanes follow those of a.
The cheapest spelling is found among the target's own moves and all moves of their results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import prod

from momagen.errors import MomagenError, build_error

Pattern = tuple[int, ...]
"""The lane that each lane of the result takes, or ANY if it does not matter."""
ANY = -1
MOVES = 4096
"""The largest number of moves of one family, all of which are tried."""
PAIRS, ANY_MOVE = 2, 12
"""The cost of a move of pairs of lanes, which needs a register for the pattern, and of a move by any pattern."""
OPEN = 8
"""The largest number of lanes for which moves are computed for patterns with ANY; beyond it, only single moves are."""
Found = tuple[int, str]
"""The cost of a move, and its text over {a} and {b}."""


@dataclass(frozen=True)
class PermuteFamily:
    """A family of moves: one instruction with all its immediates.

    Attributes:
        text: The spelling, over {a}, {b} and the immediate {k}.
        takes: The choices for every part of the result; a choice is the lanes that this part takes.
        weights: The increment of the immediate for the next choice, for every part.
        cost: The cost, in comparison with other families.
    """

    text: str
    takes: tuple[tuple[Pattern, ...], ...]
    weights: tuple[int, ...]
    cost: int

    @property
    def lanes(self) -> str:
        """The choices, as a target file writes them."""
        return " ".join("|".join(",".join(map(str, choice)) for choice in choices) for choices in self.takes)

    def moves(self) -> Iterator[tuple[Pattern, int]]:
        """Yield every pattern with its immediate."""
        for picks in product(*map(range, map(len, self.takes))):
            chosen = zip(self.takes, picks, strict=True)
            pattern = tuple(lane for choices, pick in chosen for lane in choices[pick])
            yield pattern, sum(pick * weight for pick, weight in zip(picks, self.weights, strict=True))


def parse_permute(row: object, lanes: int, where: str) -> PermuteFamily:
    """Return the family of one row; its ``takes`` separates parts by blanks, choices by “|” and lanes by commas.

    Raises:
        MomagenError: The keys are wrong, or the lanes do not describe a permutation of two registers.
    """
    if not isinstance(row, dict) or not {"text", "takes"} <= set(row) <= {"text", "takes", "weights", "cost"}:
        raise MomagenError("a table with the keys text and takes, and optionally weights and cost", row, where)
    try:
        takes = tuple(tuple(_lanes(choice) for choice in part.split("|")) for part in str(row["takes"]).split())
    except ValueError:
        takes = ()
    weights, cost = row.get("weights", [0] * len(takes)), row.get("cost", 1)
    if (moves := prod(map(len, takes))) > MOVES:
        raise MomagenError(f"at most {MOVES} combinations of choices in `takes`", moves, where)
    whole = isinstance(weights, list) and all(type(weight) is int for weight in weights)
    if not whole or len(weights) != len(takes) or type(cost) is not int:
        expected = f"as many integers in `weights` as `takes` has parts ({len(takes)}), and an integer `cost`"
        raise MomagenError(expected, f"weights = {weights} and cost = {cost}", where)
    found = PermuteFamily(str(row["text"]), takes, tuple(weights), cost)
    for pattern, _ in found.moves():
        if len(pattern) != lanes or not set(pattern) <= set(range(2 * lanes)):
            expected = f"{lanes} lane number{'s' * (lanes > 1)} from 0 to {2 * lanes - 1} for every choice"
            raise MomagenError(expected, row["takes"], f"{where}, takes")
    return found


def _lanes(choice: str) -> Pattern:
    """Return the lanes of a choice."""
    return tuple(int(lane) for lane in choice.split(","))


@cache
def spell(
    wanted: Pattern, families: tuple[PermuteFamily, ...], pairs: str = "", *, deep: bool = True, other: str = ""
) -> Found:
    """Return the cost and the text, in terms of {a} and {b}, of the cheapest permutation that yields ``wanted``.

    Args:
        wanted: The pattern.
        families: The families of moves.
        pairs: The text of an instruction that moves pairs of lanes in any pattern {pairs}; "" if the target has none.
        deep: Whether to try moves of two registers that were themselves moved. Otherwise the result is (0, "") if no
            single move yields the pattern.
        other: The text of a permutation by any pattern {lanes}; "" if the target has none.

    Raises:
        MomagenError: Even a move of two moved registers does not yield the pattern.
    """
    halved = _halved(wanted)
    if halved and pairs:
        single = spell(wanted, families, deep=False)
        return single if single[1] else (PAIRS, pairs.replace("{pairs}", ", ".join(map(str, halved))))
    if halved and deep and len(wanted) > OPEN:
        coarse = tuple(family for family in map(_coarse, families) if family)
        return spell(halved, coarse, deep=deep, other=other.replace("{lanes}", ", ".join(map(str, wanted))))
    found = _spelled(families).get(wanted)
    if found is None and not deep:
        return 0, ""
    found = found or (_two_deep(wanted, families) if len(wanted) <= OPEN else None)
    if found is None and not other:
        problem = f"no move of at most two moved registers yields the lane pattern {', '.join(map(str, wanted))}"
        raise build_error(problem, "target, [permutes]", "add a family to [permutes], or `shuffle` to [moves]")
    return found or (ANY_MOVE, other)


def _halved(pattern: Pattern) -> Pattern:
    """Return ``pattern`` for lanes that are twice as long, or () if it separates the halves of one."""
    even, odd = pattern[::2], pattern[1::2]
    whole = len(pattern) > 1 and all(a % 2 == 0 and b == a + 1 for a, b in zip(even, odd, strict=True))
    return tuple(lane // 2 for lane in even) if whole else ()


@cache
def _coarse(family: PermuteFamily) -> PermuteFamily | None:
    """Return ``family`` for lanes that are twice as long, or None if it separates the halves of one."""
    takes = tuple(tuple(_halved(choice) for choice in choices) for choices in family.takes)
    return replace(family, takes=takes) if all(all(choices) for choices in takes) else None


def _two_deep(wanted: Pattern, families: tuple[PermuteFamily, ...]) -> Found | None:
    """Return the cheapest move of two registers that are at most one move away, or None."""
    known, best, made = _spelled(families), None, ""
    for family, pattern, k in _moves(families):
        sides = _needed(wanted, pattern) or ()
        found = [known[side] for side in sides if side in known]
        cost = family.cost + sum(spent for spent, _ in found)
        if len(found) == 2 and (best is None or cost < best):
            best, made = cost, _text(family, found[0][1], found[1][1], k)
    return None if best is None else (best, made)


@cache
def _moves(families: tuple[PermuteFamily, ...]) -> Sequence[tuple[PermuteFamily, Pattern, int]]:
    """Return every move of the families, with its pattern and its immediate."""
    return [(family, pattern, k) for family in families for pattern, k in family.moves()]


def _needed(wanted: Pattern, pattern: Pattern) -> tuple[Pattern, Pattern] | None:
    """Return the patterns of two arguments for which ``pattern`` yields ``wanted``, or None if there are none."""
    need = [ANY] * 2 * len(wanted)
    for lane, taken in zip(wanted, pattern, strict=True):
        if need[taken] not in (ANY, lane):
            return None
        need[taken] = lane
    return tuple(need[: len(wanted)]), tuple(need[len(wanted) :])


def _text(family: PermuteFamily, a: str, b: str, k: int) -> str:
    """Return the text of a move."""
    return family.text.format(a=a, b=b, k=k)


@cache
def _spelled(families: tuple[PermuteFamily, ...]) -> Mapping[Pattern, Found]:
    """Return the cheapest text of at most one move for each pattern, including patterns with ANY."""
    lanes = sum(len(choices[0]) for choices in families[0].takes)
    sources = {"{a}": tuple(range(lanes)), "{b}": tuple(range(lanes, 2 * lanes))}
    moves = [(0, name, pattern) for name, pattern in sources.items()]
    for (a, left), (b, right) in product(sources.items(), repeat=2):
        for family, own, k in _moves(families):
            moves.append((family.cost, _text(family, a, b, k), tuple((left + right)[lane] for lane in own)))
    found: dict[Pattern, Found] = {}
    for cost, text, pattern in sorted(moves):
        if pattern not in found:
            for asked in product(*((lane, ANY) for lane in pattern)) if lanes <= OPEN else [pattern]:
                found.setdefault(asked, (cost, text))
    return found
