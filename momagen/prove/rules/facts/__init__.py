"""The facts of one proof of a rule: its integers, expressions, multiples and statements."""

from momagen.prove.rules.facts.statements import RuleFacts

__all__ = ["RuleFacts"]
