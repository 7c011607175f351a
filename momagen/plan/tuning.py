"""The effect of each tuning option on the schedule of a transform."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from momagen.errors import MomagenError
from momagen.kinds.modular.spec import Spec

from .schedule.codec import to_data
from .schedule.types import Schedule
from .ways import plans


def effects(spec: Spec) -> Iterator[str]:
    """Yield a line for each option that changes the schedule, with what it has without the option and with it.

    Args:
        spec: The specification of a transform of one size, without the option ``schedule``.
    """
    found = _facts(plans(spec).first.schedule)
    for option, value in spec.options.texts().items():
        try:
            usual = _facts(plans(replace(spec, options=spec.options.without(option))).first.schedule)
        except MomagenError:  # another option requires this one
            continue
        names = [name for name in dict.fromkeys([*usual, *found]) if usual.get(name) != found.get(name)]
        changes = [f"{name} {usual.get(name, 'none')} → {found.get(name, 'none')}" for name in names]
        yield from [f"option    {option} = {value}: {'; '.join(changes)}"] * bool(changes)


def _facts(schedule: Schedule) -> Mapping[str, str]:
    """Return the numbers and names that a schedule states for its steps, edges and nests, by the names of fields.

    A number that all nests share is shown once.
    """
    steps, values = schedule.computing, dict[str, list[object]]()
    values["residues"], values["radices"] = [schedule.residues], [step.radix for step in steps if step.operands]
    values["reductions"] = [*dict.fromkeys(step.reduction for step in steps)]
    values["memories"] = [*dict.fromkeys(edge.memory for edge in schedule.edges)]
    for nest in map(to_data, schedule.nests):
        for field, value in nest.items():
            values.setdefault(field.replace("_", " "), []).extend([value] * (not isinstance(value, list)))
    once = {name for name, each in values.items() if name != "radices" and len({*each}) == 1}
    return {name: " ".join(map(str, each[:1] if name in once else each)) for name, each in values.items()}
