"""Machines to generate for and to simulate, as TOML files, and what instructions cost on them."""
