"""The function that builds a kernel of any kind, and the step from a checked request to its kernel."""

from __future__ import annotations

from typing import Any

from momagen.arguments import checked_arguments
from momagen.kinds.registry import chosen_kind
from momagen.tune.wish import Wish

from .generated import generated
from .kernel import Kernel
from .native import resolved


@checked_arguments
def kernel(kind: str, *, wisdom: Wish = None, **parameters: object) -> Kernel:
    """Build a kernel of any kind, also of one that :func:`momagen.kinds.registry.register` made known.

    Args:
        kind: The name of the kind, such as "ntt" or "convert".
        wisdom: The wisdom to use; see :func:`momagen.ntt`.
        **parameters: The parameters of the kind, under the names that the function for the kind and the command line
            have, and its options.

    Returns:
        The kernel. It is generated already, but is compiled only when it is first needed.

    Raises:
        MomagenError: The kind does not exist, or the parameters do not fit each other or the target.

    Examples:
        >>> import momagen as mg
        >>> mg.kernel("vadd", modulus=17)([3, 16], [4, 5])
        [7, 4]
    """
    return advised(resolved(kind, **parameters), wisdom if chosen_kind(kind).command.options else False)


def advised(spec: Any, wisdom: Wish = None, compiler: str | None = None) -> Kernel:
    """Return the kernel of ``spec``, with the options that wisdom adds for the ``compiler`` if it is asked for."""
    source, advice = generated(spec, wisdom, compiler)
    return Kernel(source, wisdom=advice)
