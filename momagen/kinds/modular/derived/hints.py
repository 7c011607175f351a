"""What another option would gain, for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from momagen.params import known_fields
from momagen.rewrite import form_of, sparse

if TYPE_CHECKING:
    from momagen.kinds.modular.spec import Spec


def hints(spec: Spec) -> Iterator[str]:
    """That rules would use the form of the modulus if it were baked in, where they make another product of it.

    Not of a prime that is only the largest of its width: of those that have a name, or are sums of powers of two. Nor
    where transforms go on digits, which are as good.
    """
    known = spec.modulus in (field.modulus for field in known_fields().values())
    if spec.options.bake is not None or spec.basis or spec.native or not (known or sparse(spec.modulus)):
        return
    if spec.n and _on_digits(spec):
        return
    asked = spec.kind.transforms(spec)["forward"] if spec.kind.joins_transforms else spec  # which may have a scheme
    baked = replace(asked, options=replace(spec.options, bake=True))
    if baked.arith.kind != asked.arith.kind:
        yield f"the option bake (yes) would exploit the form of q = {form_of(spec.modulus)}"


def _on_digits(spec: Spec) -> bool:
    """Whether digits beat words on the target."""
    least, most = spec.target.tiles.get("inverse" if spec.inverse else "forward", (1, 0))
    return least <= spec.arith.words <= most
