"""Programs for a device."""

from __future__ import annotations

from momagen.kernels.spec.spec import Spec
from momagen.lower.writer import ProgramWriter
from momagen.plan.thread_plan import ThreadPlan
from momagen.program.device import BLOCK, ROW, THREAD, DeviceProgram, Launch

from .tables import KEPT, DeviceTables
from .transforms import write_transform


class DeviceWriter(ProgramWriter):
    """Writes the functions of a device's program.

    Attributes:
        stride: words from one residue to the next. kept: where a modulus's constants are that codelets read, by name.
    """

    def __init__(self, spec: Spec, shortest: int, stride: int) -> None:
        super().__init__(spec, shortest)
        self.stride, words = stride, self.arith.words
        first = -(-2 * words // stride) * stride  # 1/q follows q at once, as scalar functions read it
        self.places = {name: first + at * stride for at, name in enumerate(KEPT)}
        self.constants = first + len(KEPT) * stride
        self.kept = {"q": 0, "qi": words, "n": self.places["complement"]}

    @property
    def given(self):  # type: ignore[override]
        """What functions in text know of the program."""
        spec = self.spec
        return {
            **super().given, **self.places, "stride": self.stride, "kept": self.constants, "thread": THREAD,
            "block": BLOCK, "row": ROW, "inverted": int(spec.inverse), "order": spec.order_of_root if spec.n else 0,
            "log_n": max(spec.n, 1).bit_length() - 1, "quotients": int(len(self.arith.columns) > 1),
        }  # fmt: skip


def device_program(spec: Spec) -> tuple[DeviceWriter, DeviceProgram, list[str]]:
    """The program of a transform; what wrote it, and notes."""
    plan = ThreadPlan(spec)
    writer = DeviceWriter(spec, plan.shortest, plan.stride)
    for name in ("modulus_fits", "below", "put_constants_of"):
        writer.write(name)
    writer.write("set_constants")
    tables = DeviceTables(writer, plan)
    setup = [Launch("set_constants", 32, 1), *tables.write()]
    run = write_transform(writer, plan, tables.places, writer.constants)
    size = spec.n * plan.stride
    room = size * any("t" in launch.operands for launch in run)
    program = DeviceProgram(
        writer.functions, writer.statics, setup, run, writer.constants, tables.places[-1], tables.powers, room,
        plan.stride, size,
    )  # fmt: skip
    return writer, program, [*plan.notes]
