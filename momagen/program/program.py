"""A whole program: functions, the memory that they work in, and which of them make a plan and use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from momagen.ir import Procedure

from .build import Function
from .statements import Static


@dataclass(frozen=True)
class Field:
    """An array of ``words`` words.

    Attributes:
        long: memory of its own; else it is a few constants. lined: its address is one that vectors like.
        in_place: it is needed only where the result overwrites an operand. doc: what it is, for people.
    """

    name: str
    words: int
    long: bool = False
    lined: bool = False
    in_place: bool = False
    doc: str = ""


@dataclass(frozen=True)
class Program:
    """What a kernel does, without a language.

    Attributes:
        functions, statics: by name, what is called before what calls it. procedures: those of vectors, and of words.
        setup: its function (kept …, beside …, q, root) makes a plan; it returns 0 where the root has another order.
            Without a transform there is no root. Before it, modulus_fits(q), and for a root below(root, q), must hold.
        run: its function (result, operands …, kept …, room …) does one transform or product, or with a last argument n
            as many elements.
        kept: what a plan keeps. beside: what set-up works in. room: what a call works in.
        stride: words from one transform or product to the next; 0 where ``run`` takes n.
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
