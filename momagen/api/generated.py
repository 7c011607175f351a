"""From a checked specification to its source, with what wisdom adds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from momagen.emit import Source, generate
from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec
from momagen.lazy import on_call
from momagen.tune.wish import Wish, is_asked

if TYPE_CHECKING:
    from momagen.tune import Advice

advise: Callable[..., Advice | None] = on_call("momagen.tune.advice", "advise")


def generated(spec: Spec, wisdom: Wish = None, compiler: str | None = None) -> tuple[Source, Advice | None]:
    """The source of ``spec`` and what wisdom said, for the ``compiler``, where it is asked."""
    advice = advise(spec, wisdom, compiler) if is_asked(wisdom) else None
    try:
        return generate(advice.spec if advice else spec), advice
    except MomagenError as error:
        raise advice.blamed(error) if advice else error from None
