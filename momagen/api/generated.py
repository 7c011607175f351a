"""From a checked specification to its source, with what wisdom adds."""

from __future__ import annotations

from momagen.emit import Source, generate
from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec
from momagen.tune import Advice, advise
from momagen.tune.advice import Wish


def generated(spec: Spec, wisdom: Wish = None, compiler: str | None = None) -> tuple[Source, Advice | None]:
    """The source of ``spec`` and what wisdom said, for the ``compiler``, where it is asked."""
    advice = advise(spec, wisdom, compiler)
    try:
        return generate(advice.spec if advice else spec), advice
    except MomagenError as error:
        raise advice.blamed(error) if advice else error from None
