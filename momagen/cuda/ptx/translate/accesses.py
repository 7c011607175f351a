"""The translation of loads, stores and atomic instructions to C."""

from __future__ import annotations

from dataclasses import dataclass

from ..syntax.parts import (
    SIZES,
    PtxAddress,
    PtxInstruction,
    PtxOperand,
    PtxRegister,
    PtxSymbol,
    PtxVariable,
    PtxVector,
    refused,
)
from .expressions import PtxPlaces, PtxSite, destination, read
from .opcodes import raw_table, signed, unsigned

SPACES = ("global", "shared", "const", "local", "param")
VECTORS = {"v2": 2, "v4": 4, "v8": 8}
KINDS = {"ld": 0, "st": 1, "atom": 2, "red": 2}


@dataclass(frozen=True, slots=True)
class PtxAccess:
    """The properties of a memory access that its opcode states.

    Attributes:
        space: The state space, or "generic".
        count: The number of elements of a vector, or 1.
        type: The type of an element.
        operation: The operation of an atomic instruction, or "".
        unchanging: Whether it is a load through the cache for read-only data.
    """

    space: str
    count: int
    type: str
    operation: str = ""
    unchanging: bool = False


def access(instruction: PtxInstruction, places: PtxPlaces) -> str | None:
    """Return the C statement of a load, a store or an atomic instruction, or None for other opcodes.

    Raises:
        MomagenError: A modifier of the opcode is not supported, or the address is outside a parameter.
    """
    name = instruction.opcode.partition(".")[0]
    if name not in KINDS:
        return None
    what = _words(instruction)
    operands, line = instruction.operands, instruction.line
    if name in ("atom", "red"):
        return _atomic(name, instruction, what, places)
    place, values = (operands[1], operands[0]) if name == "ld" else (operands[0], operands[1])
    items = values.items if isinstance(values, PtxVector) else (values,)
    if len(operands) != 2 or len(items) != what.count:
        values_of = f"{what.count} value{'s' * (what.count > 1)}"
        raise refused(f"an address and {values_of} as operands", instruction.opcode, line)
    size = SIZES[what.type]
    reach = _reach(place, what, size * what.count, KINDS[name], places, line)
    if name == "ld":
        parts = [_loaded(item, what.type, i * size, line) for i, item in enumerate(items) if item is not None]
        return f"{{ const uint8_t *const m = {reach}; {' '.join(parts)} }}"
    parts = [f"mg_put{8 * size}(m + {i * size}, {read(item, what.type, places, line, True)});"
             for i, item in enumerate(items)]  # fmt: skip
    return f"{{ uint8_t *const m = {reach}; {' '.join(parts)} }}"


def _words(instruction: PtxInstruction) -> PtxAccess:
    table = raw_table()
    name, *words = instruction.opcode.split(".")
    atomic, hints = name in ("atom", "red"), set(table["hints"]["names"])
    if not words or words[-1] not in SIZES or words[-1] == "pred":
        raise refused("an opcode that ends with a type", instruction.opcode, instruction.line)
    found = {"space": "generic", "count": "v1", "operation": ""}
    for word in words[:-1]:
        kind = ("space" if word in SPACES else "count" if word in VECTORS and not atomic
                else "operation" if atomic and word in table["atomic"] else "")  # fmt: skip
        if kind:
            found[kind] = word
        elif word not in hints:
            raise refused("a load, store or atomic that the translator supports", instruction.opcode, instruction.line)
    return PtxAccess(found["space"], VECTORS.get(found["count"], 1), words[-1], found["operation"], "nc" in words)


def _reach(place: PtxOperand, what: PtxAccess, size: int, kind: int, places: PtxPlaces, line: int) -> str:
    """Return the pointer to the bytes of an access.

    An access to a named parameter is checked now, and other accesses are checked when they are executed.
    """
    if not isinstance(place, PtxAddress):
        raise refused("an address in brackets", place, line)
    base, offset = place.base, place.offset
    if isinstance(base, PtxSymbol):
        offset += base.offset
        if what.space == "param":
            return _parameter(base.variable, offset, size, places, line)
        start = f"(uint64_t){places.address(base.variable, line)}"
    elif isinstance(base, PtxRegister):
        if base.type[0] == "f" or SIZES[base.type] not in (4, 8):
            raise refused("an address in an integer register of 32 or 64 bits", base.type, line)
        start = base.name
    else:
        start = "(uint64_t)0"
    kept = "uint32_t" if isinstance(base, PtxRegister) and SIZES[base.type] == 4 else "uint64_t"
    sum_ = f"{start} {'-' if offset < 0 else '+'} {abs(offset)}u" if offset else start
    places.sites.append(PtxSite(line, what.space, size, kind, what.unchanging))
    return f"mg_{what.space}(t, {len(places.sites) - 1}, ({kept})({sum_}))"


def _parameter(variable: PtxVariable, offset: int, size: int, places: PtxPlaces, line: int) -> str:
    if variable.space != "param" or not 0 <= offset <= variable.bytes - size:
        expected = f"{size} bytes inside the parameter {variable.name} of {variable.bytes} bytes"
        raise refused(expected, f"an access at byte {offset}", line)
    if offset % size and size <= variable.align:
        raise refused(f"an address aligned to {size} bytes", f"byte {offset} of {variable.name}", line)
    return f"{places.address(variable, line)} + {offset}"


def _loaded(item: PtxOperand, kind: str, offset: int, line: int) -> str:
    name = destination(item, kind, line, True)
    return f"{name} = ({signed(kind)})mg_get{8 * SIZES[kind]}(m + {offset});"


def _atomic(name: str, instruction: PtxInstruction, what: PtxAccess, places: PtxPlaces) -> str:
    operands, line, kind = instruction.operands, instruction.line, what.type
    first = 1 if name == "atom" else 0
    values = operands[first + 1 :]
    if not what.operation or len(values) != (2 if what.operation == "cas" else 1) or kind[0] == "f":
        raise refused("an atomic that the translator supports, with its operands", instruction.opcode, line)
    reach = _reach(operands[first], what, SIZES[kind], 2, places, line)
    words = dict(zip("bc", (read(each, kind, places, line) for each in values), strict=False))
    new = raw_table()["atomic"][what.operation].format(old="old", X=signed(kind), **words)
    bits, word = 8 * SIZES[kind], unsigned(kind)
    taken = f" {destination(operands[0], kind, line)} = old;" if first and operands[0] is not None else ""
    return (f"{{ uint8_t *const m = {reach}; const {word} old = mg_get{bits}(m); "
            f"mg_put{bits}(m, ({word})({new}));{taken} }}")  # fmt: skip
