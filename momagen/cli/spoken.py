"""``--verbose``: the log of the package on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from momagen.errors import printable


@contextmanager
def spoken(wanted: bool) -> Iterator[None]:
    """Print the messages of the logger "momagen" and its children on standard error, if ``wanted``."""
    if not wanted:
        yield
        return
    import logging  # imported only with --verbose, so that start-up is quick

    class Safe(logging.Formatter):
        """A formatter that escapes control characters, which file names and compilers may contain."""

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
