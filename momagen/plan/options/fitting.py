"""The specification of a request for the variant of its target whose words fit the modulus."""

from __future__ import annotations

from dataclasses import replace

from momagen.kinds.modular.make_spec import specification, with_chosen_modulus
from momagen.kinds.modular.making.request import KernelRequest
from momagen.kinds.modular.options.declared import OptionGroup
from momagen.kinds.modular.spec import Spec
from momagen.targets import Target

from ..choices import STEPS, stepped
from .defaults import without_defaults

LIMBS = (OptionGroup.LIMBS, OptionGroup.TILING)
"""The groups of options that require longer words and their limbs."""


def fitted(request: KernelRequest) -> Spec:
    """Return the checked specification of a request, without options that restate defaults.

    The layout of the request or else the width of the modulus selects the variant of the target. If options
    of limbs are set, the target is left unchanged unless the variant supports them.

    Raises:
        MomagenError: The values do not fit each other or the target.
    """
    asked = with_chosen_modulus(request)
    bits = max(q.bit_length() for q in asked.basis or (asked.modulus or 0,))
    other = asked.target.narrower(bits, asked.layout)
    found = _for(asked, other)
    return found if other is asked.target or asked.layout or _is_able(found) else _for(asked, asked.target)


def _for(asked: KernelRequest, target: Target) -> Spec:
    """Return the checked specification of a request for a target, without options that restate defaults."""
    return without_defaults(specification(replace(asked, target=target)))


def _is_able(spec: Spec) -> bool:
    """Return whether the kernel has no options of limbs, or has register-blocked passes that support all of them."""
    given = spec.options.names(*LIMBS)
    return not given or (STEPS.issuperset(given) and len(spec.kind.transforms(spec)) == 1 and stepped(spec))
