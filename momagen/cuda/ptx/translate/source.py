"""The translation of a PTX file to one C file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from momagen.data import folder
from momagen.templates import templates

from ..syntax.parts import SIZES, PtxFunction, PtxInstruction, PtxTarget, PtxUnit, PtxVariable, refused
from .accesses import access
from .expressions import PtxPlaces, PtxSite, plain
from .flow import PtxFlow, condition, function_name
from .layout import PtxKernel, call_order, kernel_layout, local_variables, place
from .opcodes import unsigned
from .registers import share_registers

MODULE = ("global", "const")
POISON = 0xD1CEC0DED1CEC0DE
"""The bits of uninitialised registers, which make results that depend on them recognisable."""
HEADERS = ("state.h", "words.h", "reals.h", "fibers.h", "faults.h", "spaces.h", "races.h", "counts.h", "warps.h",
           "launch.h")  # fmt: skip


@dataclass(frozen=True)
class PtxSource:
    """The C code of a PTX file.

    Attributes:
        text: The text of the C file.
        headers: The headers that it includes, by name.
        sites: The memory accesses by their number in the code.
        symbols: The variables in global and constant memory, in the order of their addresses.
        shared: The names of the variables in shared memory, in the order of their addresses.
        kernels: The kernels in the order of their numbers.
    """

    text: str
    headers: Mapping[str, str]
    sites: tuple[PtxSite, ...]
    symbols: tuple[PtxVariable, ...]
    shared: tuple[str, ...]
    kernels: tuple[PtxKernel, ...]


def write_source(unit: PtxUnit) -> PtxSource:
    """Translate a PTX file.

    Raises:
        MomagenError: An instruction is not supported or has wrong operands. The message has its line number.
    """
    reached = call_order(unit)
    order = list({each.name: each for functions in reached.values() for each in functions}.values())
    symbols = tuple(each for each in unit.variables if each.space in MODULE)
    shared = [each for each in (*unit.variables, *(v for f in order for v in f.variables)) if each.space == "shared"]
    addresses = {each.name: f"t->block->launch->symbols[{i}]" for i, each in enumerate(symbols)}
    addresses |= {each.name: f"t->block->launch->shared_at[{i}]" for i, each in enumerate(shared)}
    sites = list[PtxSite]()
    by_name = {each.name: each for each in order}
    functions = [_function(share_registers(each), by_name, addresses, sites) for each in order]
    text = templates().get_template("ptx/kernels.c.j2").render(
        headers=HEADERS, sites=sites, functions=functions, order=order, signature=_signature,
        kernels=[function_name(each) for each in order if each.entry],
        grain=min([4, *(each.size for each in sites if each.space in ("shared", "global", "generic"))]),
    )  # fmt: skip
    kernels = tuple(kernel_layout(unit, each, reached[each.name]) for each in order if each.entry)
    return PtxSource(text, _headers(), tuple(sites), symbols, tuple(each.name for each in shared), kernels)


def _headers() -> dict[str, str]:
    return {name: (folder("templates") / "ptx" / name).read_text(encoding="utf-8") for name in HEADERS}


def _signature(function: PtxFunction) -> str:
    """Return the signature of a function in C.

    A kernel reads its parameters from the launch; a device function takes pointers to their bytes.
    """
    if function.entry:
        return f"static void {function_name(function)}(mg_thread *t)"
    passed = [f"uint8_t *r{i}" for i in range(len(function.returns))]
    passed += [f"uint8_t *p{i}" for i in range(len(function.parameters))]
    return f"static void {function_name(function)}({', '.join(['mg_thread *t', *passed])})"


def _function(
    function: PtxFunction, functions: Mapping[str, PtxFunction], outside: Mapping[str, str], sites: list[PtxSite]
) -> str:
    placed, local = local_variables(function)
    addresses = dict(outside) | _parameters(function)
    addresses |= {each.variable.name: f"(local + {each.offset})" for each in placed}
    carriers = [each for each in function.variables if each.space == "param"]
    addresses |= {each.name: f"carried{i}" for i, each in enumerate(carriers)}
    places = PtxPlaces(addresses, sites)
    left = "t->local_top = top; " if local else ""
    flow = PtxFlow(function, functions, places, left)
    body = list(_statements(function, flow, places))
    lines = [f"{_signature(function)}", "{", *_declared(function, carriers)]
    if local:
        lines += ["const uint32_t top = t->local_top;", f"uint8_t *const local = mg_local_frame(t, {local}u);"]
    return "\n".join([*lines, *body, f"{left}", "}"])




def _parameters(function: PtxFunction) -> dict[str, str]:
    if function.entry:
        return {each.variable.name: f"t->block->launch->parameters + {each.offset}"
                for each in place(function.parameters)[0]}  # fmt: skip
    return {each.name: f"r{i}" for i, each in enumerate(function.returns)} | {
        each.name: f"p{i}" for i, each in enumerate(function.parameters)
    }


def _declared(function: PtxFunction, carriers: Sequence[PtxVariable]) -> Iterator[str]:
    yield "uint32_t cf = 0;"
    for kind in dict.fromkeys(function.registers.values()):
        names = [name for name, each in function.registers.items() if each == kind]
        first = POISON % (1 << 8 * SIZES[kind]) if kind != "pred" else 1
        yield f"{unsigned(kind)} {', '.join(f'{name} = {first:#x}' for name in names)};"
    for i, each in enumerate(carriers):
        yield f"_Alignas(16) uint8_t carried{i}[{max(each.bytes, 1)}];"


def _statements(function: PtxFunction, flow: PtxFlow, places: PtxPlaces) -> Iterator[str]:
    for item in function.body:
        if isinstance(item, PtxTarget):
            flow.seen.add(item.name)
            yield f"{item.name}:;"
        else:
            statement = _statement(item, flow, places)
            yield f"if ({condition(item.guard)}) {statement}" if item.guard else statement


def _statement(instruction: PtxInstruction, flow: PtxFlow, places: PtxPlaces) -> str:
    made = plain(instruction, places)
    if made is None:
        made = access(instruction, places)
    if made is None:
        made = flow.statement(instruction)
    if made is None:
        raise refused("an instruction that the translator supports", instruction.opcode, instruction.line)
    return made
