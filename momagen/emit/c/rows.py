"""Kernels on the rows of a basis in C: conversions between bases, and division by a modulus."""

from __future__ import annotations

from momagen.emit.claim import claim_of_command
from momagen.emit.kernel import UNSEEN, banner
from momagen.emit.source import Source
from momagen.kernels.matrices.rows import RescaleSpec, RowsSpec
from momagen.kernels.matrices.spec import ConversionSpec
from momagen.kernels.rns.format import LONGEST
from momagen.kernels.rns.quotients import MARGIN
from momagen.lower.rns.kernels import rows_kernel
from momagen.params.primes import MAX_MODULI

from .file import DESTROY, THREADS, Argument, Declaration, Wrapped, printed

RETURNS = "Returns OK, NULL_POINTER (`plan` is NULL, or `z` or `x` is NULL and n is not 0), or NO_MEMORY (for scratch)."
CREATE = (
    "Returns NULL on failure. If `why` is not NULL, *why is set to OK, BAD_MODULUS ({bad}), NULL_POINTER or NO_MEMORY."
)
BAD = f"a number of moduli is not from 1 to {MAX_MODULI}, a modulus is out of range, or two moduli q share a factor"
BAD_LONG = f"{BAD}, or a source modulus is too large for a target modulus"
BAD_DIVISION = (
    f"the number of moduli is not from 2 to {MAX_MODULI}, a modulus is out of range, or one shares a factor with the"
    " last one"
)
CLAIM = claim_of_command("the moduli of that command")
WHAT = {
    "convert": "Converts residues from one RNS basis, q_i, to another, p_j",
    "rescale": "Divides numbers by the last modulus of an RNS basis, and rounds to the nearest integer",
}
EXECUTE = {
    "convert": "Computes n numbers modulo every p_j from their residues modulo every q_i. x has one row of n residues"
    " for each q_i, z one row of n residues for each p_j, without gaps. {which} z must not overlap x.",
    "rescale": "Computes floor((a + floor(d/2))/d) modulo every q_i but the last, d, for n numbers a. x has one row of"
    " n residues for each modulus, z one row for each modulus but d, without gaps. z may be x.",
}
FROM_HALF = "Each number a satisfies |a| < Q/2, where Q is the product of all q_i"
FROM_ZERO = "Each number a satisfies 0 <= a < Q, where Q is the product of all q_i"
MARGINS = {
    False: f"; if a is within Q/2^{MARGIN} of -Q/2 or of Q/2, the result may be off by Q",
    True: f"; if a > Q - Q/2^{MARGIN - 1}, the result may be off by Q",
}
FAST = f"{FROM_ZERO}; the result is that of a + u·Q with 0 <= u < moduli, the same u in all rows."


def rows_source(spec: RowsSpec) -> Source:
    """The kernel's texts.

    Raises:
        MomagenError: moduli that such a kernel does not serve, or a target of another language.
    """
    made, rescales = rows_kernel(spec), isinstance(spec, RescaleSpec)
    kind = "rescale" if rescales else "convert"
    served = served_by(spec)
    public = declared(spec, kind, served, made.writer.host.types["word"])
    said = {
        "what": f"{WHAT[kind]}.", "command": spec.command(), "ranges": "residues of a row are below its modulus",
        "moduli": served, "arguments": "they are arguments", "inspection": UNSEEN, "claim": CLAIM,
    }  # fmt: skip
    around = Wrapped(spec.name, public, threads=spec.threads, frame="c/rns/kernel.c.j2")
    given = {"goals": not rescales, "least": 1 + rescales, "most": MAX_MODULI, "moduli_of_both": True}
    texts = printed(banner(made, **said), made, around, **given)
    return Source(made.spec, spec.name, *texts, made.rules_applied, made.operations, made.notes, served)


def declared(spec: RowsSpec, kind: str, moduli: str, word: str) -> dict[str, Declaration]:
    """The public functions."""
    name, read = spec.name, f"const {word} *"
    bases = [Argument("size_t ", "moduli"), Argument(read, "q")]
    bases += [Argument("size_t ", "goals"), Argument(read, "p")] * (kind == "convert")
    plan = Argument(f"{name}_plan *", "plan")
    call = [Argument(f"const {name}_plan *", "plan"), Argument(f"{word} *", "z"), Argument(read, "x")]
    counts = "`moduli` moduli q and `goals` moduli p" if kind == "convert" else "`moduli` moduli q, two or more"
    found = {
        "create": (f"{name}_plan *", [*bases, Argument("int *", "why")],
                   f"Creates a plan for {counts}. It serves {moduli}. {CREATE.format(bad=_bad(spec))}"),
        "execute": ("int ", [*call, Argument("size_t ", "n")],
                    f"{EXECUTE[kind].format(which=numbers_of(spec))}\n{RETURNS}"),
        "destroy": ("void ", [plan], DESTROY),
    }  # fmt: skip
    if spec.threads:
        found["threads"] = "size_t ", [plan, Argument("size_t ", "threads")], THREADS.format(begins=spec.threads)
    return {verb: Declaration(type, f"{name}_{verb}", (*given,), doc) for verb, (type, given, doc) in found.items()}


def served_by(spec: RowsSpec) -> str:
    """Return the moduli that a kernel serves, in words."""
    if spec.bits > LONGEST:
        return f"odd moduli below 2^{spec.bits}"
    if isinstance(spec, RescaleSpec) or not spec.exact:
        return f"moduli from 2 to 2^{spec.bits} - 1"
    return f"odd moduli q and any moduli p, all below 2^{spec.bits}"


def _bad(spec: RowsSpec) -> str:
    """When create returns BAD_MODULUS."""
    if isinstance(spec, RescaleSpec):
        return BAD_DIVISION
    return BAD_LONG if spec.bits > LONGEST else BAD


def numbers_of(spec: RowsSpec) -> str:
    """Return the numbers that a conversion takes, in words."""
    if not isinstance(spec, ConversionSpec):
        return ""
    if spec.method == "fast":
        return FAST
    return f"{FROM_ZERO if spec.positive else FROM_HALF}{MARGINS[spec.positive] * spec.corrected}."
