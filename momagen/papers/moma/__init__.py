"""The MoMA paper (Zhang and Franchetti, CGO 2025): its numbers and their reproduction."""

from pathlib import Path

from momagen.papers.exhibit import Paper

from .convert import convert
from .derived import derive
from .generation import measure as measure_generation
from .gmp import measure_transforms, measure_vectors
from .instructions import EXHIBIT, count
from .rules import model

PAPER = Paper(
    "moma",
    Path(__file__).parent,
    measure={
        "figure-2": measure_vectors,
        "figure-4": measure_transforms,
        EXHIBIT: count,
        "generation": measure_generation,
    },
    model=model,
    derive=derive,
    convert=convert,
)
