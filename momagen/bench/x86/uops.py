"""The classes of uops of an x86-64 instruction, which the table uops.toml assigns to its line in a listing."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

Use = tuple[str, str]
"""A class, and the registers that it works on: "zmm", "ymm", "xmm", or "r" for scalars."""

VECTORS = ("zmm", "ymm", "xmm")
PREFIXES = re.compile(r"^(?:(?:data16|[cdefgs]s|bnd|notrack|lock|rep\w*)\s+)+")
COMMENT = re.compile(r"\s*[#<].*")
COMMA = re.compile(r",\s*(?![^(]*\))")
ZEROED = re.compile(r"v?p?xor(p[sd]|[dq])?")
"""Zeroing idioms if all operands are the same register: register renaming executes them without a port."""
MOVE = re.compile(r"v?mov\w*|vp?broadcast\w*")
NO_ACCESS = re.compile(r"lea\w*|nop\w*|prefetch\w*|j\w+|call\w*")
READS = re.compile(r"(?:cmp|test|i?mul|i?div|bt)[bwlq]?|push\w*")
"""Instructions that only read their last operand if it is in memory."""
WRITES = re.compile(r"v?mov\w*|set\w+|vextract\w*|vpmov\w*|vpcompress\w*|pop\w*")
"""Instructions that only write their last operand if it is in memory."""


@dataclass(frozen=True)
class Class:
    """A class of instructions, a row of the table uops.toml, which explains the fields."""

    name: str
    form: str
    sample: str
    pool: str = ""
    needs: str = ""
    narrow: str = ""

    @property
    def widths(self) -> tuple[str, ...]:
        """The registers that its sample instruction works on."""
        return VECTORS if "{v}" in self.sample or "{w}" in self.sample else ("zmm" if "{k}" in self.sample else "r",)

    def features(self, width: str) -> tuple[str, ...] | None:
        """Return the CPU features that the sample at ``width`` needs, or None if no such instruction exists."""
        need = self.narrow if width in VECTORS[1:] else self.needs
        return ((need, self.needs) if need == "avx512vl" else (need,)) if need else None


@dataclass(frozen=True)
class PortGroup:
    """Classes that may share their ports.

    Attributes:
        name: The name of the group.
        classes: The names of the classes.
    """

    name: str
    classes: tuple[str, ...]


@cache
def classes() -> dict[str, Class]:
    """Return the classes by name, in the order of the table."""
    return {row["name"]: Class(**row) for row in _raw()["class"]}


@cache
def groups() -> list[PortGroup]:
    """Return the groups of the table."""
    return [PortGroup(row["name"], tuple(row["classes"])) for row in _raw()["group"]]


@cache
def _raw() -> dict[str, list[dict[str, str]]]:
    return tomllib.loads(Path(__file__).with_name("uops.toml").read_text(encoding="utf-8"))


@cache
def uses(text: str) -> tuple[Use, ...]:
    """Return the classes of an instruction: the classes of its load, its store and its operation.

    Args:
        text: The instruction as objdump prints it, in AT&T syntax.
    """
    op, operands = parse(text)
    kinds = [kind(operand) for operand in operands]
    width = next((w for w in VECTORS if any(f"%{w}" in operand for operand in operands)), "r")
    found = [_look_up(f"{access} {width}", width) for access in accesses(op, kinds)]
    if not _moves(op, operands, kinds):
        found.append(_look_up(f"{op} {kinds[-1] if kinds else '-'}", "zmm" if op[0] == "k" else width))
    return tuple(use for use in found if use)


def parse(text: str) -> tuple[str, list[str]]:
    """Return the mnemonic without prefixes, and the operands."""
    op, _, rest = PREFIXES.sub("", COMMENT.sub("", text).strip()).partition(" ")
    return op, [operand for operand in COMMA.split(rest.strip()) if operand]


def kind(operand: str) -> str:
    """Return the kind of an operand.

    Returns:
        "zmm", "ymm" or "xmm" for a vector register, "k" for a mask register, "r" for another register, "i"
        for a number, or "m" for memory.
    """
    if "(" in operand or operand.startswith(("%fs:", "%gs:", "*")) or operand[0] not in "%$":
        return "m"
    if operand[0] == "$":
        return "i"
    return next((k for k in (*VECTORS, "k") if operand.startswith(f"%{k}")), "r")


def accesses(op: str, kinds: list[str]) -> Iterator[str]:
    """Yield the memory accesses of an instruction: "load", "store", both or none."""
    if "m" not in kinds or NO_ACCESS.fullmatch(op):
        return
    written = kinds[-1] == "m" and not READS.fullmatch(op)
    if not (written and WRITES.fullmatch(op)):
        yield "load"
    if written:
        yield "store"


def _moves(op: str, operands: list[str], kinds: list[str]) -> bool:
    """Return whether an instruction only accesses memory, or only renames a register."""
    if ZEROED.fullmatch(op) and set(kinds) <= set(VECTORS) and len(set(operands)) == 1:
        return True
    if not MOVE.fullmatch(op):
        return False
    return "m" in kinds or not ("broadcast" in op or any("{%k" in operand for operand in operands))


@cache
def _look_up(form: str, width: str) -> Use | None:
    return next(((row.name, width) for row in classes().values() if re.fullmatch(row.form, form)), None)
