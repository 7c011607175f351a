"""The MoMA paper (Zhang and Franchetti, CGO 2025): its numbers and their reproduction."""

from pathlib import Path

from momagen.papers.exhibit import Paper

PAPER = Paper("moma", Path(__file__).parent)
