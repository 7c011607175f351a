"""Targets: machines as data."""

from .read import load_target, names, parse_target
from .target import Spelling, Target

__all__ = ["Spelling", "Target", "load_target", "names", "parse_target"]
