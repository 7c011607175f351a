"""Proofs of rules run on concrete integers, so that a proof from facts that contradict each other is noticed.

The inputs are drawn as ``rules/inputs.toml`` describes and must meet the precondition. Every variable of the proof is
then computed, and every equation, every bound and the claim itself must hold.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from momagen.data import folder
from momagen.prove.checker import ProofError
from momagen.prove.rules.notation import Node, parse_node
from momagen.prove.rules.numbers import compute, holds, used

if TYPE_CHECKING:
    import random

    from momagen.prove.polynomial import InModulus, Polynomial
    from momagen.prove.rules.facts import RuleFacts
    from momagen.prove.rules.prove import RuleProof

DRAWS = 300
"""How often inputs are drawn until they meet the precondition."""


class ContradictionError(Exception):
    """A fact or a claim of a proof that does not hold for concrete integers."""


def try_proof(proof: RuleProof, rng: random.Random, count: int) -> int:
    """Run a finished proof on random inputs, and return the number of inputs.

    Raises:
        ContradictionError: An equation, a bound or the claim does not hold.
    """
    done = 0
    for _ in range(DRAWS):
        inputs = _draw(proof, rng)
        if inputs is not None:
            _check(proof, inputs)
            done += 1
            if done == count:
                break
    return done


def _check(proof: RuleProof, inputs: dict[str, int]) -> None:
    facts, values = proof.facts, dict[int, int]()
    values[0] = inputs[proof.operation.args[proof.at]] if proof.at is not None else 1
    _values(proof, inputs, values)
    q = values[0]
    for number, variable in enumerate(facts.checker.variables):
        if not _at(variable.low, q) <= values[number] <= _at(variable.high, q):
            raise ContradictionError(f"{variable.name} = {values[number]} is outside its bounds for {inputs}")
    for zero in facts.checker.equations:
        if _evaluate(zero, values):
            raise ContradictionError(f"{facts.linear.text(zero)} = 0 does not hold for {inputs}")
    names = {name: int(_evaluate(value.polynomial, values)) for name, value in proof.names.items()}
    for what in proof.operation.means:
        if not holds(what, names):
            raise ContradictionError(f"{what.text} does not hold for {inputs}")


def _values(proof: RuleProof, inputs: dict[str, int], values: dict[int, int]) -> None:
    """Compute all variables in their order."""
    facts = proof.facts
    arguments = {}
    for name in inputs:
        polynomial = proof.names[name].polynomial
        variables = [m[0] for m in polynomial if len(m) == 1 and m != (0,)]
        if len(variables) == 1:
            arguments[variables[0]] = name
    for number in range(1, len(facts.checker.variables)):
        if number in arguments:
            name = arguments[number]
            rest = {m: c for m, c in proof.names[name].polynomial.items() if m != (number,)}
            values[number] = inputs[name] - int(_evaluate(rest, values))
        else:
            values[number] = _computed(facts, number, values)


def _computed(facts: RuleFacts, number: int, values: dict[int, int]) -> int:
    words = facts.words
    if number in words.operation_of:
        operation = words.operations[words.operation_of[number]]
        total = {m: -c for m, c in facts.checker.equations[operation.equation].items()
                 if m not in ((operation.high,), (operation.low,))}  # fmt: skip
        high, low = divmod(int(_evaluate(total, values)), abs(operation.weight))
        return (high if operation.weight > 0 else -high) if number == operation.high else low
    if number in words.selections:
        choice = words.selections[number]
        zero = facts.checker.equations[choice.equation]
        return int(_evaluate({m: -c for m, c in zero.items() if m != (number,)}, values))
    if number in facts.witnesses:
        return int(facts.witnesses[number](lambda polynomial: int(_evaluate(polynomial, values))))
    raise ContradictionError(f"nothing computes {facts.checker.variables[number].name}")


def _evaluate(polynomial: Polynomial, values: dict[int, int]) -> Any:
    total: Any = 0
    for monomial, coefficient in polynomial.items():
        for number in monomial:
            coefficient = coefficient * values[number]
        total = total + coefficient
    return total


def _at(a: InModulus, q: int) -> Any:
    return sum(c * q**i for i, c in enumerate(a))


# Inputs.


@lru_cache(maxsize=1)
def _programs() -> dict[str, Any]:
    return tomllib.loads((folder("rules") / "inputs.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=256)
def _choices(text: str) -> tuple[tuple[str, Node, Node | None], ...]:
    found: list[tuple[str, Node, Node | None]] = []
    for part in re.split("[;\n]", text):
        part = part.split("#")[0].strip()
        if not part:
            continue
        name, _, ends = part.partition(" = ")
        if not ends:
            found += _choices(_programs()["shared"][name])
            continue
        low, *high = map(parse_node, ends.split(" … "))
        found.append((name, low, high[0] if high else None))
    return tuple(found)


def _draw(proof: RuleProof, rng: random.Random) -> dict[str, int] | None:
    """Return random inputs by name, or None if they do not meet the precondition."""
    operation, names = proof.operation, {"w": proof.width}
    fixed = {name: proof.numbers[name] for name, kind in zip(operation.args, operation.kinds, strict=True)
             if kind == "n" and name in proof.numbers}  # fmt: skip
    program = _programs()["inputs"].get(operation.name)
    if program is None:
        found = {name: _word(proof, at, rng) for at, name in enumerate(operation.args)} | fixed
    else:
        args, _, text = program.partition(":")
        own = {mine: fixed[name] for mine, name in zip(args.split(), operation.args, strict=True) if name in fixed}
        own["k"] = proof.numbers["k"]
        for name, low, high in _choices(text):
            try:
                least = compute(low, names)
                greatest = least if high is None else compute(high, names)
            except (ArithmeticError, ValueError):
                return None
            if greatest < least:
                return None
            names[name] = own[name] if name in own else _pick(least, greatest, rng)
        found = {name: names[mine] for mine, name in zip(args.split(), operation.args, strict=True)}
    scope = {**proof.scope_numbers, **found}
    for line in operation.used_lets:
        try:
            scope[line.targets[0].text] = compute(line.value, scope)
        except (ArithmeticError, ValueError):
            return None
    try:
        met = all(holds(what, scope) for what in operation.requires)
        inner = {**scope, **proof.numbers, "w": proof.instance.width, **found}
        inner.update(proof.form_numbers(found))
        met = met and all(holds(what, inner) for what in proof.conditions() if used(what) <= inner.keys())
    except (ArithmeticError, ValueError, ProofError):
        return None
    if proof.at is not None:
        q = found[operation.args[proof.at]]
        met = met and proof.facts.checker.least <= q <= proof.facts.checker.greatest
    return found if met else None


def _word(proof: RuleProof, at: int, rng: random.Random) -> int:
    kind = proof._kind(at)
    if kind == "f":
        return rng.randint(0, 1)
    total = 0
    for _ in range(proof.limbs):
        total = (total << proof.instance.width) + _pick(0, (1 << proof.instance.width) - 1, rng)
    return total if kind == "w" else total * rng.choice([1, -1])


def _pick(low: int, high: int, rng: random.Random) -> int:
    """Return a random integer of a range: an end, a short one, or any."""
    way = rng.randrange(4)
    if way == 0:
        return rng.choice([low, high, min(low + 1, high), max(low, high - 1)])
    if way == 1:
        return rng.randint(low, min(high, low + (1 << rng.randint(0, (high - low).bit_length()))))
    return rng.randint(low, high)
