"""Composite operations: what they mean, and where their results lie."""
