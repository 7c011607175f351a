"""Port pressure of one codelet, and before and after a proposal, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from .body import MachineLine, moves
from .codelet import CodeletText
from .rendering import STAR, listing, together
from .table import PortTable

CLOSED = "the model puts 512-bit instructions on port 1, which CPUs close to them: ports 0 and 5 have more to do"
"""LLVM's models of Skylake and Ice Lake do so."""


@dataclass(frozen=True)
class PortPressure:
    """The analysis of one codelet on one target.

    Attributes:
        op: the codelet. modulus_bits: of its modulus. codelet: its C. assembly: what the compiler made of all of it.
        lines: the instructions of the codelet. names: those of them that stand for proposed ones, by their number,
            with the proposed mnemonics. table: the analysis. cpu: for which. analyzer, compiler: by name and version.
        aside: what to know before reading it as a kernel of the target, "" where there is nothing.
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
        """The target's name."""
        return self.codelet.target.name

    @property
    def elements(self) -> int:
        """How many one block does: one in each lane."""
        return self.codelet.target.lanes

    @property
    def unknown(self) -> int:
        """Instructions that the analyzer has no data on."""
        return sum(not row.known for row in self.table.rows)

    @property
    def used(self) -> list[str]:
        """The ports that are kept at all, in the model's order."""
        return [port for port in self.table.ports if any(row.ports.get(port) for row in self.table.rows)]

    def shown(self, at: int) -> str:
        """An instruction as it is shown: under the proposed mnemonic, where it stands for such a one."""
        text = self.table.rows[at].text
        return f"{self.names[at]} {text.partition(' ')[2]}".strip() if at in self.names else text

    def lines_of_text(self, ports: Sequence[str]) -> list[Text]:
        """For a terminal, with columns for these ports."""
        texts = [self.shown(at) for at in range(len(self.lines))]
        title = f"{self.target}, {self.op} modulo {self.modulus_bits} bits - resource pressure by instruction:"
        notes = map(Text, [*self._notes(), *self._warnings()])
        return [Text(title, "bold"), *listing(self.table, ports, texts, self.names), *notes]

    def rendered(self) -> Text:
        """For a terminal, as the MQX paper's Listing 4."""
        return Text("\n").join(self.lines_of_text(self.used))

    def text(self) -> str:
        """Plain text; a star stands in front of what stands for a proposed instruction."""
        return self.rendered().plain

    def _notes(self) -> list[str]:
        table, moved = self.table, moves(self.lines)
        uops = "" if table.uops is None else f"{table.uops:g} uops, "
        bounds = f"ports alone {table.spread:.2f}, the analyzer's own bound {table.bound:.2f}"
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
            f"{self.analyzer} knows nothing of {self.unknown} instructions, which count as 0": self.unknown > 0,
            f"{STAR} a proposed instruction, on the ports of what stands for it": bool(self.names),
            CLOSED: wide and not self.cpu.startswith("znver"),
            self.aside: bool(self.aside),
        }
        return [text for text, holds in told.items() if holds]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
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
    """A codelet before and after a proposal. Ratios are for one element: above 1, less is needed after it."""

    before: PortPressure
    after: PortPressure

    @property
    def ratio(self) -> float:
        """Of the blocks' reciprocal throughputs."""
        before, after = (each.table.throughput / each.elements for each in (self.before, self.after))
        return before / after

    @property
    def instruction_ratio(self) -> float:
        """Of the numbers of instructions."""
        before, after = (len(each.lines) / each.elements for each in (self.before, self.after))
        return before / after

    def rendered(self, beside: bool = False) -> Text:
        """For a terminal, with the same columns in both; ``beside``: side by side, not one under the other."""
        both = {*self.before.used, *self.after.used}
        ports = [port for port in self.before.table.ports if port in both]
        lines = together(self.before.lines_of_text(ports), self.after.lines_of_text(ports), beside)
        return Text("\n").join([*lines, Text(""), Text(self._ratios(), "bold")])

    def text(self, beside: bool = False) -> str:
        """Plain text."""
        return self.rendered(beside).plain

    def _ratios(self) -> str:
        known = ", of the known instructions" * bool(self.before.unknown or self.after.unknown)
        return (
            f"{self.before.target} over {self.after.target}, for one element: {self.ratio:.2f} × in block throughput"
            f"{known}, {self.instruction_ratio:.2f} × in instructions"
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "before": self.before.to_dict(), "after": self.after.to_dict(), "ratio": self.ratio,
            "instruction_ratio": self.instruction_ratio,
        }  # fmt: skip
