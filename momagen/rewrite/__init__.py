"""Rewriting: the rule table in the papers' notation, the engine that applies it, and the trace of what fired."""

from .accumulate import accumulate, unmasked
from .composites import COMPOSITES
from .engine import rewrite, word_count
from .machine import DEFAULTS, Machine, Trace
from .procedures import Procedures
from .real import rewrite_real
from .rules import Rule, RuleTable, load_file, parse_rule, table
from .shrink import check_shrinks
from .slack import rewrite_slack
from .units import machine_block

__all__ = [
    "COMPOSITES", "DEFAULTS", "Machine", "Procedures", "Rule", "RuleTable", "Trace",
    "accumulate", "check_shrinks", "load_file", "machine_block", "parse_rule",
    "rewrite", "rewrite_real", "rewrite_slack", "table", "unmasked", "word_count",
]  # fmt: skip
