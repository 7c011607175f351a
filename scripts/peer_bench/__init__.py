"""Races of transforms against other libraries' own, built by the harnesses of ``scripts/peers``."""
