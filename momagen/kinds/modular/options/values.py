"""All options with their values, as files and command lines write them."""

from __future__ import annotations

from momagen.kinds.parameter import parameters_of

from .declared import OptionFields

MACHINE = ("carry", "borrow", "product")
"""Choices of the rule table that every target makes; given as options, they hold for vector code, not for set-up."""
OPTIONS = {name: each.values for name, each in parameters_of(OptionFields).items()}
"""All options, each with the values that it has for any kind."""
