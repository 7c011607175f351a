"""The codelets of the register-blocked steps of one transform.

Each codelet accepts the range of values that the previous one leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from momagen.kernels.butterflies.codelets import Codelet
from momagen.kernels.butterflies.single_digit_levels import highest, step_codelet
from momagen.kernels.butterflies.single_double_levels import double_steps
from momagen.kernels.butterflies.single_signed_levels import signed_steps
from momagen.kernels.residues.single_digit import OneDigit
from momagen.kernels.residues.single_double import OneDouble
from momagen.kernels.residues.single_signed import OneSigned


class StepChain(NamedTuple):
    """The properties of all steps of a transform.

    Attributes:
        steps: The steps in the order of the transform: the number of levels of each, whether its constants
            differ by lane, and whether they come with quotients by q.
        back: Whether the transform is an inverse one.
        most: The inputs are below most·q.
        last: The results are below last·q.
        ones: Whether the twiddles of the first level are 1.
        apart: The number of lanes of a separate last step that converts doubles to words, or 0 without this
            step.
    """

    steps: tuple[tuple[int, bool, bool], ...]
    back: bool
    most: int
    last: int
    ones: bool
    apart: int

    @property
    def radices(self) -> list[int]:
        """The radices of all steps."""
        return [1 << levels for levels, *_ in self.steps]


@lru_cache(maxsize=64)
def step_codelets(arith: OneDigit | OneDouble | OneSigned, chain: StepChain) -> Sequence[Codelet]:
    """Return the codelets of a chain in the order of the transform, the same objects for equal arguments."""
    return _MADE[type(arith)](arith, chain)


def _doubles(arith: OneDouble, chain: StepChain) -> Sequence[Codelet]:
    """Return the codelets on floating-point limbs."""
    radices = [radix for radix in chain.radices if radix > 1]
    return double_steps(
        arith, radices, chain.most, back=chain.back, ones=chain.ones and not chain.back, apart=chain.apart
    )


def _signed(arith: OneSigned, chain: StepChain) -> Sequence[Codelet]:
    """Return the codelets on signed words."""
    ones = chain.ones and not chain.back
    return signed_steps(arith, chain.radices, chain.most, chain.last, back=chain.back, ones=ones)


def _digits(arith: OneDigit, chain: StepChain) -> Sequence[Codelet]:
    """Return the codelets on integer limbs or unsigned words."""
    back, ones = chain.back, chain.ones
    lift = sum(levels for levels, *_ in chain.steps) * (not arith.whole)  # on words it would cost an operation
    lift *= 1 + arith.ring
    lift = 0 if chain.most + ones + 2 * lift > arith.room else lift
    up = back and highest((levels for levels, *_ in chain.steps), chain.most) <= arith.room
    made, given = list[Codelet](), (0, chain.most)
    for at, (levels, apart, pairs) in enumerate(chain.steps):
        opens, last = not back and at == 0, chain.last * (at == len(chain.steps) - 1)
        made.append(step_codelet(
            arith, 1 << levels, given, back=back, pairs=pairs, lift=lift * opens, last=last, ones=ones and opens,
            apart=apart, opens=at == 0, up=up,
        ))  # fmt: skip
        given = made[-1].out
    return made


_MADE: dict[type, Callable[..., Sequence[Codelet]]] = {OneDouble: _doubles, OneSigned: _signed, OneDigit: _digits}
