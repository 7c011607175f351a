"""The restoration of saved kernels."""

from __future__ import annotations

from pathlib import Path

from momagen.arguments import checked_arguments
from momagen.files import path_of

from .kernel import Kernel
from .manifest import read


@checked_arguments
def load(path: str | Path) -> Kernel:
    """Restore the kernel that :meth:`Kernel.save` wrote to a folder.

    The source is used as it is in the folder now; ``load(path).verify()`` tells whether it is still correct. The source
    is code: calling or verifying the kernel compiles it and runs it with the permissions of this user, so load only
    kernels that you trust.

    Args:
        path: The folder, or the path of the manifest in it.

    Returns:
        The kernel.

    Raises:
        MomagenError: There is no saved kernel, there are several, or the files are invalid.

    Examples:
        >>> import momagen as mg, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = mg.ntt(4, modulus=17).save(folder)
        ...     mg.load(folder)([1, 0, 0, 0])
        [1, 1, 1, 1]
    """
    return Kernel(read(path_of(path, "load")))
