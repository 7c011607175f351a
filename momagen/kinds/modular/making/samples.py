"""Representative values of the parameters and options of kernels modulo q, for tables of support."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

PARAMETERS: Sequence[Mapping[str, object]] = (
    {"n": "any", "max_n": 1024}, {"negacyclic": True}, {"inverse": True}, {"order": "natural"},
    {"input_order": "bitrev"}, {"columns": 4}, {"columns": 3}, {"depth": 8}, {"coset": 3},
    {"coset": 3, "order": "natural"}, {"automorphism": 5}, {"inverse": True, "montgomery": 64}, {"moduli": 2},
)  # fmt: skip
"""Values of parameters. The last parameter is the one of interest; kinds that lack the others omit these."""
OPTIONS: Mapping[str, Mapping[str, object]] = {
    "factors": {"factors": "64x64"}, "form_bits": {"form": "montgomery", "form_bits": 64}, "threads": {"threads": 4},
}  # fmt: skip
"""Values of the options that no list has; of others, the last listed value is taken."""


def samples_of(parameters: Sequence[str], options: Mapping[str, Sequence[str]]) -> Iterator[Mapping[str, object]]:
    """Yield representative values.

    Args:
        parameters: The names of the parameters of a kind.
        options: Its options, each with its values; () if no list has them.
    """
    for sample in PARAMETERS:
        if [*sample][-1] in parameters:
            yield {name: value for name, value in sample.items() if name in parameters}
    for name, values in options.items():
        found = {name: values[-1]} if values else OPTIONS.get(name, {})
        if found and all(options.get(key) or key in OPTIONS for key in found):
            yield found
