"""The papers by name; a paper's module is imported when the paper is asked for."""

from __future__ import annotations

from importlib import import_module

from momagen.errors import among

from .exhibit import Paper

NAMES = ("moma", "mqx", "rpu", "hexl", "cross")
"""The folders of this package that hold a paper, each with its ``PAPER``."""


def load_paper(name: str) -> Paper:
    """Return the paper ``name``.

    Raises:
        MomagenError: The name is unknown.
    """
    if name not in NAMES:
        raise among("a paper among", NAMES, name, "paper")
    paper = import_module(f".{name}", __package__).PAPER
    assert isinstance(paper, Paper)
    return paper
