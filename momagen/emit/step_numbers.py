"""What the templates ask of a transform in steps: where its tables stand, and what its loops count."""

from __future__ import annotations

from dataclasses import dataclass

from .reorder import squares
from .step_body import ZEROTH
from .steps import StepWriter, padded


@dataclass(frozen=True)
class StepTransforms:
    """The numbers of one transform."""

    writer: StepWriter

    def needs(self) -> list[str]:
        return ["mont", "add", "newton", *["quot"] * self.writer.whole, *["half"] * self.writer.spec.inverse]

    def numbers(self) -> dict[str, object]:
        """What the templates ask for."""
        spec, plan = self.writer.spec, self.writer.plan
        log_n = spec.n.bit_length() - 1
        columns, offset = self._columns()
        last = {
            "offset": offset, "blocks": plan.rows.blocks, "depth": plan.rows.depth, "words": self.writer.per_tile,
            "shared": self.writer.shared, "together": self.writer.together,
            "entry": len(self.writer.chain.rows[1].letters), "scaled": self.writer.chain.rows[0].scaled,
        }  # fmt: skip
        bodies = {f"step_{at}_{i}": self.writer.step(placed) for at, row in enumerate(self.writer.chain.columns)
                  for i, placed in enumerate(row)}  # fmt: skip
        return {
            "n": spec.n, "log_n": log_n, "inverse": spec.inverse, "powers": spec.order_of_root // 2,
            "log_powers": log_n - 1 + spec.negacyclic, "negacyclic": spec.negacyclic,
            "log_order": log_n + spec.negacyclic, "order_of_root": spec.order_of_root,
            "ring": f"x^{spec.n} {'+' if spec.negacyclic else '-'} 1", "entry": 0, "transforms": [],
            "lanes": plan.lanes, "log_lanes": plan.lanes.bit_length() - 1, "digit": self.writer.digit,
            "columns": columns, "last": last, "table_words": offset + plan.rows.blocks * self.writer.per_tile,
            "most_rows": max((one.rows for one in plan.columns), default=1), "bodies": bodies,
            "rows": self.writer.rows(), "ranges": spec.ranges, "whole": self.writer.whole, "shared": self._entry,
            **squares(log_n, 1), "between": self.writer.between, "converts": not self.writer.whole,
            "constants": str(ZEROTH + self._entry),
        }  # fmt: skip

    @property
    def _entry(self) -> int:
        """Words of a constant that lanes share."""
        return len(self.writer.inner.letters(True))

    def _columns(self) -> tuple[list[dict[str, object]], int]:
        """Every column pass with its steps, in the order in which they run, and where its tables begin."""
        offset, columns, lanes = 0, [], self.writer.plan.lanes
        for at, (one, row) in enumerate(zip(self.writer.plan.columns, self.writer.chain.columns, strict=True)):
            sizes = [p.blocks * p.words(1) for p in row]
            words = sum(sizes)
            steps = [
                {
                    "name": f"step_{at}_{i}", "offset": sum(sizes[:i]), "blocks": p.blocks, "radix": p.radix,
                    "inner": one.rows >> p.depth + p.levels, "depth": one.depth + p.depth, "levels": p.levels,
                    "words": p.words(1), "scaled": p.scaled,
                }
                for i, p in enumerate(row)
            ]  # fmt: skip
            columns.append({
                "depth": one.depth, "levels": one.levels, "blocks": one.blocks, "rows": one.rows,
                "stride": one.stride, "offset": offset, "words": words, "steps": steps,
            })  # fmt: skip
            offset += one.blocks * words
        return columns, padded(offset, lanes)
