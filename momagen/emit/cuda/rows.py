"""CUDA files of kernels on the rows of an RNS basis: base conversion, division by moduli, and key switching."""

from __future__ import annotations

from typing import NamedTuple

from momagen.emit.c.file import DESTROY, Argument, Declaration
from momagen.emit.c.rows import (
    BAD_ANY,
    BAD_DIVISORS,
    FACTORS,
    FAMILIES,
    Family,
    described_call,
    listed_words,
    public_values,
    ranges_of,
    served_by,
)
from momagen.emit.claim import rows_claim
from momagen.emit.codes import BAD_SIZE, ROWS_CODES, UNKNOWN
from momagen.emit.kernel import UNSEEN, banner
from momagen.emit.source import Source
from momagen.kinds.rns.basis import RowsSpec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.kinds.rns.keyswitch import KeySwitchSpec
from momagen.kinds.rns.moddown import ModDownSpec
from momagen.kinds.rns.rescale import RescaleSpec
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


class DeviceFamily(NamedTuple):
    """What the interface of one kind of kernels on rows says of a device; the rest is that of a :class:`Family`.

    Attributes:
        counts: what the numbers of ``create`` count. bad: when it returns BAD_MODULUS.
        goals: in C, the number of rows of the result, or of a group of them, by the arguments of ``create``.
        wrong_size: in C and in words, when ``create`` returns BAD_SIZE.
    """

    counts: str
    bad: str
    goals: str
    wrong_size: tuple[str, str] = ("", "")


DEVICES: dict[type, DeviceFamily] = {
    ConversionSpec: DeviceFamily(
        "`moduli` = {sources} source moduli q and `goals` target moduli p",
        f"`moduli` is not {{sources}}, `goals` is not from 1 to {MAX_MODULI}, a modulus is out of range, or two moduli"
        " q share a factor",
        "goals",
    ),
    RescaleSpec: DeviceFamily(
        "`moduli` moduli q, two or more",
        f"the number of moduli is not from 2 to {MAX_MODULI}, a modulus is out of range, or one shares a factor with"
        " the last one",
        "moduli - 1",
    ),
    ModDownSpec: DeviceFamily(
        f"`moduli` moduli q, the last `drop` = {{sources}} of which are the divisors, {FACTORS}",
        BAD_DIVISORS, "moduli - drop",
        ("drop != {sources} || drop >= moduli", "drop is not {sources}, or not below the number of moduli"),
    ),
    KeySwitchSpec: DeviceFamily(
        FAMILIES[KeySwitchSpec].counts, BAD_ANY, "moduli", FAMILIES[KeySwitchSpec].wrong_size
    ),
}  # fmt: skip
LAUNCHES = (
    "{vectors} are in the memory of the plan's GPU. execute launches one kernel in `stream`, a cudaStream_t (0: the"
    " default stream), and does not wait for its completion.\nReturns OK, NULL_POINTER (`plan` is NULL, or {pointers}"
    " is NULL and n is not 0), TOO_LONG (n is not below 2^31), MISALIGNED, HOST_POINTER, OTHER_DEVICE, or,"
    " after a CUDA error, NO_MEMORY, NO_DEVICE, BAD_DEVICE or FAILED. All checks precede the launch. OK means that the"
    " launch was accepted; an error of the kernel itself is reported by the next synchronization of the stream."
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
    program, moduli, family = made.program, served_by(spec), FAMILIES[type(spec)]
    assert isinstance(program, RowsProgram)
    public, texts = declared(spec, program), device_family(spec, program)
    codes = ROWS_CODES | ({BAD_SIZE: texts.wrong_size[1]} if family.sizes else {})
    given = {
        **public, "public": public.values(), "head": _head(spec, made, moduli), "name": spec.name,
        "upper": spec.name.upper(), "program": program, "functions": functions_of(program, made.target),
        "family": family, "texts": texts, "arrays": _arrays(program, family), "vectors": ("z", *family.operands),
        "most": MAX_MODULI, "word": TYPES[program.word], "residue": TYPES[program.residue], "codes": codes,
        "kept": [each for each in program.numbers if each != "goals"], "unknown_code": UNKNOWN,
        "setup": program.setup[0], "run": program.run[0], "blocks_of_processor": BLOCKS_OF_PROCESSOR,
    }  # fmt: skip
    source, header = (templates().get_template(f"cuda/rns/{file}.j2").render(given) for file in FILES)
    return Source(
        spec, spec.name, source, header, made.rules_applied, made.operations, made.notes, moduli, program
    )


class HostArray(NamedTuple):
    """An array of the host whose words create copies to the device.

    Attributes:
        name: its name there. address, words: its address and its length in C, by the arguments of create.
    """

    name: str
    address: str
    words: str


def _arrays(program: RowsProgram, family: Family) -> list[HostArray]:
    """Return the arrays that set-up reads: the moduli of each basis, and single numbers."""
    counts = {moduli: count for count, moduli in family.bases}
    return [
        HostArray(each, each, counts[each]) if each in counts else HostArray(each, f"&{each}", "1")
        for each in program.arrays
    ]


def device_family(spec: RowsSpec, program: RowsProgram) -> DeviceFamily:
    """Return what the interface of a kernel says of a device, with its number of source moduli filled in."""
    counts, bad, goals, wrong = DEVICES[type(spec)]
    counts, bad, *wrong_size = (text.format(sources=program.sources) for text in (counts, bad, *wrong))
    return DeviceFamily(counts, bad, goals, (wrong_size[0], wrong_size[1]))


def _head(spec: RowsSpec, made: Lowered, moduli: str) -> str:
    """Return the comment on top of both files."""
    return banner(
        made, what=FAMILIES[type(spec)].purpose, command=spec.command(), ranges=ranges_of(spec), moduli=moduli,
        arguments="they are arguments", inspection=UNSEEN, claim=rows_claim(), target=spec.target,
        public=public_values(spec),
    )  # fmt: skip


def declared(spec: RowsSpec, program: RowsProgram) -> dict[str, Declaration]:
    """Return the public functions by what they do."""
    name, residue, word = spec.name, TYPES[program.residue], TYPES[program.word]
    family, device = FAMILIES[type(spec)], device_family(spec, program)
    bases = [each for count, q in family.bases for each in (Argument("size_t ", count), Argument(f"const {word} *", q))]
    sizes = [Argument("size_t ", each) for each in family.sizes]
    numbers = [Argument(f"{word} ", each) for each in family.numbers]
    vectors = [Argument(f"{residue} *", "z"), *(Argument(f"const {residue} *", each) for each in family.operands)]
    extra = [Argument("const uint32_t *", each.name) for each in family.extra]
    call = [Argument(f"const {name}_plan *", "plan"), *vectors, *extra, Argument("size_t ", "n")]
    wrong = f"BAD_SIZE ({device.wrong_size[1]}), " * bool(family.sizes)
    create = CREATE.format(counts=device.counts, moduli=served_by(spec), bad=device.bad, sizes=wrong)
    names = [each.name for each in vectors]
    launches = LAUNCHES.format(
        vectors=listed_words([*names, *(f"{each.name}, if not NULL," for each in extra)], "and"),
        pointers=listed_words([f"`{each}`" for each in names], "or"),
    )  # fmt: skip
    found = {
        "create": (f"{name}_plan *", [*bases, *sizes, *numbers, Argument("int *", "why")], create),
        "execute": ("int ", [*call, Argument("void *", "stream")],
                    f"{described_call(spec)} {family.aliases} {launches}"),
        "destroy": ("void ", [Argument(f"{name}_plan *", "plan")], DESTROY),
    }  # fmt: skip
    return {verb: Declaration(type, f"{name}_{verb}", (*given,), doc) for verb, (type, given, doc) in found.items()}
