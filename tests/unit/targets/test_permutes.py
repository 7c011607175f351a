"""Lane moves of targets that lack a permute of two registers: every spelling means what was asked, and is short."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from random import Random

import pytest

from momagen.errors import MomagenError
from momagen.targets import load_target
from momagen.targets.permutes import parse_permute, spell

Lanes = list[int]
AVX2 = tuple(load_target("avx2").permutes.values())
A, B = [0, 1, 2, 3], [4, 5, 6, 7]
EVERY = list(product(range(8), repeat=4))


def same(a: Lanes) -> Lanes:
    return a


INTRINSICS: dict[str, Callable[..., Lanes]] = {
    "_mm256_blend_epi32": lambda a, b, k: [(b if k >> 2 * i & 1 else a)[i] for i in range(4)],
    "_mm256_unpacklo_epi64": lambda a, b: [a[0], b[0], a[2], b[2]],
    "_mm256_unpackhi_epi64": lambda a, b: [a[1], b[1], a[3], b[3]],
    "_mm256_shuffle_pd": lambda a, b, k: [a[k & 1], b[k >> 1 & 1], a[2 + (k >> 2 & 1)], b[2 + (k >> 3 & 1)]],
    "_mm256_permute2x128_si256": lambda a, b, k: [
        ((b if k >> shift & 2 else a)[2 * (k >> shift & 1) + i]) for shift in (0, 4) for i in (0, 1)
    ],
    "_mm256_permute4x64_epi64": lambda a, k: [a[k >> 2 * i & 3] for i in range(4)],
    "_mm256_castpd_si256": same, "_mm256_castsi256_pd": same,
}  # fmt: skip
"""What the manual says they move, of 64-bit lanes."""


def lanes_of(text: str) -> tuple[int, ...]:
    """The lanes that the spelled move takes, by the definitions above."""
    return tuple(eval(text.format(a="A", b="B"), {"A": A, "B": B, **INTRINSICS}))


def moves_in(text: str) -> int:
    return text.count("_mm256_") - text.count("_mm256_cast")


def demand(wanted: tuple[int, ...]) -> None:
    text = spell(wanted, AVX2)[1]
    assert lanes_of(text) == wanted, text
    assert moves_in(text) <= 3, text


@pytest.mark.parametrize("seed", range(8))
def test_any_move_is_at_most_three(seed: int) -> None:
    for wanted in Random(seed).sample(EVERY, 32):
        demand(wanted)


@pytest.mark.slow
def test_every_move() -> None:
    for wanted in EVERY:
        demand(wanted)


@pytest.mark.parametrize("name", load_target("avx2").permutes)
def test_a_row_says_what_its_instruction_moves(name: str) -> None:
    """All immediates of every family, and each move of one instruction is spelled by one."""
    family = load_target("avx2").permutes[name]
    for pattern, k in family.moves():
        assert lanes_of(family.text.format(a="{a}", b="{b}", k=k)) == pattern
        assert moves_in(spell(pattern, AVX2)[1]) <= 1


@pytest.mark.parametrize("wanted", [(0, 4, 2, 6), (1, 5, 3, 7), (0, 1, 4, 5), (2, 3, 6, 7)])
def test_the_steps_of_a_transpose_are_single_instructions(wanted: tuple[int, ...]) -> None:
    assert moves_in(spell(wanted, AVX2)[1]) == 1


def test_nothing_moves_for_nothing() -> None:
    assert (spell((0, 1, 2, 3), AVX2)[1], spell((4, 5, 6, 7), AVX2)[1]) == ("{a}", "{b}")


def test_too_few_moves() -> None:
    swap = parse_permute({"text": "swap({a})", "takes": "1 0"}, 2, "here")
    assert spell((3, 2), (swap,))[1] == "swap({b})"
    with pytest.raises(MomagenError, match="no move of at most two moved registers yields the lane pattern 0, 2;"):
        spell((0, 2), (swap,))
