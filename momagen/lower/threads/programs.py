"""Programs for a device."""

from __future__ import annotations

from momagen.kernels.spec.kinds import BLAS
from momagen.kernels.spec.spec import Spec
from momagen.plan.thread_plan import ThreadPlan
from momagen.program.device import DeviceProgram, Launch

from .elements import elements_program
from .tables import DeviceTables
from .transforms import write_transform
from .writer import DeviceWriter


def device_program(spec: Spec) -> tuple[DeviceWriter, DeviceProgram, list[str]]:
    """The program of ``spec``; what wrote it, and notes."""
    return elements_program(spec) if spec.kind in BLAS else _transform_program(spec)


def _transform_program(spec: Spec) -> tuple[DeviceWriter, DeviceProgram, list[str]]:
    plan = ThreadPlan(spec)
    writer = DeviceWriter(spec, plan.shortest, plan.stride)
    for name in ("modulus_fits", "below", "put_constants_of"):
        writer.write(name)
    writer.write("set_constants")
    tables = DeviceTables(writer, plan)
    setup = [Launch("set_constants", 32, 1), *tables.write()]
    run = write_transform(writer, plan, tables.places, writer.constants)
    size = spec.elements * plan.stride
    room = size * any("t" in launch.operands for launch in run)
    program = DeviceProgram(
        writer.functions, writer.statics, setup, run, writer.constants, tables.places[-1], tables.powers, room,
        plan.stride, size,
    )  # fmt: skip
    return writer, program, [*plan.notes]
