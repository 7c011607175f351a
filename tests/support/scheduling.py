"""The order in which pytest-xdist hands tests to its workers: file by file, so that fixtures are built once."""

from __future__ import annotations

import pytest
from xdist.scheduler import LoadScopeScheduling

SHARED = ("tests/hexl/",)
"""Folders whose tests share fixtures that take long, so that one worker runs them all."""


class FileScheduling(LoadScopeScheduling):
    """A scheduler that hands out whole files, or folders of ``SHARED``, in the order of the collection."""

    def __init__(self, config: pytest.Config, log: object = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        """Return the file or the folder to which a test belongs."""
        return next((folder for folder in SHARED if nodeid.startswith(folder)), nodeid.partition("::")[0])
