"""Rewriting of numbers whose words are in several lanes of a vector."""
