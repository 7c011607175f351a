"""The Jinja templates of files, and the filters that they use."""

from __future__ import annotations

from functools import lru_cache
from textwrap import TextWrapper

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .data import folder

WIDTH = 132
"""The number of columns of a line in a comment."""


@lru_cache(maxsize=1)
def templates() -> Environment:
    """Return the Jinja environment, in which a missing name is an error."""
    loader = FileSystemLoader(folder("templates"))
    found = Environment(
        loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        optimized=False,  # most templates are rendered once
    )  # fmt: skip
    found.filters["plan_field"] = "plan->{}".format
    found.filters["with_null"], found.filters["after_null"] = "{}, 0".format, "0, {}".format
    found.filters["each"] = each_of
    found.filters["comment"] = lambda doc: "\n".join(comment(doc))
    return found


def each_of(count: int, text: str, between: str = ", ") -> str:
    """Return ``text`` for every number below ``count``, with # replaced by the number."""
    return between.join(text.replace("#", str(i)) for i in range(count))


def comment(doc: str) -> list[str]:
    """Return ``doc`` as a C comment, wrapped; each line of it is a paragraph."""
    wrapped = TextWrapper(WIDTH, "   ", "   ", break_long_words=False, break_on_hyphens=False).wrap
    lines = [line for paragraph in doc.splitlines() for line in wrapped(paragraph)]
    text = "\n".join(lines)
    return f"/*{text[2:]} */".splitlines() if text else []
