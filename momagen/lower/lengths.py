"""How long a codelet may be."""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.kinds.modular.spec import Spec


def check_length(spec: Spec, count: int, most: int) -> None:
    """Refuse a radix whose code of ``count`` operations would keep a compiler busy for minutes, for no gain."""
    asked = spec.options.radix or 2
    if asked > 2 and count > most:
        raise MomagenError(
            f"a radix whose codelet has at most {most} operations", f"{asked}, whose codelet has {count}", "radix"
        )
