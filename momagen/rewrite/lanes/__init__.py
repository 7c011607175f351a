"""Rewriting of numbers that span lanes."""
