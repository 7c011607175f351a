"""The MQX paper (Zhang, Fu and Franchetti, MICRO 2025): its numbers and their reproduction."""

from functools import partial
from pathlib import Path

from momagen.lazy import on_call
from momagen.papers.exhibit import Paper

MEASURED = ("table-6", "figure-4", "figure-5", "figure-6", "section-5.5", "figure-7", "listing-4")
"""The exhibits that a study of ``momagen mqx`` reproduces."""
PAPER = Paper(
    "mqx",
    Path(__file__).parent,
    measure={name: partial(on_call("momagen.papers.mqx.measuring", "measure"), name) for name in MEASURED},
    model=on_call("momagen.papers.mqx.measuring", "model"),
    convert=on_call("momagen.papers.mqx.outcomes", "convert"),
)
