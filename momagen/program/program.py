"""A whole program: its functions, the memory that they use, and their roles for plans and calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from momagen.ir import Procedure

from .build import Function
from .statements import Static


class Field(NamedTuple):
    """An array of words that a plan or a call uses.

    Attributes:
        name: The name of the array.
        words: Its number of words, or the largest one if it depends on the number of points.
        long: Whether it is allocated separately; otherwise it is a small array in the plan.
        lined: Whether its address is aligned to a cache line, for vectors.
        in_place: Whether it is only needed if the result overwrites an operand.
        doc: Its description in comments of the generated code.
        sized: The name of the function that returns the number of words for n points, or "" if it is
            ``words``.
        each: The number of additional words for each thread.
    """

    name: str
    words: int
    long: bool = False
    lined: bool = False
    in_place: bool = False
    doc: str = ""
    sized: str = ""
    each: int = 0


@dataclass(frozen=True)
class Program:
    """All that a kernel does, independent of a language.

    Attributes:
        functions: The functions by name. A function is listed before its callers.
        statics: The arrays of constants by name.
        procedures: The procedures on vectors, and those on words.
        setup: The name of the function (plan constants …, scratch …, q, root) that computes the plan
            constants. It returns 0 if the root has another order. Kernels without a transform have no root.
            The caller must have checked fits(q) and, for a root, below(root, q).
        run: The name of the function (result, operands …, plan constants …, scratch …) that computes one
            transform or product. With a last argument n it computes n elements.
        kept: The arrays of plan constants.
        beside: The scratch arrays of ``setup``.
        room: The scratch arrays of a call.
        stride: The number of words from one transform or product to the next in operands, or 0 if ``run``
            takes n.
        gives: The same number for the result.
        fits: The name of the function that returns whether the kernel supports a modulus.
        rounds: Whether doubles must round to nearest while ``run`` executes.
        is_size: For transforms of several sizes, the name of the function that returns whether a size is
            supported; otherwise "". The size is then the last argument of ``setup``, ``fits`` and ``run``,
            and ``run`` takes the number of transforms before it.
        phases: The number of phases of a transform that several threads execute together, or 0. The last
            arguments of ``run`` are then the number of a phase, the index of the part to execute, and the
            number of parts. A phase must begin after all parts of the previous one have ended.
        in_order: Whether compilers should keep the order of instructions, even on targets with the key
            ``scheduled``.
        scheduled: Whether gcc should order the instructions before it allocates registers.
    """

    functions: Mapping[str, Function]
    statics: Mapping[str, Static]
    procedures: tuple[Sequence[Procedure], Sequence[Procedure]]
    setup: str
    run: str
    kept: Sequence[Field]
    beside: Sequence[Field] = ()
    room: Sequence[Field] = ()
    stride: int = 0
    gives: int = 0
    fits: str = "modulus_fits"
    rounds: bool = False
    is_size: str = ""
    phases: int = 0
    in_order: bool = False
    scheduled: bool = False
