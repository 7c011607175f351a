"""Programs for devices."""

from __future__ import annotations

from momagen.kinds.modular.spec import Spec
from momagen.lower.lowered import Lowered
from momagen.plan.schedule.transform import TransformPlans
from momagen.program.device import DeviceProgram, Launch

from .elements import elements_program
from .products import write_product
from .tables import DeviceTables
from .transforms import write_transform
from .writer import DeviceWriter


def device_kernel(spec: Spec, plans: TransformPlans | None) -> Lowered:
    """Return the lowered kernel of ``spec``, with its planned transforms if it has any, on a device."""
    writer, program, notes = _transform_program(spec, plans) if plans else elements_program(spec)
    return Lowered(spec, program, [writer], notes, writer.moduli)


def _transform_program(spec: Spec, plans: TransformPlans) -> tuple[DeviceWriter, DeviceProgram, list[str]]:
    """Return the writer, the program and the notes of the kernel of ``spec``."""
    each = [*plans.by_prefix.values()]
    writer = DeviceWriter(
        spec, max(plan.shortest for plan in each), spec.arith.stride, [plan.breakdown for plan in each]
    )  # fmt: skip
    for name in ("modulus_fits", "below", "put_constants_of"):
        writer.write(name)
    writer.write("set_constants")
    tables = DeviceTables(writer, [plan.schedule for plan in each])
    setup = [Launch("set_constants", 32, 1), *tables.write()]
    if spec.kind.joins_transforms:
        run = write_product(writer, each, tables)
    else:
        run = write_transform(writer, each[0].schedule, each[0].arith, tables.places[0], tables.size)
    size = plans.first.schedule.elements * writer.stride
    room = size * any("t" in launch.operands for launch in run)
    program = DeviceProgram(
        writer.functions, writer.statics, setup, run, writer.constants, tables.size, tables.powers, room, writer.stride,
        size, word=writer.arith.word,
    )  # fmt: skip
    return writer, program, list(dict.fromkeys(note for plan in each for note in plan.notes))
