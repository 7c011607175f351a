"""Lowering: from codelets on integers as wide as the modulus to programs on the words of a target.

The functions here lower one block: rewrite rules replace the operations that the target lacks, and the rest is
scheduled for its registers. The subpackages write the programs around the blocks, one for each kind of plan. Nothing
here depends on a language; :mod:`momagen.emit` prints the programs.
"""

from __future__ import annotations

from .phases import lower, lower_digits, lower_real, lower_words, procedures, reduced, remembered

__all__ = ["lower", "lower_digits", "lower_real", "lower_words", "procedures", "reduced", "remembered"]
