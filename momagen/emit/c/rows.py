"""The generator of C kernels on the rows of an RNS basis: base conversion, division by a modulus, and key switching."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from momagen.emit.claim import rows_claim
from momagen.emit.codes import BAD_SIZE, CODES
from momagen.emit.kernel import PUBLIC, UNSEEN, banner
from momagen.emit.source import Source
from momagen.kinds.rns.basis import RowsSpec
from momagen.kinds.rns.interfaces.interface import RowsInterface
from momagen.lower.rns.kernels import rows_kernel
from momagen.params.primes import MAX_MODULI

from .file import DESTROY, THREADS, Argument, Declaration, Wrapped, printed

RETURNS = (
    "Returns OK, NULL_POINTER (`plan` is NULL, or {pointers} is NULL and n is not 0), or NO_MEMORY (a scratch buffer"
    " cannot be allocated)."
)
ROWS = (
    "Does the same as {execute} for rows that need not be contiguous: {rows} point to row i, which has n residues; the"
    " order of the rows is that of {execute}. {aliases}\n{returns}"
)
CREATE = (
    "Returns NULL on failure. If `why` is not NULL, *why is set to OK, BAD_MODULUS ({bad}), {sizes}NULL_POINTER or"
    " NO_MEMORY."
)
NAMED = " The counts in the name of the kernel are those of the command above; create accepts other counts."
PART = (
    "Processes part `part` of `parts` of the columns of one call. For each operand, pass either a pointer to contiguous"
    " rows, or NULL and an array of pointers to the rows. Pointers are not checked. Returns OK, or NO_MEMORY (the"
    " scratch buffer cannot be allocated)."
)


class Private(NamedTuple):
    """The name of a kernel inside a library, which itself distributes the columns of a call to threads.

    Attributes:
        name: The prefix of its functions, among them NAME_part.
        command: The command that generates the library.
    """

    name: str
    command: str


def rows_source(spec: RowsSpec, inside: Private | None = None) -> Source:
    """Return the source of a kernel.

    Args:
        spec: The request.
        inside: The name and the command of the library for a kernel inside a library; otherwise None.

    Raises:
        MomagenError: The kernel does not support the moduli, or the target has another language.
    """
    made, interface, served = rows_kernel(spec), spec.interface, spec.interface.served
    name, command = inside or (spec.name, spec.command())
    word = made.writer.host.types["word"]
    public = declared(spec, name, served, word)
    if inside:
        public["part"] = declared_part(spec, name, word)
    said = {
        "what": interface.purpose, "command": command, "ranges": interface.ranges,
        "moduli": served, "arguments": "they are arguments", "inspection": UNSEEN, "claim": rows_claim(),
        "public": interface.public or PUBLIC[0],
    }  # fmt: skip
    around = Wrapped(name, public, threads=spec.threads, frame="c/rns/kernel.c.j2")
    given = {"interface": interface, "most": MAX_MODULI, "moduli_of_both": True, "codes": codes_of(spec)}
    texts = printed(banner(made, **said), made, around, **given)
    return Source(spec, name, *texts, made.rules_applied, made.operations, made.notes, served)


def codes_of(spec: RowsSpec) -> dict[str, str]:
    """Return the descriptions of a kernel's return codes."""
    interface = spec.interface
    return CODES | ({BAD_SIZE: interface.wrong_size[1]} if interface.sizes else {})


def declared_part(spec: RowsSpec, name: str, word: str) -> Declaration:
    """Return the declaration of the function that computes a part of a call.

    Args:
        spec: The request.
        name: The prefix of the functions.
        word: The C type of a word.
    """
    interface, read = spec.interface, f"const {word} *"
    rows = [each for x in interface.operands for each in (Argument(read, x), Argument(f"{read}const *", f"{x}_rows"))]
    result = Argument(f"{word} *", "z"), Argument(f"{word} *const *", "z_rows")
    counts = (Argument("size_t ", each) for each in ("n", "part", "parts"))
    given = (Argument(f"const {name}_plan *", "plan"), *result, *rows, *_orders(interface), *counts)
    return Declaration("int ", f"{name}_part", given, PART)


def declared(spec: RowsSpec, name: str, moduli: str, word: str) -> dict[str, Declaration]:
    """Return the declarations of the public functions by role.

    Args:
        spec: The request.
        name: The prefix of the functions.
        moduli: A description of the moduli that the kernel supports.
        word: The C type of a word.
    """
    read, interface = f"const {word} *", spec.interface
    bases = [each for count, q in interface.bases for each in (Argument("size_t ", count), Argument(read, q))]
    sizes = [Argument("size_t ", each) for each in interface.sizes]
    numbers = [Argument(f"{word} ", each) for each in interface.numbers]
    plan, n = Argument(f"{name}_plan *", "plan"), Argument("size_t ", "n")
    call = [Argument(f"const {name}_plan *", "plan"), Argument(f"{word} *", "z")]
    rows = [call[0], Argument(f"{word} *const *", "z")]
    operands, orders = [Argument(read, each) for each in interface.operands], _orders(interface)
    operand_rows = [Argument(f"const {word} *const *", each) for each in interface.operands]
    returns = RETURNS.format(pointers=listed_words([f"`{each}`" for each in ("z", *interface.operands)], "or"))
    create = CREATE.format(bad=interface.bad, sizes=f"BAD_SIZE ({interface.wrong_size[1]}), " * bool(interface.sizes))
    as_rows = ROWS.format(
        rows=listed_words([f"{each}[i]" for each in ("z", *interface.operands)], "and"), execute=f"{name}_execute",
        aliases=interface.aliases, returns=returns,
    )  # fmt: skip
    named = NAMED * (name == spec.name)
    found = {
        "create": (f"{name}_plan *", [*bases, *sizes, *numbers, Argument("int *", "why")],
                   f"Creates a plan for {interface.counts}. The kernel supports {moduli}.{named} {create}"),
        "execute": ("int ", [*call, *operands, *orders, n], f"{interface.execute} {interface.aliases}\n{returns}"),
        "execute_rows": ("int ", [*rows, *operand_rows, *orders, n], as_rows),
        "destroy": ("void ", [plan], DESTROY),
    }  # fmt: skip
    if spec.threads:
        found["threads"] = "size_t ", [plan, Argument("size_t ", "threads")], THREADS.format(begins=spec.threads)
    return {verb: Declaration(type, f"{name}_{verb}", (*given,), doc) for verb, (type, given, doc) in found.items()}


def _orders(interface: RowsInterface) -> list[Argument]:
    """Return the arguments with which a call permutes the columns of its first operand."""
    return [Argument("const size_t *", each) for each in interface.permutations]


def listed_words(names: Sequence[str], last: str) -> str:
    """Join names with commas, and with the word ``last`` before the last name."""
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end
