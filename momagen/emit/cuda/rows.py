"""CUDA files of kernels on the rows of an RNS basis: conversions between bases, and division by a modulus."""

from __future__ import annotations

from momagen.emit.c.file import DESTROY, Argument, Declaration
from momagen.emit.c.rows import CLAIM, FAMILIES, numbers_of, served_by
from momagen.emit.claim import Claim
from momagen.emit.codes import ROWS_CODES, UNKNOWN
from momagen.emit.kernel import UNSEEN, banner
from momagen.emit.source import Source
from momagen.kernels.matrices.rows import RescaleSpec, RowsSpec
from momagen.lower.lowered import Lowered
from momagen.lower.rns.device import device_rows
from momagen.params.primes import MAX_MODULI
from momagen.program.device import BLOCKS_OF_PROCESSOR, RowsProgram
from momagen.targets import load_target
from momagen.templates import templates

from .file import functions_of

CREATE = (
    "Creates a plan for {counts}, given in the memory of the host. It serves {moduli}. The tables of the plan are in"
    " the memory of the current GPU, which computes them; create waits for it. Returns NULL on failure. If `why` is not"
    " NULL, *why is set to OK, BAD_MODULUS ({bad}), NULL_POINTER, NO_MEMORY, NO_DEVICE, BAD_DEVICE or FAILED."
)
COUNTS = {
    "convert": "`moduli` = {sources} moduli q and `goals` moduli p",
    "rescale": "`moduli` moduli q, two or more",
}
BAD = {
    "convert": f"`moduli` is not {{sources}}, `goals` is not from 1 to {MAX_MODULI}, a modulus is out of range, or two"
    " moduli q share a factor",
    "rescale": f"the number of moduli is not from 2 to {MAX_MODULI}, a modulus is out of range, or one shares a factor"
    " with the last one",
}
LAUNCHES = (
    "x and z are in the memory of the plan's GPU. execute launches one kernel in `stream`, a cudaStream_t (0: the"
    " default stream), and does not wait for it.\nReturns OK, NULL_POINTER (`plan` is NULL, or `z` or `x` is NULL and n"
    " is not 0), TOO_LONG (n is not below 2^31), MISALIGNED, HOST_POINTER, OTHER_DEVICE, NO_DEVICE or FAILED. All"
    " checks precede the launch. OK means that the launch was accepted; an error of the kernel itself is reported by"
    " the next synchronization of the stream."
)
FILES = ("kernel.cu", "kernel.h")
TYPES = {32: "uint32_t", 64: "uint64_t"}
"""The type of a residue in memory, by its bits."""


def cuda_rows_source(spec: RowsSpec) -> Source:
    """Return the texts of a kernel, and its program.

    Raises:
        MomagenError: moduli that such a kernel does not serve.
    """
    made = device_rows(spec)
    program, rescales = made.program, isinstance(spec, RescaleSpec)
    assert isinstance(program, RowsProgram)
    kind, moduli = "rescale" if rescales else "convert", served_by(spec)
    public = declared(spec, program, kind, moduli)
    bases = ["moduli"] + ["goals"] * (not rescales)
    given = {
        **public, "public": public.values(), "head": _head(spec, made, kind, moduli), "name": spec.name,
        "upper": spec.name.upper(), "program": program, "functions": functions_of(program, made.target),
        "bases": bases, "given": ["q"] + ["p"] * (not rescales), "sources": program.sources, "least": 1 + rescales,
        "most": MAX_MODULI, "word": TYPES[program.word], "residue": TYPES[program.residue], "codes": ROWS_CODES,
        "unknown_code": UNKNOWN, "setup": program.setup[0], "run": program.run[0],
        "blocks_of_processor": BLOCKS_OF_PROCESSOR,
    }  # fmt: skip
    source, header = (templates().get_template(f"cuda/rns/{file}.j2").render(given) for file in FILES)
    return Source(
        made.spec, spec.name, source, header, made.rules_applied, made.operations, made.notes, moduli, program
    )


def _head(spec: RowsSpec, made: Lowered, kind: str, moduli: str) -> str:
    """Return the comment on top of both files."""
    claim: Claim = CLAIM
    ranges = "residues of a row are below its modulus"
    return banner(
        made, what=FAMILIES[type(spec)].purpose, command=spec.command(), ranges=ranges, moduli=moduli,
        arguments="they are arguments", inspection=UNSEEN, claim=claim, target=load_target(spec.target),
    )  # fmt: skip


def declared(spec: RowsSpec, program: RowsProgram, kind: str, moduli: str) -> dict[str, Declaration]:
    """Return the public functions by what they do."""
    name, converts, residue = spec.name, kind == "convert", TYPES[program.residue]
    numbers = f"const {TYPES[program.word]} *"
    bases = [Argument("size_t ", "moduli"), Argument(numbers, "q")]
    bases += [Argument("size_t ", "goals"), Argument(numbers, "p")] * converts
    plan = Argument(f"const {name}_plan *", "plan")
    call = [plan, Argument(f"{residue} *", "z"), Argument(f"const {residue} *", "x"), Argument("size_t ", "n"),
            Argument("void *", "stream")]  # fmt: skip
    counts, bad = (texts[kind].format(sources=program.sources) for texts in (COUNTS, BAD))
    family = FAMILIES[type(spec)]
    execute = f"{family.execute.format(numbers=numbers_of(spec))} {family.aliases} {LAUNCHES}"
    found = {
        "create": (f"{name}_plan *", [*bases, Argument("int *", "why")],
                   CREATE.format(counts=counts, moduli=moduli, bad=bad)),
        "execute": ("int ", call, execute),
        "destroy": ("void ", [Argument(f"{name}_plan *", "plan")], DESTROY),
    }  # fmt: skip
    return {verb: Declaration(type, f"{name}_{verb}", (*given,), doc) for verb, (type, given, doc) in found.items()}
