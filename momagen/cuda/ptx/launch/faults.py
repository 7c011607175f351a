"""What a launch that stopped says: the codes of ``templates/ptx/state.h`` in words."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.errors import MomagenError

from .border import FaultOfLaunch

SPACES = ("global", "shared", "constant", "local", "parameter", "generic")
FAULTS: dict[int, tuple[str, str]] = {
    1: ("memory for the threads", "none left"),
    2: ("an address inside {space} memory", "{size} bytes at {address}"),
    3: ("an address that the {size} bytes of the access divide", "{address} in {space} memory"),
    4: ("a store to memory that may be written", "{size} bytes at {address}, read-only"),
    5: ("shared memory that was written before it is read", "{size} bytes at {address}"),
    6: ("a barrier between a write of {space} memory and a read of it",
        "a read at {address} of what {other} wrote at line {other_line}"),
    7: ("a barrier between two writes of {space} memory",
        "a write at {address} over that of {other} at line {other_line}"),
    8: ("a barrier between a read of {space} memory and a write of it",
        "a write at {address} over what {other} read at line {other_line}"),
    9: ("a kernel that ends", "trap"),
    10: ("a divisor other than 0", "0"),
    11: ("an index inside the list of targets", "one beyond it"),
    12: ("all lanes that a mask names", "some that do not come"),
    13: ("all threads of the block at one barrier", "{other} waiting at line {other_line}"),
    14: ("a barrier of the whole block", "one of some threads"),
    15: ("a mask that names the lane itself", "one without it"),
    16: ("a lane to read from that takes part", "one that does not"),
    17: ("a kernel that ends", "too many jumps backwards"),
    18: ("global memory that no other block writes", "a read at {address} of what one wrote at line {other_line}"),
    19: ("global memory that no other block writes", "a write at {address} over that of one at line {other_line}"),
    20: ("global memory that no other block reads", "a write at {address} over what one read at line {other_line}"),
    21: ("memory that the kernel does not write, for a load with .nc",
         "one at {address} of what {other} wrote at line {other_line}"),
}  # fmt: skip
"""Of each code what was expected and what came."""


class PtxFault(MomagenError):
    """A kernel that was stopped while it ran.

    Attributes:
        code: of ``templates/ptx/state.h``. line, other_line: of the PTX; other_line 0 where one says it all.
    """

    def __init__(self, expected: str, got: str, where: str, hint: str, code: int, line: int, other_line: int) -> None:
        super().__init__(expected, got, where, hint)
        self.code, self.line, self.other_line = code, line, other_line


def fault_error(kernel: str, fault: FaultOfLaunch, lines: Sequence[str], address: str) -> PtxFault:
    """The error for a fault; ``lines``: of the PTX text; ``address``: in words."""
    expected, got = FAULTS[fault.code]
    words = {
        "space": SPACES[fault.space], "size": fault.size, "address": address, "other_line": fault.other_line,
        "other": f"thread {_index(fault.other)}",
    }  # fmt: skip
    place = f"{kernel}, PTX line {fault.line}: {_text(lines, fault.line)}" if fault.line else kernel
    hint = f"block {_index(fault.block)}, thread {_index(fault.thread)}" if fault.line else ""
    if fault.other_line:
        hint += f"; line {fault.other_line}: {_text(lines, fault.other_line)}"
    return PtxFault(
        expected.format_map(words), got.format_map(words), place, hint, fault.code, fault.line, fault.other_line
    )


def _index(three: Sequence[int]) -> str:
    return "(" + ", ".join(str(each) for each in three) + ")"


def _text(lines: Sequence[str], number: int) -> str:
    return " ".join(lines[number - 1].split()) if 0 < number <= len(lines) else ""
