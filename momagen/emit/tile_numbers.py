"""What the templates ask of a transform in tiles: where its tables stand, and what its loops count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from momagen.kernels.packed import left_out, most

from .reorder import squares
from .tiles import TileWriter


@dataclass(frozen=True)
class TileTransforms:
    """The numbers of one transform."""

    writer: TileWriter

    def numbers(self) -> dict[str, object]:
        """What the templates ask for."""
        spec, a, plan = self.writer.spec, self.writer.inner, self.writer.plan
        log_n, held = spec.n.bit_length() - 1, self.writer.arith.held
        scaled = a.held + a.word * left_out(a) if a.packed else 0
        expansions = -(-max(a.held, a.cut + a.word, scaled) // held)
        return {
            **self._passes(), "n": spec.n, "log_n": log_n, "inverse": spec.inverse, "powers": spec.order_of_root // 2,
            "log_powers": log_n - 1 + spec.negacyclic, "negacyclic": spec.negacyclic,
            "log_order": log_n + spec.negacyclic, "order_of_root": spec.order_of_root,
            "ring": f"x^{spec.n} {'+' if spec.negacyclic else '-'} 1", "entry": 0, "transforms": [],
            "lanes": plan.lanes, "log_lanes": plan.lanes.bit_length() - 1, "digits": a.words, "digit": a.word,
            "shared_words": a.shared_words, "apart_words": a.apart_words,
            "over": a.over, "over_q": a.over_q, "folds": a.folds, "settles": a.settles_between,
            "expansions": expansions, "fraction": expansions * held - a.held,
            "mu_shift": expansions * held - a.cut - a.word, "nu_shift": expansions * held - scaled,
            "nu_digits": -(-most(a).bit_length() // a.word) if a.packed else 0, "packed": a.packed, "half": a.half,
            "bodies": self.writer.bodies(),
            "reals": self.writer.reals(), "ranges": spec.ranges, "woven": self.writer.woven,
            "paired": self.writer.paired, "fused": self.writer.fused, "again": self.writer.again, "pace": a.pace,
            "between": self.writer.between, "opened": self.writer.opened, "converts": True,
            "constants": "{name}SCALE" + " + {name}SHARED" * (spec.inverse and not a.over),
            **squares(log_n, self.writer.arith.words),
        }  # fmt: skip

    def _passes(self) -> dict[str, object]:
        plan, a, offset = self.writer.plan, self.writer.inner, 0
        columns: list[dict[str, Any]] = []
        for at, one in enumerate(plan.columns):
            columns.append({
                "at": at, "offset": offset, "blocks": one.blocks, "rows": one.rows, "levels": one.levels,
                "stride": one.stride, "depth": one.depth, "words": (one.rows - 1) * a.shared_words, "width": one.width,
                "half": self._left(at) // 2, **self._ends(at),
            })  # fmt: skip
            offset += one.entries() * a.shared_words
        copies = any("copy" in (one["fetch"], one["put"]) for one in columns)
        rows, lanes = plan.rows, plan.lanes
        words = (lanes - 1) * (a.shared_words + lanes * a.apart_words)
        alone = not columns and (not self.writer.spec.inverse or a.over > 0)
        last = {
            "offset": offset, "blocks": rows.blocks, "depth": rows.depth, "group": rows.group, "words": words,
            "rows": lanes if alone else rows.group * lanes, "half": (lanes >> alone * self.writer.opened) // 2,
        }  # fmt: skip
        vectors = max((one.rows * one.width for one in plan.columns), default=lanes)
        lone = any(one.rows == 2 for one in plan.columns)
        size = offset + rows.blocks * words
        return {
            "lone": lone, "columns": columns, "last": last, "tile_vectors": vectors, "table_words": size,
            "runs": sorted({(one["rows"], one["half"]) for one in [*columns, last] if one["half"]}),
            "copies": copies, "room": plan.room, "rests": plan.room < plan.n,
        }  # fmt: skip

    def _left(self, at: int) -> int:
        """Rows of column pass ``at`` that one block has after the levels that go with conversions."""
        opens = at == 0 and (not self.writer.spec.inverse or self.writer.inner.over > 0)
        return self.writer.plan.columns[at].rows >> opens * self.writer.opened

    def _ends(self, at: int) -> dict[str, object]:
        """What takes the rows of column pass ``at`` from memory to its tiles and back, "" where levels themselves do,
        and words per residue there."""
        plan, inverse = self.writer.plan, self.writer.spec.inverse
        one, above = plan.columns[at], at > 0 and plan.columns[at - 1].rests
        moved = "copy" if one.width > 1 else ""
        drawn = "settle" if self.writer.inner.settles_between else moved
        fetch = {True: drawn if self.writer.plain else "resume", False: drawn}
        put = {True: moved if self.writer.plain else "rest", False: moved}
        units = {True: "WORDS", False: "DIGITS"}
        come, go = (one.rests, above) if inverse else (above, one.rests)
        first, last = at == 0 and not inverse, at == 0 and inverse
        return {
            "rests": one.rests, "fetch": "first" if first else fetch[come], "come_unit": units[come],
            "put": ("last" if self.writer.inner.over else "end") if last else put[go], "go_unit": units[go],
        }  # fmt: skip

