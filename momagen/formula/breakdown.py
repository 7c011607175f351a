"""Breakdown: transforms expanded by the rules of rules/breakdown.toml, and the data flows that choose among these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from momagen.errors import MomagenError, among

from .atoms import Scale
from .breakdown_rules import BreakdownRule, rules
from .expression import Compose, Formula, Join
from .transforms import KERNELS, NTT, RADICES, Ring, Transform, leftover

Choose = Callable[[Transform], tuple[str, int] | None]
"""How to break a transform down: the rule's name and the radix r (ignored by rules without r); None keeps a kernel."""


def specification(n: int, turn: Fraction = Fraction(0), *, inverse: bool = False, natural: bool = False) -> Formula:
    """The transform modulo x^n − e(turn) (0: cyclic, 1/2: negacyclic), the inverse with its 1/n.

    Forward: natural order in, bit-reversed out; inverse: the reverse; ``natural``: natural order both ways.
    """
    core = NTT(n, inverse, turn) if natural else Ring(n, turn, inverse)
    return Compose(Scale(n), core) if inverse else core


def expand(formula: Formula, choose: Choose) -> Formula:
    """``formula`` with every transform broken down as ``choose`` says, until it answers None.

    Raises MomagenError for a rule that does not apply, a choice that goes in a circle, and a transform outside RADICES
    that is kept.
    """
    if isinstance(formula, Join):
        return type(formula)(*(expand(part, choose) for part in formula.parts))
    return _expand(formula, choose, ())


def _expand(node: Formula, choose: Choose, above: tuple[Transform, ...]) -> Formula:
    if not isinstance(node, Transform):
        return node
    choice, inside = choose(node), (*above, node)
    if choice is None and node.n not in RADICES:
        raise MomagenError(f"a rule for {node}, or a kernel of size {KERNELS}", "no choice", "breakdown")
    if node in above:
        raise MomagenError("a breakdown that ends", f"{node} within itself", "breakdown", " → ".join(map(str, above)))
    if choice is None:
        return node
    return _named(choice[0]).rewrite(node, choice[1], lambda leaf: _expand(leaf, choose, inside))


class Derivation(NamedTuple):
    """One application of a rule: ``node`` = ``formula``, where transforms may be left."""

    rule: BreakdownRule
    node: Transform
    formula: Formula


def derivation(formula: Formula, choose: Choose) -> list[Derivation]:
    """The applications of rules that :func:`expand` makes of ``formula``, each once, the first one first."""
    found: dict[Transform, tuple[str, int]] = {}

    def noted(node: Transform) -> tuple[str, int] | None:
        choice = choose(node)
        if choice:
            found.setdefault(node, choice)
        return choice

    expand(formula, noted)
    applied = ((_named(name), node, radix) for node, (name, radix) in found.items())
    return [Derivation(rule, node, rule.rewrite(node, radix)) for rule, node, radix in applied]


def _named(name: str) -> BreakdownRule:
    if name not in rules():
        raise MomagenError(f"one of {', '.join(rules())}", name, "breakdown rule")
    return rules()[name]


RING = "ring"
"""Ring splitting in place: the default where the result may be in bit-reversed order."""


@dataclass(frozen=True)
class Algorithm:
    """The rules of one data flow; those of the inverse transform have the same names with "_inverse".

    Attributes:
        iterative: takes n = r^k apart at once; "" where ``recursive`` does it step by step.
        recursive: splits off one radix, first the leftover one. title: what people call it.
        turned: take the forward transform and the inverse apart with the turn in their twiddles; "" where a twist
            comes before.
        core, reorder: the transform that the rules are for, and the rule that gets to it from the other order.
    """

    iterative: str
    recursive: str
    title: str
    turned: tuple[str, str] = ("", "")
    core: type[Transform] = NTT
    reorder: str = "natural_order"


ALGORITHMS = {
    RING: Algorithm(
        "", "rings_split", "ring splitting, in place", ("rings_split", "rings_split_inverse"), Ring, "bit_reversal"
    ),
    "cooley_tukey": Algorithm("iterative", "cooley_tukey_dit", "Cooley–Tukey, decimation in time"),
    "gentleman_sande": Algorithm("", "cooley_tukey_dif", "Gentleman–Sande, decimation in frequency"),
    "pease": Algorithm("pease", "cooley_tukey_dit", "Pease, constant geometry"),
    "korn_lambiotte": Algorithm("korn_lambiotte", "cooley_tukey_dit", "Korn–Lambiotte, constant geometry for vectors"),
    "stockham": Algorithm(
        "stockham", "four_step", "Stockham autosort, decimation in time", ("four_step_turned", "")
    ),
    "stockham_dif": Algorithm(
        "stockham_dif", "four_step_dif", "Stockham autosort, decimation in frequency", ("", "four_step_turned_inverse")
    ),
}


def check_algorithm(name: str) -> str:
    """``name``, or MomagenError where there is no such data flow."""
    if name not in ALGORITHMS:
        raise among("one of", ALGORITHMS, name, "algorithm")
    return name


def breakdown(algorithm: str, radix: int) -> Choose:
    """The choice of rules that leaves kernels of ``radix`` points, and one smaller where n is no power of the radix."""
    rules = ALGORITHMS[check_algorithm(algorithm)]

    def choose(node: Transform) -> tuple[str, int] | None:
        suffix = "_inverse" if node.inverse else ""
        if not isinstance(node, rules.core):
            return rules.reorder + suffix, 0
        turned = rules.turned[node.inverse]
        if node.turn and not turned:
            return "twist" + suffix, 0
        if node.n <= radix:
            return None
        rest = leftover(node.n, radix)
        at_once = rules.iterative if rest == 1 else ""
        name = turned if node.turn else (at_once or rules.recursive) + suffix
        return name, radix if rest == 1 else rest

    return choose


def asked(
    algorithm: str, n: int, radix: int, *, inverse: bool = False, negacyclic: bool = False, natural: bool = False
) -> tuple[Formula, Choose]:
    """The transform that `expand` breaks down, order and ring as in `specification`, and how ``algorithm`` does it."""
    turn = Fraction(1, 2) if negacyclic else Fraction(0)
    return specification(n, turn, inverse=inverse, natural=natural), breakdown(algorithm, radix)
