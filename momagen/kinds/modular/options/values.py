"""All options with their values, as files and command lines write them."""

from __future__ import annotations

from momagen.kinds.parameter import parameters_of

from .declared import OptionFields

MACHINE = ("carry", "borrow", "product")
"""The choices of the rule table that every target makes. If a request sets them, they apply to vector code
and not to the code of set-up functions."""
OPTIONS = {name: each.values for name, each in parameters_of(OptionFields).items()}
"""All options, each with the values that are valid for any kind."""
