"""The limit on the length of codelets."""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.kinds.modular.spec import Spec


def check_length(spec: Spec, count: int, most: int) -> None:
    """Check that the codelet of a requested radix is not so long that compilation takes minutes.

    Args:
        spec: The specification. Radix 2, which is the default, is always accepted.
        count: The number of operations of the codelet.
        most: The largest number of operations that the target accepts.

    Raises:
        MomagenError: The codelet is too long.
    """
    asked = spec.options.radix or 2
    if asked > 2 and count > most:
        raise MomagenError(
            f"a radix whose codelet has at most {most} operations", f"{asked}, whose codelet has {count}", "radix"
        )
