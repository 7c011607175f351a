"""Rewriting: the rule table in the papers' notation, the engine that applies it, and the trace of what was applied."""

from momagen.rewrite.digits.exponents import machine_block
from momagen.rewrite.engine.accumulate import accumulate, unmasked
from momagen.rewrite.engine.machine import DEFAULTS, Machine, Trace
from momagen.rewrite.engine.passes import reduce_products, rewrite
from momagen.rewrite.engine.procedures import Procedures
from momagen.rewrite.lanes.carry_lookahead import LaneGroup, can_look_ahead, look_ahead, registers
from momagen.rewrite.rules.by_form import by_form, folding, form_of, sparse
from momagen.rewrite.rules.operations import COMPOSITES, CONSTANTS, SIGNS
from momagen.rewrite.rules.rule import Rule, load_file, parse_rule
from momagen.rewrite.rules.table import RuleTable, check_shrinks, table, table_columns

__all__ = [
    "COMPOSITES", "CONSTANTS", "DEFAULTS", "SIGNS", "LaneGroup", "Machine", "Procedures", "Rule", "RuleTable", "Trace",
    "accumulate", "by_form", "can_look_ahead", "check_shrinks", "folding", "form_of", "load_file", "look_ahead",
    "machine_block", "parse_rule", "reduce_products", "registers", "rewrite", "sparse", "table", "table_columns",
    "unmasked",
]  # fmt: skip
