"""Kernels that were saved."""

from __future__ import annotations

from pathlib import Path

from momagen.arguments import checked_arguments
from momagen.files import path_of

from .kernel import Kernel
from .manifest import read


@checked_arguments
def load(path: str | Path) -> Kernel:
    """The kernel that :meth:`Kernel.save` wrote to the folder ``path`` (or the one of the manifest ``path``).

    Its C text is taken as it stands there: ``load(path).verify()`` says whether it is still right. That text is code:
    calling or verifying the kernel compiles and runs it with all that this user may do, so load what you trust.

    Raises:
        MomagenError: no saved kernel, several, or a broken one.
    """
    return Kernel(read(path_of(path, "load")))
