"""Rewriting: the rule table in the papers' notation, the engine that applies it, and the trace of what was applied."""

from .accumulate import accumulate, unmasked
from .composites import COMPOSITES
from .free import split_room
from .lookahead import Group, can_look_ahead, look_ahead, registers
from .machine import DEFAULTS, Machine, Trace
from .modular import CONSTANTS
from .passes import rewrite, word_count
from .procedures import Procedures
from .real import rewrite_real
from .reduction import reduce_products, table_columns
from .rule_table import RuleTable, table
from .rules import Rule, load_file, parse_rule
from .shrink import check_shrinks
from .slack import rewrite_slack
from .units import machine_block

__all__ = [
    "COMPOSITES", "CONSTANTS", "DEFAULTS", "Group", "Machine", "Procedures", "Rule", "RuleTable", "Trace",
    "accumulate", "can_look_ahead", "check_shrinks", "load_file", "look_ahead", "machine_block", "parse_rule",
    "reduce_products", "registers", "rewrite", "rewrite_real", "rewrite_slack", "split_room", "table", "table_columns",
    "unmasked", "word_count",
]  # fmt: skip
