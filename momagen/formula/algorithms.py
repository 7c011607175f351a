"""Data flows to choose from: which breakdown rules take a transform down to kernels of one radix."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from momagen.errors import among

from .breakdown import Choose, specification
from .expression import Formula
from .transforms import NTT, Ring, Transform

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


def leftover(n: int, radix: int) -> int:
    """n divided by the radix as often as it goes: 1 for a power of the radix."""
    while n % radix == 0:
        n //= radix
    return n


def asked(
    algorithm: str, n: int, radix: int, *, inverse: bool = False, negacyclic: bool = False, natural: bool = False
) -> tuple[Formula, Choose]:
    """The transform that `expand` breaks down, order and ring as in `specification`, and how ``algorithm`` does it."""
    turn = Fraction(1, 2) if negacyclic else Fraction(0)
    return specification(n, turn, inverse=inverse, natural=natural), breakdown(algorithm, radix)
