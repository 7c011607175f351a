"""All options with their values, as files and command lines write them."""

from __future__ import annotations

from momagen.kinds.modular.typed import listed

from .record import KernelOptions

MACHINE = ("carry", "borrow", "product")
"""Choices of the rule table that every target makes; given as options, they hold for vector code, not for set-up."""
OPTIONS = listed(KernelOptions)
"""All options, each with the values that it has for any kind."""
