"""The RPU paper (Soni et al., ISPASS 2023): its numbers and their reproduction."""

from pathlib import Path

from momagen.lazy import on_call
from momagen.papers.exhibit import Paper

MEASURED = ("figure-3", "figure-4", "figure-5", "figure-6", "figure-7", "figure-8", "figure-9", "figure-10",
            "section-7", "text")  # fmt: skip
"""The exhibits that one simulation measures."""
PAPER = Paper(
    "rpu",
    Path(__file__).parent,
    measure=dict.fromkeys(MEASURED, on_call("momagen.papers.rpu.exhibits", "measure")),
    model=on_call("momagen.papers.rpu.exhibits", "model"),
    derive=on_call("momagen.papers.rpu.exhibits", "derive"),
    convert=on_call("momagen.papers.rpu.baseline", "convert"),
)
