"""Valid inputs of every operation: all of them, all combinations of edge cases, or random ones.

The inputs of an operation are a sequence of *choices*, which are read from ``rules/inputs.toml`` for
composite operations. A choice is an integer in a range whose ends depend on previous choices. All integers,
the edges or a random integer of each range are used.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import TypeAlias

from momagen.data import folder
from momagen.ir import OPS
from momagen.rewrite.notation.arithmetic import number
from momagen.rewrite.notation.parser import RuleParser
from momagen.rewrite.notation.syntax import Expr
from momagen.tables import read_toml

FILE = "inputs.toml"
"""The file with the choices of composite operations."""
SHIFTS = ("shr", "shl", "shrd", "low")
"""The operations whose attribute is a shift count."""
Case: TypeAlias = tuple[int, tuple[int, ...]]
"""The attribute k and the arguments."""
Choice: TypeAlias = tuple[str, Expr, Expr | None]
"""A name with the expression of its value, or with the lower and the upper end of its range."""
Program: TypeAlias = tuple[list[str], list[Choice]]
"""The names of the arguments, and the choices."""
Options: TypeAlias = Callable[[int, int], Sequence[int]]
"""A function that returns integers of a range. If the range is empty, the previous choices lead to no
valid input."""


@lru_cache(maxsize=1)
def programs() -> dict[str, Program]:
    """Return the choices by composite operation.

    Raises:
        MomagenError: The file is not TOML, or a choice is outside the notation. The message names the file,
            the operation and the text.
    """
    found = read_toml(folder("rules") / FILE, "inputs in TOML", FILE)
    texts = {op: text.partition(":") for op, text in found["inputs"].items()}
    return {op: (args.split(), _choices(rest, found["shared"], op)) for op, (args, _, rest) in texts.items()}


def _choices(text: str, shared: Mapping[str, str], op: str) -> list[Choice]:
    """Return the choices of a text."""
    found: list[Choice] = []
    for part in filter(None, map(str.strip, re.split("[;\n]", text))):
        name, _, ends = part.partition(" = ")
        if not ends:
            found += _choices(shared[name], shared, op)
            continue
        low, *high = (RuleParser(end, f"{FILE}, {op}").value() for end in ends.split(" … "))
        found.append((name, low, high[0] if high else None))
    return found


@lru_cache(maxsize=64)
def _program(op: str, digits: int, w: int) -> Program:
    """Return the choices of an operation.

    If it is not composite, they are all limbs, all flags, and all shift counts.
    """
    if op in programs():
        return programs()[op]
    texts = [f"i = 0 … {2 * digits}; j = 0 … {w - 1}; k = i * {w} + j"] * (op in SHIFTS)
    names = [f"a{at}" for at in range(len(OPS[op].args))]
    for name, kind in zip(names, OPS[op].args, strict=True):
        parts = range(digits - 1, -1, -1) if kind != "f" else [0]
        texts += [f"{name}_{at} = 0 … {(1 << w) - 1 if kind != 'f' else 1}" for at in parts]
        texts.append(f"{name} = " + " + ".join(f"({name}_{at} << {w * at})" for at in parts))
    return names, _choices("; ".join(texts), {}, op)


def _sweep(choices: Sequence[Choice], known: dict[str, int], options: Options) -> Iterator[dict[str, int]]:
    """Yield the values of all names for every combination of choices."""
    if not choices:
        yield known
        return
    (name, low, high), *rest = choices
    least = number(low, known)
    for value in (least,) if high is None else options(least, number(high, known)):
        yield from _sweep(rest, {**known, name: value}, options)


def _cases(op: str, digits: int, w: int, options: Options) -> Iterator[Case]:
    """Yield the inputs that the options of each range lead to."""
    names, choices = _program(op, digits, w)
    for known in _sweep(choices, {"w": digits * w, "k": 0}, options):
        yield known["k"], tuple(known[name] for name in names)


def every_case(op: str, digits: int, w: int) -> Iterator[Case]:
    """Yield all inputs of an operation on words of ``digits`` limbs of ``w`` bits.

    Shifts have all distances below twice the width plus w.
    """
    return _cases(op, digits, w, lambda lo, hi: range(lo, hi + 1))


def edge_cases(op: str, digits: int, w: int) -> Iterator[Case]:
    """Yield all combinations of edge cases of every limb, modulus, constant and distance."""
    return _cases(op, digits, w, _edges)


def random_cases(op: str, digits: int, w: int, rng: random.Random, count: int) -> Iterator[Case]:
    """Yield at most ``count`` random inputs. There are fewer if some choices lead to no valid input."""
    for _ in range(count):
        yield from _cases(op, digits, w, partial(_draw, rng))


def _edges(lo: int, hi: int) -> list[int]:
    """Return the ends of a range, its middle and the number after its lower end.

    For a word of w bits, these are 0, 1, 2^(w-1) and 2^w - 1.
    """
    return sorted({lo, min(lo + 1, hi), (lo + hi + 1) // 2, hi}) if lo <= hi else []


def _draw(rng: random.Random, lo: int, hi: int) -> list[int]:
    """Return a list with one random number: an edge case, a number of random length, or any other number."""
    if hi < lo:
        return []
    way = rng.randrange(3)
    if way == 0:
        return [rng.choice([*_edges(lo, hi), max(lo, hi - 1)])]
    return [rng.randint(lo, hi if way == 1 else min(hi, lo + (1 << rng.randint(0, (hi - lo).bit_length()))))]
