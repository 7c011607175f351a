"""A whole program: functions, the memory that they work in, and which of them make a plan and use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from momagen.ir import Procedure

from .build import Function
from .statements import Static


class Field(NamedTuple):
    """An array of ``words`` words.

    Attributes:
        long: memory of its own; else it is a few constants. lined: its address is one that vectors like.
        in_place: it is needed only where the result overwrites an operand. doc: what it is, for people.
        sized: the function that says how many of the words n points need; "": all. each: words more for every thread.
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
    """What a kernel does, without a language.

    Attributes:
        functions, statics: by name, what is called before what calls it. procedures: those of vectors, and of words.
        setup: its function (kept …, beside …, q, root) makes a plan; it returns 0 where the root has another order.
            Without a transform there is no root. Before it, fits(q), and for a root below(root, q), must hold.
        run: its function (result, operands …, kept …, room …) does one transform or product, or with a last argument n
            as many elements.
        kept: what a plan keeps. beside: what set-up works in. room: what a call works in.
        stride: words from one transform or product to the next; 0 where ``run`` takes n. gives: the same of results.
        fits: the function that says whether q is served. rounds: whether doubles must round to nearest while it runs.
        is_size: of transforms of several sizes, the function that knows them; "" otherwise. ``setup``, ``fits`` and
            ``run``, which takes how many transforms, have the size as a last argument.
        phases: of a transform that threads do together; 0: none do. ``run`` has as last arguments the number of a
            phase, which part of it is to be done, and of how many; it begins when all parts of the one before are done.
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
