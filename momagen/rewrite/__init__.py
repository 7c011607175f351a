"""Term rewriting: the rule table in the notation of the papers, and the engine that applies it.

:func:`rewrite` replaces the operations of a block by operations of a :class:`Machine`, by the rules in
``rules/*.toml``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.lazy import on_demand
from momagen.rewrite.rules.operations import COMPOSITES, CONSTANTS, SIGNS  # this import also registers the operations

if TYPE_CHECKING:
    from momagen.rewrite.digits.exponents import machine_block
    from momagen.rewrite.engine.accumulate import accumulate, unmasked
    from momagen.rewrite.engine.machine import DEFAULTS, Machine, Trace
    from momagen.rewrite.engine.passes import reduce_products, rewrite
    from momagen.rewrite.engine.procedures import Procedures
    from momagen.rewrite.lanes.carry_lookahead import LaneGroup, can_look_ahead, look_ahead, registers
    from momagen.rewrite.rules.by_form import by_form, folding, form_of, sparse
    from momagen.rewrite.rules.rule import Rule, load_file, parse_rule
    from momagen.rewrite.rules.table import RuleTable, check_shrinks, table, table_columns
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "momagen.rewrite.digits.exponents": ("machine_block",),
            "momagen.rewrite.engine.accumulate": ("accumulate", "unmasked"),
            "momagen.rewrite.engine.machine": ("DEFAULTS", "Machine", "Trace"),
            "momagen.rewrite.engine.passes": ("reduce_products", "rewrite"),
            "momagen.rewrite.engine.procedures": ("Procedures",),
            "momagen.rewrite.lanes.carry_lookahead": ("LaneGroup", "can_look_ahead", "look_ahead", "registers"),
            "momagen.rewrite.rules.by_form": ("by_form", "folding", "form_of", "sparse"),
            "momagen.rewrite.rules.rule": ("Rule", "load_file", "parse_rule"),
            "momagen.rewrite.rules.table": ("RuleTable", "check_shrinks", "table", "table_columns"),
        },
    )

__all__ = [
    "COMPOSITES", "CONSTANTS", "DEFAULTS", "SIGNS", "LaneGroup", "Machine", "Procedures", "Rule", "RuleTable", "Trace",
    "accumulate", "by_form", "can_look_ahead", "check_shrinks", "folding", "form_of", "load_file", "look_ahead",
    "machine_block", "parse_rule", "reduce_products", "registers", "rewrite", "sparse", "table", "table_columns",
    "unmasked",
]  # fmt: skip
