"""The plan of a transform as a self-contained HTML page."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from momagen import __version__
from momagen.data import folder
from momagen.plan import TransformPlan


class PlannedTransform(Protocol):
    """The attributes of an explained transform that a page reads, in addition to its breakdown and its codelets."""

    @property
    def title(self) -> str:
        """The name, the size and the target in one line."""

    @property
    def plan(self) -> TransformPlan:
        """The passes, and the role of every index bit in them."""


@lru_cache(maxsize=1)
def templates() -> Environment:
    """Return the loader of templates, which escapes HTML."""
    loader = FileSystemLoader(folder("templates"))
    return Environment(loader=loader, undefined=StrictUndefined, autoescape=True, trim_blocks=True)


def plan_page(told: PlannedTransform) -> str:
    """Return the page, on which every index bit is a square whose colour shows its role."""
    return templates().get_template("html/plan.html.j2").render(
        told=told, plan=told.plan, title=told.title, bits=_bits(told.plan), version=__version__
    )  # fmt: skip


def _bits(plan: TransformPlan) -> int:
    return max(len(each.bits) for each in plan.passes)
