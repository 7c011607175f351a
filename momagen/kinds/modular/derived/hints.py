"""Hints about an option that would make a kernel faster, for reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from momagen.params import known_fields
from momagen.rewrite import form_of, sparse

from ..options.declared import OptionGroup, names_of

if TYPE_CHECKING:
    from momagen.kinds.modular.spec import Spec

SLOWER = "; the default is usually faster"
"""The end of a note on options that select another data flow or longer words."""


def hints(spec: Spec) -> Iterator[str]:
    """Yield a hint that rules would exploit the form of the modulus if the option ``bake`` were set.

    There is a hint only if the option selects another reduction, and if the modulus has a name or is a sum of
    few powers of two. A prime that is only the largest of its width gives none. Neither do transforms on
    reduced-radix limbs, which are as fast.
    """
    known = spec.modulus in (field.modulus for field in known_fields().values())
    if spec.options.bake is not None or spec.basis or spec.native or not (known or sparse(spec.modulus)):
        return
    if spec.n and _on_digits(spec):
        return
    asked = spec.kind.transforms(spec)["forward"] if spec.kind.joins_transforms else spec  # it may have a scheme
    baked = replace(asked, options=replace(spec.options, bake=True))
    if baked.arith.kind != asked.arith.kind:
        yield f"the option bake (yes) would exploit the form of q = {form_of(spec.modulus)}"


def _on_digits(spec: Spec) -> bool:
    """Return whether reduced-radix limbs are faster than full-radix limbs on the target."""
    least, most = spec.target.tiles.get("inverse" if spec.inverse else "forward", (1, 0))
    return least <= spec.arith.words <= most


def longer_words(spec: Spec) -> list[str]:
    """Return a note on options that keep the kernel from the shorter words that its width would have, or [].

    These are options of reduced-radix limbs and of their passes.
    """
    asked = spec.options.only(names_of(OptionGroup.LIMBS, OptionGroup.TILING)).phrases()
    word, short = (target.word for target in (spec.target, spec.target.narrower(spec.width)))
    note = f"limbs: {word}-bit words instead of {short}-bit words, because of {', '.join(asked)}{SLOWER}"
    return [note] * (word > short and bool(asked))
