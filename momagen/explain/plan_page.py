"""The plan of a transform as a page that needs nothing but itself."""

from __future__ import annotations

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from momagen import __version__
from momagen.data import folder
from momagen.plan import TransformPlan


def plan_page(plan: TransformPlan, title: str) -> str:
    """The page; every index bit is a square in the colour of where it lives."""
    templates = Environment(
        loader=FileSystemLoader(folder("templates")), undefined=StrictUndefined, autoescape=True, trim_blocks=True
    )
    return templates.get_template("html/plan.html.j2").render(
        plan=plan, title=title, bits=plan.n.bit_length() - 1, version=__version__
    )
