"""The breakdown of transforms by rules/breakdown.toml, in the data flows of rules/algorithms.toml."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from operator import mul
from typing import NamedTuple

from momagen.data import folder
from momagen.errors import MomagenError, among
from momagen.tables import read_toml

from .atoms import Scale
from .breakdown_rules import AT_ONCE, BreakdownRule, rules
from .expression import Compose, Formula, Join
from .transforms import KERNELS, NTT, RADICES, Ring, Transform, leftover

Choose = Callable[[Transform], tuple[str, int] | None]
"""A function that decides how a transform is broken down.

It returns the name of a rule and the radix r, which rules without r ignore, or None if the transform remains
as a kernel.
"""


def specification(n: int, turn: Fraction = Fraction(0), *, inverse: bool = False, natural: bool = False) -> Formula:
    """Return the transform modulo x^n − e(turn), including the factor 1/n if it is an inverse transform.

    Args:
        n: The number of points, a power of two.
        turn: The turn: 0 for a cyclic transform, 1/2 for a negacyclic one.
        inverse: Whether it is the inverse transform.
        natural: Whether the values are in natural order instead of bit-reversed order. Coefficients always
            are.
    """
    core = NTT(n, inverse, turn) if natural else Ring(n, turn, inverse)
    return Compose(Scale(n), core) if inverse else core


def expand(formula: Formula, choose: Choose, *, dense: bool = False) -> Formula:
    """Return a formula with each of its transforms broken down until only kernels are left.

    Args:
        formula: The formula.
        choose: The function that chooses a rule for each transform.
        dense: Whether transforms of any size may be kernels.

    Raises:
        MomagenError: A chosen rule does not apply, the choices lead to a transform within itself, or a
            transform whose size is not in ``RADICES`` is left as a kernel although ``dense`` is False.
    """
    if isinstance(formula, Join):
        return type(formula)(*(expand(part, choose, dense=dense) for part in formula.parts))
    return _expand(formula, choose, (), dense)


def _expand(node: Formula, choose: Choose, above: tuple[Transform, ...], dense: bool) -> Formula:
    """Return the expansion of one node, which occurs in the expansions of the transforms ``above``."""
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
    """One application of a rule.

    Attributes:
        rule: The rule.
        node: The transform to which it was applied.
        formula: The result, a formula that equals the transform and may contain further transforms.
    """

    rule: BreakdownRule
    node: Transform
    formula: Formula


def derivation(formula: Formula, choose: Choose, *, dense: bool = False) -> list[Derivation]:
    """Return the applications of rules by which :func:`expand` transforms a formula.

    Each application occurs once, in the order of its first use; see :func:`expand` for the arguments.
    """
    found: dict[Transform, Derivation] = {}

    def noted(node: Transform) -> tuple[str, int] | None:
        if (choice := choose(node)) and node not in found:
            rule = named_rule(choice[0])
            found[node] = Derivation(rule, node, rule.rewrite(node, choice[1]))
        return choice

    expand(formula, noted, dense=dense)
    return [*found.values()]


def named_rule(name: str) -> BreakdownRule:
    """Return the breakdown rule with the given name.

    Raises:
        MomagenError: There is no such rule.
    """
    if name not in rules():
        raise among("one of", rules(), name, "breakdown rule")
    return rules()[name]


FILE = "algorithms.toml"
RING = "ring"
"""The data flow that splits rings in place. It is the default for values in bit-reversed order."""


class Algorithm(NamedTuple):
    """A data flow.

    Attributes:
        title: Its common name.
        rules: The names of its rules. The first rule that applies to a transform breaks it down.
        kernels: The kind of its kernels, which is "butterflies", or "dense" for matrices of any size.
    """

    title: str
    rules: list[str]
    kernels: str = "butterflies"


FLOWS = {name: Algorithm(**row) for name, row in read_toml(folder("rules") / FILE, "data flows in TOML", FILE).items()}
"""All data flows by name."""
ALGORITHMS = {name: each for name, each in FLOWS.items() if each.kernels != "dense"}
"""The data flows whose kernels are butterflies, which are the values of the option ``--algorithm``."""
DENSE = "three_step"
"""The name of the data flow whose kernels are dense matrices."""


def breakdown(algorithm: str, radix: int, even: bool = False) -> Choose:
    """Return the function that chooses the rules of a data flow.

    The kernels have ``radix`` points each. If the number of points is not a power of the radix, one kernel is
    smaller.

    Args:
        algorithm: The name of the data flow.
        radix: The number of points of a kernel.
        even: Whether the kernels should instead be as equal as possible if the number of points is not a
            power of the radix: their number is the smallest possible, and none has more than twice as many
            points as another.

    Raises:
        MomagenError: There is no such data flow.
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


def by_radices(algorithm: str, radices: Sequence[int]) -> Choose:
    """Return the function that chooses the rules of a data flow for given radices.

    Args:
        algorithm: The name of the data flow.
        radices: The numbers of points of the kernels, from the whole transform down.
    """
    tried = [rule for rule in map(named_rule, FLOWS[algorithm].rules) if rule.when != AT_ONCE]
    above, below = [1, *accumulate(radices, mul)], [*accumulate(reversed(radices), mul)][::-1]
    steps = dict(zip(zip(above, below, strict=False), radices, strict=True))

    def choose(node: Transform) -> tuple[str, int] | None:
        blocks = node.blocks if isinstance(node, Ring) else 1
        step = steps.get((blocks, node.n), node.n)
        return next(((rule.name, step) for rule in tried if rule.match(node, step) is not None), None)

    return choose


def _even(n: int, radix: int) -> int:
    """Return the number of points of the first kernel of an even breakdown of n points.

    Both numbers are powers of two. The breakdown has as few kernels of at most ``radix`` points as possible.
    """
    levels, most = n.bit_length() - 1, radix.bit_length() - 1
    return 1 << levels // -(-levels // most)


def asked(
    algorithm: str, n: int, radix: int, *, inverse: bool = False, negacyclic: bool = False, natural: bool = False,
    even: bool = False,
) -> tuple[Formula, Choose]:  # fmt: skip
    """Return the transform that a kernel computes, and the function that chooses the rules for it.

    Args:
        algorithm: The name of the data flow.
        n: The number of points, a power of two.
        radix: The largest number of points of a butterfly.
        inverse: Whether it is an inverse transform.
        negacyclic: Whether it is negacyclic instead of cyclic.
        natural: Whether the values are in natural order instead of bit-reversed order.
        even: Whether radices are as equal as possible, as in :func:`breakdown`.

    Returns:
        The two arguments of :func:`expand`.

    Raises:
        MomagenError: There is no such data flow.
    """
    turn = Fraction(1, 2) if negacyclic else Fraction(0)
    return specification(n, turn, inverse=inverse, natural=natural), breakdown(algorithm, radix, even)
