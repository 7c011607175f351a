"""The intermediate representation of straight-line code: integers with exact intervals, and operations.

A :class:`Block` is a list of instructions in SSA form. A :class:`Builder` appends instructions to a block,
and ``OPS`` is the table of operations. The interpreter runs a block on Python integers and checks every value
against its interval. Rewrite rules are in :mod:`momagen.rewrite`.
"""

from .block import Block, Instr, Procedure, leaves, renewed, words
from .build import Builder
from .clean import dead_code, sweep
from .interp import BoundError, run, run_lanes
from .lane import LANE_OPS
from .masks import MASK_OPS
from .ops import KINDS, OPS, Op, register
from .real import DOUBLE_OPS, REAL_OPS
from .value import Value, const, join, numeral, refine

__all__ = [
    "DOUBLE_OPS",
    "KINDS",
    "LANE_OPS",
    "MASK_OPS",
    "OPS",
    "REAL_OPS",
    "Block",
    "BoundError",
    "Builder",
    "Instr",
    "Op",
    "Procedure",
    "Value",
    "const",
    "dead_code",
    "join",
    "leaves",
    "numeral",
    "refine",
    "register",
    "renewed",
    "run",
    "run_lanes",
    "sweep",
    "words",
]  # fmt: skip
