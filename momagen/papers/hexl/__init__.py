"""The HEXL paper (Boemer et al., WAHC 2021): its numbers and their reproduction."""

from pathlib import Path

from momagen.papers.exhibit import Paper

from .kernels import MEASURES
from .programs import convert
from .speeds import derive

PAPER = Paper("hexl", Path(__file__).parent, measure=MEASURES, derive=derive, convert=convert)
