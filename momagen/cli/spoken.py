"""``-v``: what the package logs while it works, on standard error."""

from __future__ import annotations


def speak() -> None:
    """Show what the logger "momagen" and those below it are told."""
    import logging  # only where it is asked for, so that start-up stays quick

    shown = logging.StreamHandler()
    shown.setFormatter(logging.Formatter("momagen: %(message)s"))
    logger = logging.getLogger("momagen")
    logger.handlers[:] = [shown]
    logger.setLevel(logging.INFO)
    logger.propagate = False
