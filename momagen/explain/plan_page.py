"""The plan of a transform as a page or a picture that needs nothing but itself."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from momagen import __version__
from momagen.data import folder
from momagen.plan import TransformPlan


class PlannedTransform(Protocol):
    """What a page reads of an explained transform, besides its breakdown and its codelets."""

    @property
    def title(self) -> str:
        """The name, the size and the target in one line."""

    @property
    def plan(self) -> TransformPlan:
        """The passes, and where every bit of an index lives in them."""


@lru_cache(maxsize=1)
def _templates() -> Environment:
    loader = FileSystemLoader(folder("templates"))
    return Environment(loader=loader, undefined=StrictUndefined, autoescape=True, trim_blocks=True)


def plan_page(told: PlannedTransform) -> str:
    """The page; every index bit is a square in the colour of where it lives."""
    return _templates().get_template("html/plan.html.j2").render(
        told=told, plan=told.plan, title=told.title, bits=_bits(told.plan), version=__version__
    )  # fmt: skip


def plan_picture(plan: TransformPlan, title: str) -> str:
    """The squares of all passes as an SVG picture."""
    return _templates().get_template("html/plan.svg.j2").render(plan=plan, title=title, bits=_bits(plan))


def _bits(plan: TransformPlan) -> int:
    return max(len(each.bits) for each in plan.passes)
