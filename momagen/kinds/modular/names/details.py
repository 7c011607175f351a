"""Details of kernels that names and command lines give only where they are not as usual."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from momagen.kinds.modular.fields import SpecFields


class Detail(NamedTuple):
    """A field of a specification. ``usual``: its values that nobody writes. ``part``: of the name; ``argument``: of the
    command line; {} stands for its value.
    """

    field: str
    usual: tuple[object, ...]
    part: str
    argument: str


DETAILS = (
    Detail("negacyclic", (False,), "negacyclic", "--negacyclic"),
    Detail("coset", (0,), "coset{}", "--coset {}"),
    Detail("blowup", (1,), "blowup{}", "--blowup {}"),
    Detail("input_order", ("", "natural"), "from_bitrev", "--input-order {}"),
    Detail("automorphism", (1,), "automorphism{}", "--automorphism {}"),
    Detail("montgomery", (0,), "montgomery{}", "--montgomery {}"),
)
"""In the order of names, which is that of command lines, too."""


def _unusual(spec: SpecFields) -> Iterator[tuple[Detail, object]]:
    """The details that are not as usual, with their values."""
    for detail in DETAILS:
        if (value := getattr(spec, detail.field)) not in detail.usual:
            yield detail, value


def name_parts(spec: SpecFields) -> list[str]:
    """What the name says of them."""
    return [detail.part.format(value) for detail, value in _unusual(spec)]


def arguments(spec: SpecFields) -> list[str]:
    """The words of a command line that say so."""
    return [word for detail, value in _unusual(spec) for word in detail.argument.format(value).split()]
