"""The function ``momagen.supports``, which says whether a target supports a kernel, and if not, why not."""

from __future__ import annotations

from momagen.api.native import resolved
from momagen.arguments import checked_arguments
from momagen.errors import among
from momagen.kinds.registry import chosen_kind, kinds
from momagen.kinds.support import Support, support_of
from momagen.runtime.native import NATIVE
from momagen.values.targets import TargetName, requested_target


@checked_arguments
def supports(kind: str, *, target: TargetName = "c", **parameters: object) -> Support:
    """Return whether momagen generates a kernel for a target, and if not, why not.

    Limits depend on combinations: cosets, for instance, exclude natural order on GPUs. The kernel is planned and
    lowered as the function for the kind does, but it is neither printed nor compiled.

    Args:
        kind: The name of the kind, such as "ntt", "vmul" or "convert".
        target: The name of a target, "native", or the path of a TOML file; see :func:`ntt`.
        **parameters: The parameters of the kind, under the names that the function for the kind has, and its options.

    Returns:
        A :class:`Support`, which is true in conditions if the kernel is supported; otherwise its ``reason`` is the line
        of the error that the function for the kind raises.

    Raises:
        MomagenError: The kind or the target does not exist, or no kind has a parameter of that name.

    Examples:
        >>> import momagen as mg
        >>> bool(mg.supports("ntt", n=1024, modulus_bits=60, coset=3, target="cuda"))
        True
        >>> mg.supports("ntt", n=1024, modulus_bits=60, coset=3, order="natural", target="cuda").reason
        '`order="natural"` cannot be combined with `coset` on cuda; use `order="bitrev"`'
    """
    chosen_kind(kind)
    values = {name: value for name, value in parameters.items() if value is not None}
    names = dict.fromkeys(name for each in kinds().values() for name in (*each.parameters, *each.command.options))
    if unknown := [name for name in values if name not in names]:
        raise among("one of the parameters", names, unknown[0], "parameters")
    if not isinstance(target, str) or target != NATIVE:
        requested_target(target)
    return support_of(lambda: resolved(kind, **values, target=target))
