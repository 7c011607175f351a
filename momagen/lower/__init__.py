"""Lowering: from codelets on big integers, block in, block out, to what a machine has and the order that suits it."""

from __future__ import annotations

from .phases import lower, lower_digits, lower_real, lower_words, procedures, reduced, remembered

__all__ = ["lower", "lower_digits", "lower_real", "lower_words", "procedures", "reduced", "remembered"]
