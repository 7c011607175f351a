"""The port pressure of one codelet, and the change of it by proposed instructions, as text and as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from .body import MachineLine, moves
from .codelet import CodeletText
from .rendering import STAR, listing, together
from .table import PortTable

CLOSED = "the model puts 512-bit instructions on port 1, where CPUs cannot execute them: ports 0 and 5 are busier"
"""A warning about LLVM's models of Skylake and Ice Lake."""


@dataclass(frozen=True)
class PortPressure:
    """The analysis of one codelet on one target.

    Attributes:
        op: The codelet.
        modulus_bits: The width of its modulus in bits.
        codelet: Its C file.
        assembly: The complete assembly of that file.
        lines: The instructions of the codelet.
        names: The proposed mnemonics of the instructions that represent proposed ones, by index.
        table: The analysis.
        cpu: The CPU by LLVM's name.
        analyzer: The name and version of the analyzer.
        compiler: The name and version of the compiler.
        aside: A remark for readers who take the codelet as part of a kernel of the target, or "".
    """

    op: str
    modulus_bits: int
    codelet: CodeletText
    assembly: str
    lines: tuple[MachineLine, ...]
    names: Mapping[int, str]
    table: PortTable
    cpu: str
    analyzer: str
    compiler: str
    aside: str = ""

    @property
    def target(self) -> str:
        """The name of the target."""
        return self.codelet.target.name

    @property
    def elements(self) -> int:
        """The number of elements that one block computes, one in each lane."""
        return self.codelet.target.lanes

    @property
    def unknown(self) -> int:
        """The number of instructions for which the analyzer has no data."""
        return sum(not row.known for row in self.table.rows)

    @property
    def used(self) -> list[str]:
        """The ports that are used, in the order of the model."""
        return [port for port in self.table.ports if any(row.ports.get(port) for row in self.table.rows)]

    def shown(self, at: int) -> str:
        """Return the text of an instruction, with the proposed mnemonic if it represents a proposed instruction."""
        text = self.table.rows[at].text
        return f"{self.names[at]} {text.partition(' ')[2]}".strip() if at in self.names else text

    def lines_of_text(self, ports: Sequence[str]) -> list[Text]:
        """Return the lines for a terminal, with columns for these ports."""
        texts = [self.shown(at) for at in range(len(self.lines))]
        title = f"{self.target}, {self.op} modulo {self.modulus_bits} bits - resource pressure by instruction:"
        notes = map(Text, [*self._notes(), *self._warnings()])
        return [Text(title, "bold"), *listing(self.table, ports, texts, self.names), *notes]

    def rendered(self) -> Text:
        """Return the text for a terminal, in the form of the MQX paper's Listing 4."""
        return Text("\n").join(self.lines_of_text(self.used))

    def text(self) -> str:
        """Return plain text, in which a star marks instructions that represent proposed ones."""
        return self.rendered().plain

    def _notes(self) -> list[str]:
        table, moved = self.table, moves(self.lines)
        uops = "" if table.uops is None else f"{table.uops:g} uops, "
        bounds = f"bound by ports {table.spread:.2f}, bound of the analyzer {table.bound:.2f}"
        model = f" (scheduling model {table.model})" * bool(table.model)
        counts = ", ".join(f"{each}s {moved[each]}" for each in ("load", "store", "spill"))
        return [
            f"{len(self.lines)} instructions, {uops}for {self.elements} element{'s' * (self.elements > 1)}",
            f"block throughput {table.throughput:.2f} cycles ({bounds})",
            f"{self.cpu}{model} by {self.analyzer}; {self.compiler}",
            f"operands and results in {'registers' if self.codelet.in_registers else 'memory'}; {counts}",
        ]

    def _warnings(self) -> list[str]:
        rows = zip(self.lines, self.table.rows, strict=True)
        wide = any("%zmm" in line.text and row.ports.get("1") for line, row in rows)
        told = {
            f"{self.analyzer} has no data on {self.unknown} instructions, which count as 0 cycles": self.unknown > 0,
            f"{STAR} a proposed instruction, on the ports of its proxy": bool(self.names),
            CLOSED: wide and not self.cpu.startswith("znver"),
            self.aside: bool(self.aside),
        }
        return [text for text, holds in told.items() if holds]

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as plain data for JSON."""
        table = self.table
        return {
            "target": self.target, "codelet": self.op, "modulus_bits": self.modulus_bits, "cpu": self.cpu,
            "analyzer": self.analyzer, "model": table.model, "compiler": self.compiler, "elements": self.elements,
            "instructions": len(self.lines), "uops": table.uops, "throughput": table.throughput,
            "ports_alone": table.spread, "bound": table.bound, "totals": dict(table.totals),
            "operands_in_registers": self.codelet.in_registers, "moves": dict(moves(self.lines)),
            "rows": [
                {"text": self.shown(at), "instruction": self.lines[at].text, "proposed": at in self.names,
                 "ports": dict(row.ports), "known": row.known}
                for at, row in enumerate(table.rows)
            ],
        }  # fmt: skip


@dataclass(frozen=True)
class PressureChange:
    """The port pressure of a codelet before and after a proposal.

    Ratios are per element, and a ratio above 1 means that the proposal needs less.

    Attributes:
        before: The analysis on the first target.
        after: The analysis on the second target.
    """

    before: PortPressure
    after: PortPressure

    @property
    def ratio(self) -> float:
        """The ratio of the reciprocal throughputs of the blocks."""
        before, after = (each.table.throughput / each.elements for each in (self.before, self.after))
        return before / after

    @property
    def instruction_ratio(self) -> float:
        """The ratio of the numbers of instructions."""
        before, after = (len(each.lines) / each.elements for each in (self.before, self.after))
        return before / after

    def rendered(self, beside: bool = False) -> Text:
        """Return the text for a terminal, with the same columns in both listings.

        Args:
            beside: Whether the listings are side by side instead of one below the other.
        """
        both = {*self.before.used, *self.after.used}
        ports = [port for port in self.before.table.ports if port in both]
        lines = together(self.before.lines_of_text(ports), self.after.lines_of_text(ports), beside)
        return Text("\n").join([*lines, Text(""), Text(self._ratios(), "bold")])

    def text(self, beside: bool = False) -> str:
        """Return plain text; see :meth:`rendered`."""
        return self.rendered(beside).plain

    def _ratios(self) -> str:
        known = ", of the known instructions" * bool(self.before.unknown or self.after.unknown)
        return (
            f"{self.before.target} / {self.after.target}, per element: {self.ratio:.2f} × in block throughput"
            f"{known}, {self.instruction_ratio:.2f} × in instructions"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data for JSON."""
        return {
            "before": self.before.to_dict(), "after": self.after.to_dict(), "ratio": self.ratio,
            "instruction_ratio": self.instruction_ratio,
        }  # fmt: skip
