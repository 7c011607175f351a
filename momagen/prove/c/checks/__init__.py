"""Checks of a source before any of its functions runs: its text, its directives and its declarations."""
