"""Several vectors in turns, statement by statement: while the results of one are awaited, the others have work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError
from momagen.kernels.products import MULTIPLYING
from momagen.kernels.spec import Spec
from momagen.lower import MANY
from momagen.targets import Target, load_target

from .c import BodyText, ChainSet
from .products import DigitLoop

TURNS: Mapping[str, tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]]] = {
    "doubles": (((4, 4), (6, 2)), ((1, 8), (3, 4), (5, 3), (9, 2))),
    "digits": ((), ((1, 1), (2, 8), (3, 6), (5, 4))),
    "words": (((2, 4),), ((1, 8), (2, 4), (6, 2))),
    "split": ((), ((1, 2),)),
}
"""With few registers and with many: digits or words up to which so many vectors go in turns; beyond them one.
"split" are words whose quotients digits make: so few operations that memory soon sets the pace."""
BEYOND, SOONER = 1 << 20, {"axpy": 360 << 10}
"""Bytes of all vectors together from which on they are asked for ahead: where they come from beyond the second cache,
or as soon as it pays."""
LETTERS = "tsrpogfe"
"""The names of what each of the vectors in turns comes to."""


def turns_of(spec: Spec, digits: DigitLoop | None, lanes: int, *, split: bool) -> int:
    """How many vectors of ``lanes`` residues go together; ``split``: constants on words have quotients by digits.

    Raises:
        MomagenError: several are asked for where there are no vectors, or their factors go by memory.
    """
    target = load_target(spec.target)
    able = spec.kind in MULTIPLYING and lanes > 1 and not (digits and digits.long)
    if not able:
        if int(asked := spec.options.get("interleave", "1")) > 1:
            raise MomagenError("a product of vectors whose digits are in registers", asked, "interleave")
        return 1
    if "interleave" in spec.options:
        return int(spec.options["interleave"])
    words = "split" if split and spec.kind != "vmul" else "words"
    known = TURNS[words if digits is None else "doubles" if digits.inner.real else "digits"]
    size = digits.inner.constants["n"] if digits else spec.arith.words
    return next((turns for most, turns in known[target.registers >= MANY] if size <= most), 1)


def in_turns(texts: list[BodyText], statements: Callable[[BodyText, int], list[str]]) -> list[str]:
    """``statements(text, turn)`` of every vector, the first ones of all before the second ones."""
    return woven(*(statements(text, turn) for turn, text in enumerate(texts)))


def woven(*each: list[str]) -> list[str]:
    """The first lines of all, then the second ones, and so on."""
    return [line for turn in zip(*each, strict=True) for line in turn]


def texts_of(target: Target, chains: ChainSet, turns: int) -> list[BodyText]:
    """A text for each of ``turns`` vectors."""
    return [BodyText(target, chains, letter) for letter in LETTERS[:turns]]


@dataclass(frozen=True)
class Fetched:
    """What a loop asks for before it needs it: ``ahead`` bytes on, from more than ``many`` rounds on, each of the
    ``lines`` of a round. Such loops are not unrolled unless the options say so: beyond the first cache that is slower.
    """

    many: int
    ahead: int
    lines: Sequence[int]


def fetched(spec: Spec, vectors: int, turns: int) -> Fetched | None:
    """What products of ``vectors`` vectors ask for; None where nothing: longer residues take so long to multiply that
    memory keeps up by itself."""
    target = load_target(spec.target)
    size = target.lanes * target.word // 8
    many, lines = SOONER.get(spec.kind, BEYOND) // (size * turns * (vectors + 1)), range(0, size * turns, size)
    return Fetched(many, target.ahead, lines) if target.ahead and spec.arith.words == 1 else None


def share(texts: list[BodyText]) -> None:
    """Give all texts the names of what the first one has declared so far: the constants."""
    for text in texts[1:]:
        text.printer.names.update(texts[0].printer.names)
