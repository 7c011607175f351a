"""Proposed instruction sets: checked, counted, timed by proxies, and compared."""
