"""Data flows to choose from: which breakdown rules take a transform in natural order down to kernels of one radix."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from momagen.errors import among

from .atoms import R
from .breakdown import Choice, Choose, Derivation, derivation, expand, plan, specification
from .expression import Compose, Formula
from .transforms import Ring, Transform


@dataclass(frozen=True)
class Algorithm:
    """The rule that takes n = r^k apart at once, and the one that splits off a leftover radix in front.

    Attributes:
        iterative: its name, "" where ``recursive`` does it step by step.
        title: what people call it.
        turned: the rule that takes the transform apart with its turn in the twiddles; "" where a twist comes apart.
            It is for the forward transform, or where ``turned`` ends in "_inverse" for the inverse.
    """

    iterative: str
    recursive: str
    title: str
    turned: str = ""


RING = "ring"
"""Ring splitting, in place, the default: it has its own stages (see `ntt`)."""

ALGORITHMS = {
    "cooley_tukey": Algorithm("iterative", "cooley_tukey_dit", "Cooley–Tukey, decimation in time"),
    "gentleman_sande": Algorithm("", "cooley_tukey_dif", "Gentleman–Sande, decimation in frequency"),
    "pease": Algorithm("pease", "cooley_tukey_dit", "Pease, constant geometry"),
    "korn_lambiotte": Algorithm("korn_lambiotte", "cooley_tukey_dit", "Korn–Lambiotte, constant geometry for vectors"),
    "stockham": Algorithm("stockham", "four_step", "Stockham autosort, decimation in time", "four_step_turned"),
    "stockham_dif": Algorithm(
        "stockham_dif", "four_step_dif", "Stockham autosort, decimation in frequency", "four_step_turned_inverse"
    ),
}


def check_algorithm(name: str) -> str:
    """``name``, or MomagenError where there is no such data flow."""
    if name != RING and name not in ALGORITHMS:
        raise among("one of", (RING, *ALGORITHMS), name, "algorithm")
    return name


def breakdown(algorithm: str, radix: int) -> Choose:
    """The choice of rules that leaves kernels NTT(radix), and one smaller where n is no power of the radix."""
    rules = ALGORITHMS[check_algorithm(algorithm)]

    def choose(node: Transform) -> Choice | None:
        suffix = "_inverse" if node.inverse else ""
        if isinstance(node, Ring):
            return "natural_order" + suffix, 0
        turns = bool(rules.turned) and rules.turned.endswith("_inverse") == node.inverse
        if node.turn and not turns:
            return "twist" + suffix, 0
        if node.n <= radix:
            return None
        rest = leftover(node.n, radix)
        if node.turn:
            return rules.turned, radix if rest == 1 else rest
        at_once = rules.iterative if rest == 1 else ""
        return (at_once or rules.recursive) + suffix, radix if rest == 1 else rest

    return choose


def leftover(n: int, radix: int) -> int:
    """n divided by the radix as often as it goes: 1 for a power of the radix."""
    while n % radix == 0:
        n //= radix
    return n


def expanded(
    algorithm: str, n: int, radix: int, *, inverse: bool = False, negacyclic: bool = False, natural: bool = False
) -> Formula:
    """The whole transform as ``algorithm`` computes it; order and ring as in `specification`."""
    found = expand(*_asked(algorithm, n, radix, inverse, negacyclic, natural))
    if not natural or algorithm != RING:
        return found
    return Compose(found, R(n)) if inverse else Compose(R(n), found)


def derived(
    algorithm: str, n: int, radix: int, *, inverse: bool = False, negacyclic: bool = False, natural: bool = False
) -> list[Derivation]:
    """The applications of breakdown rules that make it."""
    return derivation(*_asked(algorithm, n, radix, inverse, negacyclic, natural))


def _asked(
    algorithm: str, n: int, radix: int, inverse: bool, negacyclic: bool, natural: bool
) -> tuple[Formula, Choose]:
    """What is to be broken down, and how; ring splitting ends in bit-reversed order."""
    turn = Fraction(1, 2) if negacyclic else Fraction(0)
    if algorithm != RING:
        return specification(n, turn, inverse=inverse, natural=natural), breakdown(algorithm, radix)
    rule = "rings_merge" if inverse else "rings_split"
    return specification(n, turn, inverse=inverse), plan((rule,), radices_for(n, radix))


def radices_for(n: int, radix: int) -> list[int]:
    """Radices whose product is n, first stage first: ``radix``, what is left over in front (strides are long there)."""
    log, step = n.bit_length() - 1, radix.bit_length() - 1
    rest = log % step
    return [1 << rest] * bool(rest) + [radix] * (log // step)
