"""The kernels of a context by their role, and the classes of each role that moduli of given lengths need."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from momagen.clib import Library
from momagen.clib.member import Member
from momagen.clib.request import Row
from momagen.emit.c.file import Argument

TITLES = {
    "ntt": "Transforms from coefficients to values", "intt": "Transforms from values to coefficients",
    "add": "x + y", "sub": "x - y", "neg": "-x", "mul": "x·y", "scale": "a·x", "axpy": "a·x + y",
    "convert": "Conversions from one basis to another", "moddown": "Divisions by the last moduli",
    "rescale": "Divisions by the last modulus", "inner": "Sums of products of digits and keys",
    "dot": "Sums of products",
}  # fmt: skip
"""The roles by name."""
SINGLE = ("ntt", "intt", "add", "sub", "neg", "mul", "scale", "axpy")
"""The roles whose plans a context has for each modulus."""
METHODS = {"convert": "mod_up", "moddown": "mod_down"}
"""The roles with a method that the user chooses, and the option that names it."""


class Role(NamedTuple):
    """A role of kernels, as the templates use it.

    Attributes:
        name: The name of the role.
        title: A description of the role.
        classes: The kernels of the role, those for the shortest moduli first.
        create: The arguments of the function ``create``.
        run: The arguments of the function that runs a kernel, other than the plan.
        verb: The function that runs a kernel.
        single: Whether a context has a plan for each modulus.
        rooted: Whether ``create`` takes n and a root.
    """

    name: str
    title: str
    classes: Sequence[dict[str, Any]]
    create: Sequence[Argument]
    run: Sequence[Argument]
    verb: str
    single: bool
    rooted: bool


def find_role(kernel: str) -> str:
    """Return the role of a kernel: its name without the number of bits."""
    return kernel.rstrip("0123456789")


def select_kernels(rows: Sequence[Row], lengths: Collection[int]) -> Iterator[Row]:
    """Yield the kernels that moduli of the given lengths in bits need, or all kernels if there are no lengths.

    A plan for moduli of several lengths uses the class of the longest one, which is the class of one of the lengths.
    """
    for _, group in groupby(rows, lambda row: find_role(str(row["name"]))):
        classes = list(group)
        if not lengths:
            yield from classes
        taken = {next(i for i, row in enumerate(classes) if length <= _read_bits(row)) for length in lengths}
        yield from (classes[i] for i in sorted(taken))


def _read_bits(row: Row) -> int:
    """Return the width of the moduli of a kernel in bits."""
    return int(str(row["modulus_bits"]))


def group_roles(kernels: Library, lengths: dict[str, int]) -> list[Role]:
    """Return the roles of the members of a library; ``lengths`` has the bits of each member's class by name."""
    grouped = groupby(kernels.members, lambda member: find_role(member.name))
    return [_build_role(name, list(members), lengths) for name, members in grouped]


def _build_role(name: str, members: Sequence[Member], lengths: dict[str, int]) -> Role:
    """Return the role of the kernels in ``members``."""
    functions = members[0].functions
    verb = "execute_rows" if "execute_rows" in functions else "execute"
    classes = [{"name": each.name, "symbol": each.symbol, "bits": lengths[each.name]} for each in members]
    create, run = functions["create"].arguments, functions[verb].arguments[1:]
    return Role(name, TITLES[name], classes, create, run, verb, name in SINGLE, "root" in {arg.name for arg in create})
