"""``-v``: what the package logs while it works, on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from momagen.errors import printable


@contextmanager
def spoken(wanted: bool) -> Iterator[None]:
    """Show what the logger "momagen" and those below it are told meanwhile, where that is ``wanted``."""
    if not wanted:
        yield
        return
    import logging  # only where it is asked for, so that start-up stays quick

    class Safe(logging.Formatter):
        """Lines without control characters of file names and compilers."""

        def format(self, record: logging.LogRecord) -> str:
            return printable(super().format(record))

    shown, logger = logging.StreamHandler(), logging.getLogger("momagen")
    shown.setFormatter(Safe("momagen: %(message)s"))
    before = logger.handlers[:], logger.level, logger.propagate
    logger.handlers[:], logger.propagate = [shown], False
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.handlers[:], logger.propagate = before[0], before[2]
        logger.setLevel(before[1])
