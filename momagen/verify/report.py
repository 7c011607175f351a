"""The report of a verification, and the tally that is kept during it."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from momagen.errors import shorten
from momagen.html import card
from momagen.params.words import Words, from_words


class Mismatch(NamedTuple):
    """The first incorrect value.

    Attributes:
        method: The method that found it.
        vector: The name of the input.
        modulus: The modulus, in hexadecimal.
        output: The index of the value in the result.
        expected: The correct value, in hexadecimal.
        got: The incorrect value, in hexadecimal.
    """

    method: str
    vector: str
    modulus: str
    output: int
    expected: str
    got: str

    def __str__(self) -> str:
        values = f"expected {shorten(self.expected)}, got {shorten(self.got)}"
        return f"{self.method}, input {self.vector}, output {self.output}, q = {shorten(self.modulus)}: {values}"


def wrong(method: str, vector: str, q: int, index: int, expected: int, got: int) -> Found:
    """Return the exception that reports two different numbers.

    Args:
        method: The method that found them.
        vector: The name of the input.
        q: The modulus.
        index: The index of the value in the result.
        expected: The correct value.
        got: The incorrect value.
    """
    return Found(Mismatch(method, vector, hex(q), index, hex(expected), hex(got)))


class Found(Exception):
    """The exception that ends a verification at its first mismatch."""

    def __init__(self, mismatch: Mismatch) -> None:
        super().__init__(str(mismatch))
        self.mismatch = mismatch


@dataclass(frozen=True)
class Report:
    """The values of a kernel that were compared with gmpy2's, and the first mismatch if there is one.

    A report is true in conditions if :attr:`ok` is true.

    Attributes:
        kernel: The name of the kernel.
        vectors: The number of input vectors on which the kernel ran.
        edges: The names of the edge vectors among them.
        methods: The number of compared values, by method.
        moduli: All moduli with which the build ran.
        emulated: The CPU features whose instructions were emulated.
        elapsed: The duration in seconds.
        mismatch: The first incorrect value, or None.
        end: Why the kernel's own process ended early, and in which step; "" if it did not.
        branches: The number of conditional jumps on data in the machine code, or None if it was not inspected.
        compiler: The compiler of the inspected machine code, or "".
        sizes: For a kernel that ``ntt("any")`` built, the sizes that were compared; empty if all were.
    """

    kernel: str
    vectors: int
    edges: tuple[str, ...]
    methods: dict[str, int]
    moduli: tuple[int, ...]
    emulated: tuple[str, ...]
    elapsed: float
    mismatch: Mismatch | None = None
    end: str = ""
    branches: int | None = None
    compiler: str = ""
    sizes: tuple[int, ...] = ()

    @property
    def only(self) -> str:
        """The sizes that were compared if they were not all, such as "n = 16 and 64 only", otherwise ""."""
        return f"n = {' and '.join(map(str, self.sizes))} only" if self.sizes else ""

    @property
    def ok(self) -> bool:
        """Whether all values are present and correct and no branch that depends on data was found."""
        return not self.fault

    def __bool__(self) -> bool:
        """Return ``ok``, so that ``assert kernel.verify()`` works as expected."""
        return self.ok

    @property
    def fault(self) -> str:
        """A description of the error, or "" if there is none."""
        if self.mismatch or self.end:
            return str(self.mismatch or self.end)
        return self._jumps() if self.branches else ""

    @property
    def values(self) -> int:
        """The number of values that were compared, by all methods."""
        return sum(self.methods.values())

    def to_dict(self) -> dict[str, object]:
        """Return plain data for JSON, with moduli in hexadecimal."""
        moduli = [hex(q) for q in self.moduli]
        fault = self.mismatch and self.mismatch._asdict()
        return {**asdict(self), "ok": self.ok, "values": self.values, "moduli": moduli, "mismatch": fault}

    def _repr_html_(self) -> str:
        """Return the table that Jupyter shows."""
        rows = [("first mismatch", str(self.mismatch))] if self.mismatch else []
        rows += [("ended by", self.end)] if self.end else []
        rows += [("machine code", self._jumps())] if self.branches else []
        rows += [
            ("vectors", f"{self.vectors:,}, modulo {len(self.moduli)} numbers, against gmpy2"),
            ("edge cases", f"{len(self.edges)}: {', '.join(self.edges)}"),
            *((method, f"{values:,} values") for method, values in self.methods.items()),
            *[("compared", self.only)][: bool(self.sizes)],
            ("took", f"{self.elapsed:.2f} s" + f", {', '.join(self.emulated)} emulated" * bool(self.emulated)),
        ]
        return card(self.kernel, rows, verdict=self.ok)

    def __str__(self) -> str:
        if not self.ok:
            return f"{self.kernel}: FAIL: {self.fault}"
        methods = ", ".join(f"{name} ({count})" for name, count in self.methods.items())
        how = "its PTX on the CPU" if "gpu" in self.emulated else f"{', '.join(self.emulated)} emulated in plain C"
        emulated = f"; {how}" * bool(self.emulated) + f", {self.only}" * bool(self.sizes)
        moduli = f"{len(self.moduli)} {'moduli' if len(self.moduli) > 1 else 'modulus'}"
        return (
            f"{self.kernel}: PASS: {self.vectors} vectors ({len(self.edges)} edge cases), {moduli}, verified against "
            f"gmpy2 in {self.elapsed:.2f} s; values compared: {methods}{emulated}{self._inspection()}"
        )

    def _jumps(self) -> str:
        """Return a description of the branches that were found."""
        jumps = f"{self.branches} conditional jump{'s' * (self.branches != 1)}"
        verb = "depend" if self.branches != 1 else "depends"
        return f"{jumps} {verb} on data: compiled by {self.compiler}, its time may reveal secrets"

    def _inspection(self) -> str:
        """Return a remark on the machine code if it was to be inspected."""
        if not self.compiler:
            return ""
        return "; no branch depends on data" if self.branches == 0 else "; branches were not inspected"


class Tally:
    """A tally of the compared values, which raises :class:`Found` at the first difference."""

    def __init__(self) -> None:
        self.vectors = 0
        self.edges: dict[str, None] = {}
        self.methods: Counter[str] = Counter()
        self.moduli: dict[int, None] = {}

    def enter(self, vector: str, modulus: int, *, edge: bool, count: int = 1) -> None:
        """Count vectors.

        Args:
            vector: The name of the vectors.
            modulus: The modulus.
            edge: Whether they are edge vectors.
            count: The number of vectors.
        """
        self.vectors += count
        self.moduli[modulus] = None
        if edge:
            self.edges[vector] = None

    def compare(
        self, method: str, vector: str, q: int, got: Sequence[int], expected: Sequence[int], indices: Sequence[int],
        factor: int = 0,
    ) -> None:  # fmt: skip
        """Compare ``got`` with ``expected``, which are the outputs at ``indices``.

        Args:
            method: The method of the comparison.
            vector: The name of the input.
            q: The modulus.
            got: The values of the kernel.
            expected: The correct values.
            indices: The indices of the values in the result.
            factor: If it is not 0, values must agree modulo q and be below factor·q; otherwise they must be equal.

        Raises:
            Found: A value is incorrect.
        """
        agree = below(factor, q) if factor else operator.eq
        for index, seen, right in zip(indices, got, expected, strict=True):
            if not agree(seen, right):
                raise wrong(method, vector, q, index, right, seen)
        self.methods[method] += len(got)

    def compare_words(self, method: str, vector: str, q: int, got: Words, expected: Words) -> None:
        """Compare two arrays of the same shape (rows, words).

        Raises:
            Found: A value is incorrect.
        """
        demand_equal(method, vector, q, got, expected)
        self.methods[method] += len(got)


def below(factor: int, q: int) -> Callable[[int, int], bool]:
    """Return a function that checks whether a value is in [0, factor·q) and congruent to another one modulo q."""
    return lambda seen, right: 0 <= seen < factor * q and (seen - right) % q == 0


def demand_equal(method: str, vector: str, q: int, got: Words, expected: Words) -> None:
    """Check that two arrays of the same shape (rows, words) are equal.

    Raises:
        Found: They are not.
    """
    rows = np.flatnonzero((got != expected).any(axis=1))
    if len(rows):
        row = int(rows[0])
        raise wrong(method, vector, q, row, from_words(expected[row])[0], from_words(got[row])[0])
