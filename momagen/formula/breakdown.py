"""Breakdown: transforms expanded by rules/breakdown.toml, by the data flows that rules/algorithms.toml names."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from momagen.data import folder
from momagen.errors import MomagenError, among
from momagen.tables import read_toml

from .atoms import Scale
from .breakdown_rules import AT_ONCE, BreakdownRule, rules
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


def expand(formula: Formula, choose: Choose, *, dense: bool = False) -> Formula:
    """``formula`` with every transform broken down as ``choose`` says, until it answers None.

    Raises MomagenError for a rule that does not apply, a choice that goes in a circle, and a transform outside RADICES
    that is kept, unless what is kept may be ``dense``.
    """
    if isinstance(formula, Join):
        return type(formula)(*(expand(part, choose, dense=dense) for part in formula.parts))
    return _expand(formula, choose, (), dense)


def _expand(node: Formula, choose: Choose, above: tuple[Transform, ...], dense: bool) -> Formula:
    if not isinstance(node, Transform):
        return node
    choice, inside = choose(node), (*above, node)
    if choice is None and node.n not in RADICES and not dense:
        raise MomagenError(f"a rule for {node}, or a kernel of size {KERNELS}", "neither", "breakdown")
    if node in above:
        raise MomagenError("a finite breakdown", f"{node} within itself", "breakdown", " → ".join(map(str, above)))
    if choice is None:
        return node
    return named_rule(choice[0]).rewrite(node, choice[1], lambda leaf: _expand(leaf, choose, inside, dense))


class Derivation(NamedTuple):
    """One application of a rule: ``node`` = ``formula``, where transforms may be left."""

    rule: BreakdownRule
    node: Transform
    formula: Formula


def derivation(formula: Formula, choose: Choose, *, dense: bool = False) -> list[Derivation]:
    """The applications of rules that :func:`expand` makes of ``formula``, each once, the first one first."""
    found: dict[Transform, Derivation] = {}

    def noted(node: Transform) -> tuple[str, int] | None:
        if (choice := choose(node)) and node not in found:
            rule = named_rule(choice[0])
            found[node] = Derivation(rule, node, rule.rewrite(node, choice[1]))
        return choice

    expand(formula, noted, dense=dense)
    return [*found.values()]


def named_rule(name: str) -> BreakdownRule:
    """The rule of that name; MomagenError where there is none."""
    if name not in rules():
        raise among("one of", rules(), name, "breakdown rule")
    return rules()[name]


FILE = "algorithms.toml"
RING = "ring"
"""Ring splitting in place: the default where the result may be in bit-reversed order."""


class Algorithm(NamedTuple):
    """A data flow: what people call it, and its rules, of which the first that applies is taken."""

    title: str
    rules: list[str]
    kernels: str = "butterflies"


FLOWS = {name: Algorithm(**row) for name, row in read_toml(folder("rules") / FILE, "data flows in TOML", FILE).items()}
ALGORITHMS = {name: each for name, each in FLOWS.items() if each.kernels != "dense"}
DENSE = "three_step"
"""The data flow whose kernels are matrices."""


def breakdown(algorithm: str, radix: int, even: bool = False) -> Choose:
    """The choice of rules that leaves kernels of ``radix`` points, and one smaller where n is no power of the radix;
    ``even``: as few, none more than twice as large as another.

    Raises MomagenError where there is no such data flow.
    """
    if algorithm not in FLOWS:
        raise among("one of", ALGORITHMS, algorithm, "algorithm")
    tried = [named_rule(name) for name in FLOWS[algorithm].rules]

    def choose(node: Transform) -> tuple[str, int] | None:
        rest = leftover(node.n, radix)
        step = radix if rest == 1 else _even(node.n, radix) if even else rest
        fit = (rule for rule in tried if rest == 1 or rule.when != AT_ONCE)
        return next(((rule.name, step) for rule in fit if rule.match(node, step) is not None), None)

    return choose


def _even(n: int, radix: int) -> int:
    """The points of the first kernel where there are as few as can be of at most ``radix`` points, all powers of 2."""
    levels, most = n.bit_length() - 1, radix.bit_length() - 1
    return 1 << levels // -(-levels // most)


def asked(
    algorithm: str, n: int, radix: int, *, inverse: bool = False, negacyclic: bool = False, natural: bool = False,
    even: bool = False,
) -> tuple[Formula, Choose]:  # fmt: skip
    """The transform that `expand` breaks down, order and ring as in `specification`, and how ``algorithm`` does it."""
    turn = Fraction(1, 2) if negacyclic else Fraction(0)
    return specification(n, turn, inverse=inverse, natural=natural), breakdown(algorithm, radix, even)
