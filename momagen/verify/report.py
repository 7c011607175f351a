"""What a verification found, and the tally that it keeps on the way."""

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
    """The first wrong value: by which method, for which input and modulus, at which output; numbers in hexadecimal."""

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
    """The error that reports two different numbers."""
    return Found(Mismatch(method, vector, hex(q), index, hex(expected), hex(got)))


class Found(Exception):
    """Ends a verification at its first mismatch."""

    def __init__(self, mismatch: Mismatch) -> None:
        super().__init__(str(mismatch))
        self.mismatch = mismatch


@dataclass(frozen=True)
class Report:
    """What was compared with gmpy2, and the first mismatch if there is one.

    Attributes:
        vectors: input vectors that the kernel ran on. edges: the named ones among them.
        methods: values compared, by method. moduli: all that ran, through the same build.
        emulated: CPU features whose instructions plain-C stand-ins did. elapsed: seconds.
        end: why the kernel's own process ended before its time, and in which step; "" where it did not.
        branches: conditional jumps on data in the machine code that ``compiler`` made; None where it was not inspected.
        sizes: the only sizes of a transform of any size that were compared; empty if all were.
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
        """The sizes that were compared, if they were not all, such as ``n = 16 and 64 only``."""
        return f"n = {' and '.join(map(str, self.sizes))} only" if self.sizes else ""

    @property
    def ok(self) -> bool:
        """Whether every value was right, and came, and no branch was found that depends on data."""
        return not self.fault

    def __bool__(self) -> bool:
        """As ``ok``, so that ``assert kernel.verify()`` says what it seems to."""
        return self.ok

    @property
    def fault(self) -> str:
        """What is wrong; "" where nothing is."""
        if self.mismatch or self.end:
            return str(self.mismatch or self.end)
        return self._jumps() if self.branches else ""

    @property
    def values(self) -> int:
        """Values compared, by all methods."""
        return sum(self.methods.values())

    def to_dict(self) -> dict[str, object]:
        """Plain data for JSON; moduli in hexadecimal."""
        moduli = [hex(q) for q in self.moduli]
        fault = self.mismatch and self.mismatch._asdict()
        return {**asdict(self), "ok": self.ok, "values": self.values, "moduli": moduli, "mismatch": fault}

    def _repr_html_(self) -> str:
        """For Jupyter."""
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
        """What the branches that were found mean."""
        jumps = f"{self.branches} conditional jump{'s' * (self.branches != 1)}"
        verb = "depend" if self.branches != 1 else "depends"
        return f"{jumps} {verb} on data: compiled by {self.compiler}, its time may reveal secrets"

    def _inspection(self) -> str:
        """What is said of the machine code, where somebody asked for it."""
        if not self.compiler:
            return ""
        return "; no branch depends on data" if self.branches == 0 else "; branches were not inspected"


class Tally:
    """Counts what is compared; raises :class:`Found` at the first difference."""

    def __init__(self) -> None:
        self.vectors = 0
        self.edges: dict[str, None] = {}
        self.methods: Counter[str] = Counter()
        self.moduli: dict[int, None] = {}

    def enter(self, vector: str, modulus: int, *, edge: bool, count: int = 1) -> None:
        """``count`` more vectors; ``edge``: one with a name of its own."""
        self.vectors += count
        self.moduli[modulus] = None
        if edge:
            self.edges[vector] = None

    def compare(
        self, method: str, vector: str, q: int, got: Sequence[int], expected: Sequence[int], indices: Sequence[int],
        factor: int = 0,
    ) -> None:  # fmt: skip
        """``got`` and ``expected``, the outputs at ``indices``.

        Args:
            factor: they agree modulo q, and what came is below factor·q; 0: they are equal.
        """
        agree = below(factor, q) if factor else operator.eq
        for index, seen, right in zip(indices, got, expected, strict=True):
            if not agree(seen, right):
                raise wrong(method, vector, q, index, right, seen)
        self.methods[method] += len(got)

    def compare_words(self, method: str, vector: str, q: int, got: Words, expected: Words) -> None:
        """Two arrays of the same shape (rows, words)."""
        demand_equal(method, vector, q, got, expected)
        self.methods[method] += len(got)


def below(factor: int, q: int) -> Callable[[int, int], bool]:
    """Whether a value lies in [0, factor·q) and is congruent to another modulo q."""
    return lambda seen, right: 0 <= seen < factor * q and (seen - right) % q == 0


def demand_equal(method: str, vector: str, q: int, got: Words, expected: Words) -> None:
    """Two arrays of the same shape (rows, words), equal or :class:`Found`."""
    rows = np.flatnonzero((got != expected).any(axis=1))
    if len(rows):
        row = int(rows[0])
        raise wrong(method, vector, q, row, from_words(expected[row])[0], from_words(got[row])[0])
