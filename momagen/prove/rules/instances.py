"""The widths, distances and numbers known before the data for which a rule is proven."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from momagen.prove.rules.forms import parse_modulus_form
from momagen.prove.rules.notation import Comparison, Identifier, Node, Operator, Repetition, parse_node
from momagen.prove.rules.numbers import compute, holds, names_in, used
from momagen.prove.rules.rows import OperationMeaning, RuleRow, definitions, limbs_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WIDTHS = (16, 32, 52, 64)
"""The bits of a limb or a word."""
LONG = (16, 32, 52, 64, 128)
"""The widths of an operation on numbers whose limbs a rule does not split."""
DOUBLES = (16, 32, 46, 50)
"""The widths of a limb in a double, which has 53 bits."""

NUMBERS = {
    "mulmod_split": {"n": "2 3 4"}, "mulmod_free": {"n": "1 2"}, "mulmod_balanced": {"n": "1 2"},
    "remainder": {"n": "1 2 3 4 5 8"}, "product_truncated": {"c": "0 2", "d": "1", "n": "w w-3", "m": "w"},
    "mulmod_truncated": {"n": "w w-3", "m": "w"}, "product_of_digits": {"a": "0 1 3"}, "residue_over": {"s": "w/2 w-8"},
    "near_residue_over": {"s": "2*w+1", "n": "2"}, "columns": {"n": "1 2 3"}, "rows_near": {"n": "1 2 3"},
    "times_near": {"n": "1 2 3"},
}  # fmt: skip
"""Values of the arguments that are known when code is generated."""
DISTANCES = {
    "quotient": "0 2*w+7 3*w+7", "near_residue": "w w+1 2*w 3*w+7 6*w",
    "product_near": "w-1 w w+20 2*w 2*w+52", "times_near": "w+58 2*w+53", "rows_near": "w+58 2*w+53",
    "row_near": "w+58 2*w+53", "fold": "1 2 3 4", "shoup_near": "1 2 3 4", "add_multiple": "2 3 4",
}  # fmt: skip
"""The values of k for operations on any number of limbs. Other operations are proven for all shifts up to two words."""
SIZES = {"product_near": "1 2 w/2 w-1"}
"""The bits of the modulus for operations whose meaning depends on them."""


@dataclass(frozen=True)
class Instance:
    """A width, a distance and the other numbers for which a rule is proven."""

    width: int
    numbers: tuple[tuple[str, int], ...]

    @property
    def known(self) -> dict[str, int]:
        """The numbers by name."""
        return {"w": self.width, **dict(self.numbers)}


def operation_of(row: RuleRow) -> tuple[OperationMeaning, tuple[Node, ...], bool]:
    """Return the operation that a row replaces, its arguments, and whether it has an attribute k."""
    from momagen.prove.rules.execute import Execution
    from momagen.prove.rules.facts import RuleFacts

    head = row.head
    reader = Execution(RuleFacts(1, 1), 64, {"k": 0}, {})
    assert isinstance(head.value, Operator)
    name, args, attribute = reader.operation(head.value, head.targets)
    return definitions()[name], args, attribute is not None


def instances(row: RuleRow, every: bool) -> Iterator[Instance]:
    """Yield the instances of a row, all distances or the least, the greatest and some between."""
    operation, args, has_distance = operation_of(row)
    limbs = max(map(limbs_of, args))
    texts = f"{row.when} {row.right} {row.derive}"
    for width in DOUBLES if row.choice == "digits:real" else WIDTHS if limbs > 1 else LONG:
        words = [width // parts for parts in (1, 2, 4) if width % parts == 0] if "word" in texts else [width]
        helds = sorted({width, width // 2, width - 1}) if "{h}" in texts or "^h" in texts else [width]
        extra = NUMBERS.get(operation.name, {})
        extra = {**extra, "bits": SIZES[operation.name]} if operation.name in SIZES else extra
        choices = [[int(_value(text, width)) for text in values.split()] for values in extra.values()]
        for word, held, *others in product(words, helds, *choices):
            base = {"word": word, "h": held, **dict(zip(extra, others, strict=True))}
            found = []
            for k in _distances(operation, limbs * width, width) if has_distance else [0]:
                if row.form:
                    found += _formed(row, operation, limbs * width, {**base, "k": k}, width)
                    continue
                names = {"w": limbs * width, "k": k, **base}
                if _possible(operation.requires, names) and _possible(row.conditions, {**names, "w": width}):
                    found.append(Instance(width, tuple({**base, "k": k}.items())))
            yield from found if every or operation.name in DISTANCES else _some(found)


def _distances(operation: OperationMeaning, full: int, width: int) -> Sequence[int]:
    if operation.name not in DISTANCES:
        return range(2 * full + 1)
    return [int(_value(text, width)) for text in DISTANCES[operation.name].split()]


def _formed(
    row: RuleRow, operation: OperationMeaning, full: int, base: dict[str, int], width: int
) -> list[Instance]:
    """Return the instances of a row whose modulus has a form: with each exponent a that its conditions allow."""
    form = parse_modulus_form(row.form)
    assert form is not None
    found = []
    for a in range(2 + 2 * len(form.powers), full + 1):
        names = {"w": full, form.leading: a, **base}
        if form.powers and "3 * a = 8 * d" in row.when:  # the only form whose other exponents conditions determine
            names |= {"b": 7 * a // 8, "c": 3 * a // 4, "d": 3 * a // 8}
        if _possible(operation.requires, names) and _possible(row.conditions, {**names, "w": width}):
            numbers = {name: value for name, value in names.items() if name != "w"}
            found.append(Instance(width, tuple(numbers.items())))
    return found


def _some(found: Sequence[Instance]) -> list[Instance]:
    """Return the first two, the last two and three others."""
    return [found[at] for at in sorted({0, 1, len(found) // 3, len(found) // 2, len(found) - 2, len(found) - 1})
            if 0 <= at < len(found)]  # fmt: skip


def _value(text: str, width: int) -> int:
    return compute(parse_node(text), {"w": width})


def _possible(conditions: Sequence[Comparison], names: dict[str, int]) -> bool:
    """Return whether the conditions on known numbers hold."""
    for what in conditions:
        if used(what) <= names.keys():
            try:
                if not holds(what, names):
                    return False
            except (ValueError, ZeroDivisionError, OverflowError):
                return False
    return True


__all__ = ["Identifier", "Instance", "Repetition", "instances", "names_in", "operation_of"]
