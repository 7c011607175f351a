"""Kernels on the rows of a basis in C: conversions between bases, and division by a modulus."""

from __future__ import annotations

from momagen.emit.claim import claim_of_command
from momagen.emit.kernel import UNSEEN, banner
from momagen.emit.source import Source
from momagen.kernels.matrices.rows import RescaleSpec, RowsSpec
from momagen.lower.rows import rows_kernel
from momagen.params.primes import MAX_MODULI

from .file import DESTROY, THREADS, Argument, Declaration, Wrapped, printed

RETURNS = "Returns OK, NULL_POINTER (plan is 0, or another pointer while n is not), or NO_MEMORY (to work in)."
CREATE = (
    "Gives 0 on failure. *why, where why is not 0, becomes the code: OK, BAD_MODULUS (some modulus is even, too long,"
    " shares a factor with another one of q, or is so small that rows of another are no residues of it), NULL_POINTER"
    " or NO_MEMORY."
)
CLAIM = claim_of_command("the moduli of that command")
WHAT = {
    "convert": "Residues modulo p_j of numbers that are known by residues modulo q_i",
    "rescale": "The nearest integers to a/d, by residues, for the last modulus d of a basis",
}
EXECUTE = {
    "convert": "Row j of z becomes the numbers modulo p_j that row i of x has modulo q_i: rows of n residues, one row"
    " after another. {which} z may not overlap x.",
    "rescale": "Row i of z becomes floor((a + floor(d/2))/d) modulo q_i, for all moduli but d, the last, of numbers a"
    " whose residues modulo q_i are row i of x: rows of n residues, one row after another. z may be x.",
}
EXACT = "Of the product Q of all q_i, numbers are those from -(Q - 1)/2 to (Q - 1)/2."
ROUGH = "Of the product Q of all q_i, numbers are those below Q, or plus u·Q for 0 <= u < moduli, the same in all rows."


def rows_source(spec: RowsSpec) -> Source:
    """The kernel's texts.

    Raises:
        MomagenError: moduli that such a kernel does not serve, or a target of another language.
    """
    made, rescales = rows_kernel(spec), isinstance(spec, RescaleSpec)
    kind = "rescale" if rescales else "convert"
    served = f"odd moduli below 2^{made.spec.width}"
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
    which = EXACT if getattr(spec, "exact", False) else ROUGH
    found = {
        "create": (f"{name}_plan *", [*bases, Argument("int *", "why")], f"Tables for {counts}; {moduli}. {CREATE}"),
        "execute": ("int ", [*call, Argument("size_t ", "n")], f"{EXECUTE[kind].format(which=which)}\n{RETURNS}"),
        "destroy": ("void ", [plan], DESTROY),
    }
    if spec.threads:
        found["threads"] = "size_t ", [plan, Argument("size_t ", "threads")], THREADS.format(begins=spec.threads)
    return {verb: Declaration(type, f"{name}_{verb}", (*given,), doc) for verb, (type, given, doc) in found.items()}
