"""The errors of launches that stopped, by the fault codes of ``templates/ptx/state.h``."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.errors import MomagenError

from .border import FaultOfLaunch

SPACES = ("global", "shared", "constant", "local", "parameter", "generic")
FAULTS: dict[int, tuple[str, str]] = {
    1: ("memory for the threads of a block", "a failed allocation"),
    2: ("an address inside {space} memory", "{size} bytes at {address}"),
    3: ("an address aligned to the {size} bytes of the access", "{address} in {space} memory"),
    4: ("a store to writable memory", "a store to the read-only memory at {address}"),
    5: ("shared memory that was written before it is read", "{size} bytes at {address}"),
    6: ("a barrier between a write to {space} memory and a read of it",
        "a read at {address} of the value that {other} wrote at line {other_line}"),
    7: ("a barrier between two writes to {space} memory",
        "a write at {address} over the value that {other} wrote at line {other_line}"),
    8: ("a barrier between a read of {space} memory and a write to it",
        "a write at {address} over the value that {other} read at line {other_line}"),
    9: ("a kernel that does not trap", "the instruction trap"),
    10: ("a nonzero divisor", "0"),
    11: ("an index inside the list of branch targets", "an index beyond its end"),
    12: ("all lanes in the mask to arrive", "lanes that do not arrive"),
    13: ("all threads of the block to arrive at one barrier", "{other} waiting at line {other_line}"),
    14: ("a barrier of the whole block", "a barrier of some of its threads"),
    15: ("a mask that includes the executing lane", "a mask without it"),
    16: ("a source lane that takes part in the shuffle", "a lane that does not"),
    17: ("a kernel that terminates", "too many backward jumps"),
    18: ("global memory that no other block writes",
         "a read at {address} of a value that one wrote at line {other_line}"),
    19: ("global memory that no other block writes",
         "a write at {address} over a value that one wrote at line {other_line}"),
    20: ("global memory that no other block reads",
         "a write at {address} over a value that one read at line {other_line}"),
    21: ("memory that the kernel does not write, because the load has .nc",
         "a load at {address} of the value that {other} wrote at line {other_line}"),
}  # fmt: skip
"""For each fault code, the expected behaviour and what happened instead."""


class PtxFault(MomagenError):
    """The error of a kernel that was stopped while it ran.

    Attributes:
        code: The fault code of ``templates/ptx/state.h``.
        line: The line of the PTX that caused the fault.
        other_line: The line of the access that conflicts with it, or 0 if there is none.
    """

    def __init__(self, expected: str, got: str, where: str, hint: str, code: int, line: int, other_line: int) -> None:
        super().__init__(expected, got, where, hint)
        self.code, self.line, self.other_line = code, line, other_line


def fault_error(kernel: str, fault: FaultOfLaunch, lines: Sequence[str], address: str) -> PtxFault:
    """Return the error for a fault.

    Args:
        kernel: The name of the kernel.
        fault: The fault.
        lines: The lines of the PTX.
        address: A description of the address.
    """
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
