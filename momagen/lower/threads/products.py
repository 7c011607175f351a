"""Products of polynomials on a device: two forward transforms, of which the second one multiplies, and an inverse one.

The transform of x is written to scratch memory. That of y is written to the result, and its last launch
multiplies by the values in scratch memory, where the inverse transform begins. The pointwise product thus
only costs the load of one vector. All launches of a transform except the last one work in place, as do the
last ones of transforms with values in bit-reversed order. The result may therefore be x or y.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from momagen.ir import words
from momagen.kernels.elementwise.blas import montgomery_product
from momagen.lower.names import C
from momagen.plan.schedule.transform import ScheduledTransform
from momagen.program import Function, Name, Type
from momagen.program.device import Launch

from .tables import DeviceTables
from .transforms import write_transform
from .writer import DeviceWriter

NAME = "product"
X_TO_ROOM, Y_TO_RESULT, ROOM_TO_RESULT = {"x": "x", "y": "t"}, {"x": "y", "y": "z"}, {"x": "t", "y": "z"}
"""The vectors that replace the operand x and the result y of a transform."""


def write_product(writer: DeviceWriter, plans: Sequence[ScheduledTransform], tables: DeviceTables) -> list[Launch]:
    """Write the kernels of a product, and return its launches.

    Args:
        writer: The writer of the program.
        plans: The plans of a forward and an inverse transform.
        tables: The tables of both.
    """
    forward, inverse = plans
    places, size = tables.places, tables.size
    _write_multiplication(writer, forward.schedule.ranges[1], inverse.schedule.ranges[0])
    ahead = write_transform(writer, forward.schedule, forward.arith, places[0], size, "forward_")
    (last,) = write_transform(writer, forward.schedule, forward.arith, places[0], size, "product_", NAME)
    back = write_transform(writer, inverse.schedule, inverse.arith, places[1], size, "inverse_")
    assert all("t" not in launch.operands for launch in (*ahead, *back))
    goal, source = "t", _named(last, Y_TO_RESULT).operands[1]
    return [
        *(_named(each, X_TO_ROOM) for each in ahead), *(_named(each, Y_TO_RESULT) for each in ahead[:-1]),
        last._replace(operands=(goal, source)), *(_named(each, ROOM_TO_RESULT) for each in back),
    ]  # fmt: skip


def _named(launch: Launch, names: Mapping[str, str]) -> Launch:
    return launch._replace(operands=tuple(names[each] for each in launch.operands))


def _write_multiplication(writer: DeviceWriter, m_in: int, m_out: int) -> None:
    """Write the function of two residues in registers that replaces x by x·y/R.

    The result is below m_out·q if both operands are below m_in·q.
    """
    block = writer.lower(montgomery_product(writer.arith, m_in, m_out).block, writer.target)
    size, word = writer.arith.words, writer.arith.word
    x, y = (Name(key, Type.WORDS) for key in "xy")
    f = Function(NAME, (x, y, C), copies="inline")
    for key, value in block.inputs.items():
        if key in ("x", "y"):
            f.load(key, words(value, word, size), Name(key, Type.WORDS))
        else:
            f.load(key, words(value, word, size), C, writer.kept[key])
    f.run(block)
    f.store(words(block.outputs["z"], word, size), x)
    writer.put(f)
