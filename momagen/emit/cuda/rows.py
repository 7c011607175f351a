"""The generator of CUDA kernels on the rows of an RNS basis: base conversion, division by moduli, and key switching."""

from __future__ import annotations

from typing import NamedTuple

from momagen.emit.c.file import DESTROY, Argument, Declaration
from momagen.emit.c.rows import listed_words
from momagen.emit.claim import rows_claim
from momagen.emit.codes import BAD_SIZE, ROWS_CODES, UNKNOWN
from momagen.emit.kernel import PUBLIC, UNSEEN, banner
from momagen.emit.source import Source
from momagen.kinds.rns.basis import RowsSpec
from momagen.kinds.rns.interfaces.interface import RowsInterface
from momagen.lower.lowered import Lowered
from momagen.lower.rns.device import device_rows
from momagen.params.primes import MAX_MODULI
from momagen.program.device import BLOCKS_OF_PROCESSOR, RowsProgram
from momagen.templates import templates

from .file import functions_of

CREATE = (
    "Creates a plan for {counts}; the arrays of moduli are in host memory. The kernel supports {moduli}. The current"
    " GPU computes the tables of the plan and keeps them in its memory; create waits until they are complete. Returns"
    " NULL on failure. If `why` is not NULL, *why is set to OK, BAD_MODULUS ({bad}), {sizes}NULL_POINTER, NO_MEMORY,"
    " NO_DEVICE, BAD_DEVICE or FAILED."
)
LAUNCHES = (
    "{vectors} are in the memory of the plan's GPU. execute launches one kernel in `stream`, a cudaStream_t (0: the"
    " default stream), and does not wait for its completion.\nReturns OK, NULL_POINTER (`plan` is NULL, or {pointers}"
    " is NULL and n is not 0), TOO_LONG (n is not below 2^31), MISALIGNED, HOST_POINTER, OTHER_DEVICE, or,"
    " after a CUDA error, NO_MEMORY, NO_DEVICE, BAD_DEVICE or FAILED. All checks precede the launch. OK means that the"
    " launch was accepted; an error of the kernel itself is reported by the next synchronization of the stream."
)
FILES = ("kernel.cu", "kernel.h")
TYPES = {32: "uint32_t", 64: "uint64_t"}
"""The C type of a residue or word in memory, by its width in bits."""


def cuda_rows_source(spec: RowsSpec) -> Source:
    """Return the source of a kernel, with its program.

    Raises:
        MomagenError: The kernel does not support the moduli.
    """
    made = device_rows(spec)
    program, interface = made.program, spec.interface
    assert isinstance(program, RowsProgram)
    public = declared(spec, program)
    codes = ROWS_CODES | ({BAD_SIZE: interface.wrong_size[1]} if interface.sizes else {})
    given = {
        **public, "public": public.values(), "head": _head(spec, made, interface), "name": spec.name,
        "upper": spec.name.upper(), "program": program, "functions": functions_of(program, made.target),
        "interface": interface, "arrays": _arrays(program, interface), "vectors": ("z", *interface.operands),
        "most": MAX_MODULI, "word": TYPES[program.word], "residue": TYPES[program.residue], "codes": codes,
        "kept": [each for each in program.numbers if each != "goals"], "unknown_code": UNKNOWN,
        "setup": program.setup[0], "run": program.run[0], "blocks_of_processor": BLOCKS_OF_PROCESSOR,
    }  # fmt: skip
    source, header = (templates().get_template(f"cuda/rns/{file}.j2").render(given) for file in FILES)
    return Source(
        spec, spec.name, source, header, made.rules_applied, made.operations, made.notes, interface.served, program
    )


class HostArray(NamedTuple):
    """An array of words in host memory that ``create`` copies to the device.

    Attributes:
        name: The name of the array on the device.
        address: The C expression of its address, in terms of the arguments of ``create``.
        words: The C expression of its number of words, in terms of the same arguments.
    """

    name: str
    address: str
    words: str


def _arrays(program: RowsProgram, interface: RowsInterface) -> list[HostArray]:
    """Return the arrays that the setup kernel reads: the moduli of each basis, and single numbers."""
    counts = {moduli: count for count, moduli in interface.bases}
    return [
        HostArray(each, each, counts[each]) if each in counts else HostArray(each, f"&{each}", "1")
        for each in program.arrays
    ]


def _head(spec: RowsSpec, made: Lowered, interface: RowsInterface) -> str:
    """Return the comment at the top of both files."""
    return banner(
        made, what=interface.purpose, command=spec.command(), ranges=interface.ranges, moduli=interface.served,
        arguments="they are arguments", inspection=UNSEEN, claim=rows_claim(), target=spec.target,
        public=interface.public or PUBLIC[0],
    )  # fmt: skip


def declared(spec: RowsSpec, program: RowsProgram) -> dict[str, Declaration]:
    """Return the declarations of the public functions by role."""
    name, residue, word = spec.name, TYPES[program.residue], TYPES[program.word]
    interface, read = spec.interface, f"const {word} *"
    bases = [each for count, q in interface.bases for each in (Argument("size_t ", count), Argument(read, q))]
    sizes = [Argument("size_t ", each) for each in interface.sizes]
    numbers = [Argument(f"{word} ", each) for each in interface.numbers]
    vectors = [Argument(f"{residue} *", "z"), *(Argument(f"const {residue} *", each) for each in interface.operands)]
    extra = [Argument("const uint32_t *", each) for each in interface.permutations]
    call = [Argument(f"const {name}_plan *", "plan"), *vectors, *extra, Argument("size_t ", "n")]
    wrong = f"BAD_SIZE ({interface.wrong_size[1]}), " * bool(interface.sizes)
    create = CREATE.format(counts=interface.counts, moduli=interface.served, bad=interface.bad, sizes=wrong)
    names = [each.name for each in vectors]
    launches = LAUNCHES.format(
        vectors=listed_words([*names, *(f"{each.name}, if not NULL," for each in extra)], "and"),
        pointers=listed_words([f"`{each}`" for each in names], "or"),
    )  # fmt: skip
    found = {
        "create": (f"{name}_plan *", [*bases, *sizes, *numbers, Argument("int *", "why")], create),
        "execute": ("int ", [*call, Argument("void *", "stream")],
                    f"{interface.execute} {interface.aliases} {launches}"),
        "destroy": ("void ", [Argument(f"{name}_plan *", "plan")], DESTROY),
    }  # fmt: skip
    return {verb: Declaration(type, f"{name}_{verb}", (*given,), doc) for verb, (type, given, doc) in found.items()}
