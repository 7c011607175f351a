"""The line of a generated file that says whether momagen has verified the file, or how to verify it."""

from __future__ import annotations

import re
from dataclasses import replace
from textwrap import wrap
from typing import Any, NamedTuple

from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import kind_of

from .source import Source, suffixes

WIDTH = 128
"""The length of the lines in the first comment of a file."""


class Claim(NamedTuple):
    """The line about verification in the first comment of a file, before and after a verification that passed.

    Attributes:
        unverified: The line that the generator writes. It names the command that verifies the file.
        verified: The line that replaces it after the results of the kernel were compared with the results of gmpy2.
    """

    unverified: str
    verified: str

    def __str__(self) -> str:
        return self.unverified


def claim(command: str, numbers: str) -> Claim:
    """Return the claim about a kernel that ``command`` verifies with these ``numbers``."""
    return Claim(f"Not verified yet: run `{command}` to compare it with gmpy2 for {numbers}",
                 f"Verified against gmpy2 with {numbers}")  # fmt: skip


def claim_of_command(numbers: str) -> Claim:
    """Return the claim about a kernel that the command in the same comment generates and verifies with ``numbers``."""
    return Claim("Not verified yet: run the command above, which compares the kernel with gmpy2",
                 f"Verified against gmpy2 with {numbers}")  # fmt: skip


def rows_claim() -> Claim:
    """Return the claim about a kernel on the rows of RNS bases."""
    return claim_of_command("the moduli of that command")


def numbers_claim() -> Claim:
    """Return the claim about a module that multiplies by a matrix."""
    return claim_of_command("the numbers of that command")


def claim_of(spec: Any) -> Claim:
    """Return the claim about the kernel that a request describes."""
    return kind_of(spec).claim(spec)


def modular_claim(spec: Spec) -> Claim:
    """Return the claim about a kernel with a modulus and, if it is a transform, a root."""
    numbers = f"q = {spec.modulus:#x}"
    if spec.n:
        numbers += f", root = {spec.told_root:#x} of order {spec.order_of_root}"
    if spec.target.proxy:
        never = f"Never verified, because its results are wrong by design. It is meant to be timed with {numbers}"
        return Claim(never, never)
    return claim(spec.check_command(suffixes(spec)[0]), numbers)


def state(text: str, about: Claim, verified: bool, only: str = "") -> str:
    """Return ``text`` with the line that is true: it claims a verification only if ``verified`` is true.

    Args:
        text: A generated file.
        about: The claim.
        verified: Whether the results were compared and are correct.
        only: The sizes that were compared if they were not all, such as ``n = 16 and 64 only``.
    """
    line = about.verified + f", {only}" * bool(only) if verified else about.unverified
    lines = f"{re.escape(about.unverified)}|{re.escape(about.verified)}(?:, n = [0-9 and]+ only)?"
    return re.sub(lines, lambda _: line, text)


def with_proof(source: Source, about: Claim, proven: str) -> Source:
    """Return ``source`` with what was proven of it, below the line of ``about`` in each of its files.

    Args:
        source: The source.
        about: The claim about verification.
        proven: What was proven, and of what; a few sentences.
    """
    text, header = (_with_lines(each, about, proven) for each in (source.source, source.header))
    return replace(source, source=text, header=header)


def _with_lines(text: str, about: Claim, proven: str) -> str:
    """Return a file with a text in its first comment, with the indentation of the line about verification."""
    found = re.search(rf"^(.*)(?:{re.escape(about.unverified)}|{re.escape(about.verified)}).*\n", text, re.MULTILINE)
    if found is None:
        return text
    lines = wrap(proven, WIDTH, initial_indent=found[1], subsequent_indent=found[1] + "  ")
    new = "".join(f"{line}\n" for line in lines)
    return text if new in text else text[: found.end()] + new + text[found.end() :]


def with_claim(source: Source, about: Claim, verified: bool, only: str = "") -> Source:
    """Return ``source`` with the line of ``about`` that is true in each of its files.

    The arguments ``verified`` and ``only`` are those of :func:`state`.
    """
    text, header = (state(each, about, verified, only) for each in (source.source, source.header))
    return replace(source, source=text, header=header)
