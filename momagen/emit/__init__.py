"""From a specification to text in the language of its target."""

from __future__ import annotations

from .kernel import generate
from .source import Source

__all__ = ["Source", "generate"]
