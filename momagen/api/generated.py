"""The generation of a kernel's source from a checked specification, with the options that wisdom adds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from momagen.emit import Source, generate
from momagen.errors import MomagenError
from momagen.kinds.modular.spec import Spec
from momagen.lazy import on_call
from momagen.tune.wish import Wish, is_asked

if TYPE_CHECKING:
    from momagen.tune import Advice

advise: Callable[..., Advice | None] = on_call("momagen.tune.advice", "advise")


def generated(spec: Spec, wisdom: Wish = None, compiler: str | None = None) -> tuple[Source, Advice | None]:
    """Return the source of ``spec`` and the advice that was used, or None.

    Args:
        spec: The specification.
        wisdom: The wisdom to use; see :func:`momagen.ntt`.
        compiler: The compiler for which wisdom was measured (default: the usual one).

    Raises:
        MomagenError: The kernel cannot be generated. If an option of the wisdom is the cause, the error says so.
    """
    advice = advise(spec, wisdom, compiler) if is_asked(wisdom) else None
    try:
        return generate(advice.spec if advice else spec), advice
    except MomagenError as error:
        raise advice.blamed(error) if advice else error from None
