"""Targets: machines as data."""

from .target import Spelling, Target, load_target, names, parse_target

__all__ = ["Spelling", "Target", "load_target", "names", "parse_target"]
