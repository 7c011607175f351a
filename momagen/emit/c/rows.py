"""Kernels on the rows of an RNS basis in C: base conversion, division by a modulus, and key switching."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeGuard

from momagen.emit.claim import rows_claim
from momagen.emit.codes import BAD_SIZE, CODES
from momagen.emit.kernel import PUBLIC, UNSEEN, banner
from momagen.emit.source import Source
from momagen.kernels.rns.format import LONGEST
from momagen.kernels.rns.methods import MONTGOMERY, SHENOY_KUMARESAN
from momagen.kernels.rns.quotients import MARGIN, MOST_MODULI
from momagen.kinds.rns.basis import RowsSpec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.kinds.rns.keyswitch import MOST_DIGITS, KeySwitchSpec
from momagen.kinds.rns.moddown import ModDownSpec
from momagen.kinds.rns.rescale import RescaleSpec
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
BAD = f"a number of moduli is not from 1 to {MAX_MODULI}, a modulus is out of range, or two moduli q share a factor"
BAD_LONG = f"{BAD}, or a source modulus is too large for a target modulus"
BAD_DIVISION = (
    f"the number of moduli is not from 2 to {MAX_MODULI}, a modulus is out of range, or one shares a factor with the"
    " last one"
)
BAD_ANY = f"the number of moduli is not from 1 to {MAX_MODULI}, or a modulus is out of range"
FACTORS = (
    "and for the factors s (1, or BFV's plaintext modulus) and t (1, or BGV's plaintext modulus), which are from 1 to"
    f" 2^{LONGEST} - 1"
)
BAD_DIVISORS = (
    f"the number of moduli is not from 2 to {MAX_MODULI}, a modulus is out of range, or a divisor shares a factor with"
    " another modulus or with t"
)
BAD_MANY_DIVISORS = f"{BAD_DIVISORS}, or drop is above {MOST_MODULI}"
BAD_MANY_SOURCES = f"{BAD}, or `moduli` is above {MOST_MODULI}"
NAMED = " The counts in the name of the kernel are those of the command above; create accepts other counts."
ROW_FOR_MODULUS = "A row of z may be the row of x for the same modulus."
PART = (
    "Processes part `part` of `parts` of the columns of one call. For each operand, pass either a pointer to contiguous"
    " rows, or NULL and an array of pointers to the rows. Pointers are not checked. Returns OK, or NO_MEMORY (the"
    " scratch buffer cannot be allocated)."
)
FROM_HALF = "Each number a satisfies |a| < Q/2, where Q is the product of all q_i"
FROM_ZERO = "Each number a satisfies 0 <= a < Q, where Q is the product of all q_i"
MARGINS = {
    False: f"; if a is within Q/2^{MARGIN} of -Q/2 or of Q/2, the result may be off by Q",
    True: f"; if a > Q - Q/2^{MARGIN - 1}, the result may be off by Q",
}
NEAREST_REMAINDER = (
    "r is the number nearest to 0 that is congruent to s*a/t modulo P, so that s*a/P is rounded to the nearest integer"
    " if t is 1"
)
REPRESENTATIVES = {
    "exact": f"{NEAREST_REMAINDER}.",
    "corrected": f"{NEAREST_REMAINDER}. There is one exception: if this number is within P/2^{MARGIN} of -P/2 or P/2,"
                 " the kernel may use r + P or r - P instead of r, the same for all rows.",
    "fast": "r is congruent to s*a/t modulo P, satisfies 0 <= r < drop·P and is the same for all rows.",
}  # fmt: skip
FAST = f"{FROM_ZERO}. The result is the residues of a + u·Q, where 0 <= u < moduli and u is the same for all p_j."
NEAREST = (
    "Each number a is scaled: the result is P*a/Q, rounded to the nearest integer, where P is the product of all p_j"
    " and Q is the product of all q_i"
)
SCALED = {
    "exact": f"{NEAREST}.",
    "corrected": f"{NEAREST}; if P*a modulo Q is within Q/2^{MARGIN} of Q/2, it may be rounded to the other neighbour.",
    "fast": "Each number a is scaled: the result is (P*a - r)/Q, where P is the product of all p_j, Q is the product of"
            " all q_i, and r satisfies 0 <= r < moduli*Q and is the same for all rows.",
}  # fmt: skip
POWERS = {
    False: "; if |a| > Q/2 - moduli*Q/2^{bits}, the result may be off by Q",
    True: "; if a > Q - 2*moduli*Q/2^{bits}, the result may be off by Q",
}
REDUNDANT = (
    "The last modulus, m, is redundant: with the product Q of the other L = moduli - 1 moduli, each number a satisfies"
    " {range}."
)
REDUNDANT_RANGES = {False: "|a| <= Q*(m - L)/2", True: "0 <= a <= Q*(m - L)"}
BAD_REDUNDANT = (
    f"`moduli` is not from 2 to {MAX_MODULI} or `goals` not from 1 to {MAX_MODULI}, a modulus is out of range, two"
    " moduli q share a factor, or m <= L"
)


class Family(NamedTuple):
    """The C interface of one kind of kernels on rows.

    Attributes:
        purpose: a sentence for the top of the file.
        counts: what the numbers of ``create`` count.
        execute: what ``execute`` does.
        aliases: whether the result may be an operand.
        operands: the names of the vectors of rows that a call reads.
        bases: the number and the moduli of each basis of a plan.
        sizes: other numbers of a plan.
        wrong_size: a condition in C, and the same in words: when ``create`` returns BAD_SIZE.
        numbers: words that ``create`` takes for the tables of a plan.
        extra: other arguments of a call.
        scratch: the number of a plan that decides how much scratch memory a call needs.
        least: the smallest number of moduli.
    """

    purpose: str
    counts: str
    execute: str
    aliases: str
    operands: Sequence[str] = ("x",)
    bases: Sequence[tuple[str, str]] = (("moduli", "q"),)
    sizes: Sequence[str] = ()
    wrong_size: tuple[str, str] = ("", "")
    numbers: Sequence[str] = ()
    extra: Sequence[Argument] = ()
    scratch: str = "moduli"
    least: int = 1


FAMILIES: dict[type, Family] = {
    ConversionSpec: Family(
        "Converts residues from one RNS basis, q_i, to another, p_j.",
        "`moduli` source moduli q and `goals` target moduli p",
        "Computes residues modulo every p_j from the residues of n numbers a modulo every q_i. Row i of x holds the n"
        " residues modulo q_i, and row j of z receives the n residues modulo p_j; rows are contiguous. {numbers}",
        "z must not overlap x.",
        bases=(("moduli", "q"), ("goals", "p")),
    ),
    RescaleSpec: Family(
        "Divides numbers by the last modulus of an RNS basis, and rounds to the nearest integer.",
        "`moduli` moduli q, two or more",
        "Let d be the last modulus. Computes floor((a + floor(d/2))/d) modulo every other q_i, for n numbers a. Row i"
        " of x holds the n residues modulo q_i, and row i of z receives the n residues of the results modulo q_i; z has"
        " no row for d. Rows are contiguous.",
        ROW_FOR_MODULUS,
        least=2,
    ),
    KeySwitchSpec: Family(
        "Computes the inner product of key switching: sums of products of digits and keys modulo all moduli of an RNS"
        " basis.",
        f"`moduli` moduli q and `digits` digits, 1 to {MOST_DIGITS}",
        "Computes z_o = the sum of d_j·k_{{j,o}} over all digits j, for {outputs}, modulo every q_i and in each of n"
        " columns. Column c consists of element c of every row. Row i of the digit d_j, modulo q_i, is row j·moduli + i"
        " of d; row i of the key k_{{j,o}} is row {key} of k; row i of z_o is row o·moduli + i of z. Every row has n"
        " residues, and rows are contiguous. {numbers}If `order` is not NULL, it has n elements, and column c of the"
        " result takes the digits from column order[c] and the keys from column c; execute does not check that order[c]"
        " < n. An automorphism X -> X^g is applied to the digits in this way: it permutes the values of their NTTs.",
        "A row of z may be a row of d or k for the same modulus if `order` is NULL.",
        operands=("d", "k"), sizes=("digits",), extra=(Argument("const size_t *", "order"),), scratch="digits",
        wrong_size=(f"digits < 1 || digits > {MOST_DIGITS}", f"the number of digits is not from 1 to {MOST_DIGITS}"),
    ),
    ModDownSpec: Family(
        "Divides numbers by the product P of the last moduli of an RNS basis (ModDown).",
        f"`moduli` moduli q, the last `drop` of which are the divisors, {FACTORS}",
        "Computes (s*a - t*r)/P modulo every q_i except the last `drop`, for n numbers a, where P is the product of the"
        " last `drop` moduli. {numbers} Row i of x holds the n residues modulo q_i,"
        " and row i of z receives the n residues of the results modulo q_i; z has no rows for the divisors. Rows are"
        " contiguous.",
        ROW_FOR_MODULUS,
        sizes=("drop",), numbers=("s", "t"), scratch="drop", least=2,
        wrong_size=("drop < 1 || drop >= moduli", "drop is not from 1 to moduli - 1"),
    ),
}  # fmt: skip


class Private(NamedTuple):
    """How a kernel is called inside a library, which shares the columns of a call among threads by itself.

    Attributes:
        name: the prefix of its functions, among them NAME_part. command: the command that generates the library.
    """

    name: str
    command: str


def rows_source(spec: RowsSpec, inside: Private | None = None) -> Source:
    """Generate the source of a kernel.

    Args:
        spec: the request.
        inside: for a kernel inside a library, its name and the library's command.

    Raises:
        MomagenError: the kernel does not serve the moduli, or the target has another language.
    """
    made, family, served = rows_kernel(spec), FAMILIES[type(spec)], served_by(spec)
    name, command = inside or (spec.name, spec.command())
    word = made.writer.host.types["word"]
    public = declared(spec, name, served, word)
    if inside:
        public["part"] = declared_part(spec, name, word)
    said = {
        "what": family.purpose, "command": command, "ranges": ranges_of(spec),
        "moduli": served, "arguments": "they are arguments", "inspection": UNSEEN, "claim": rows_claim(),
        "public": public_values(spec),
    }  # fmt: skip
    around = Wrapped(name, public, threads=spec.threads, frame="c/rns/kernel.c.j2")
    given = {"family": family, "most": MAX_MODULI, "moduli_of_both": True, "codes": codes_of(spec)}
    texts = printed(banner(made, **said), made, around, **given)
    return Source(spec, name, *texts, made.rules_applied, made.operations, made.notes, served)


def public_values(spec: RowsSpec) -> str:
    """Return the values that are not secret, in words."""
    return (
        "The number of elements, the contents of `order` and all arguments of create, such as q,"
        if isinstance(spec, KeySwitchSpec)
        else PUBLIC[0]
    )


def codes_of(spec: RowsSpec) -> dict[str, str]:
    """Return the codes of a kernel with their texts."""
    family = FAMILIES[type(spec)]
    return CODES | ({BAD_SIZE: family.wrong_size[1]} if family.sizes else {})


def declared_part(spec: RowsSpec, name: str, word: str) -> Declaration:
    """Return the function that does a part of a call; arguments as of :func:`declared`."""
    family, read = FAMILIES[type(spec)], f"const {word} *"
    rows = [each for x in family.operands for each in (Argument(read, x), Argument(f"{read}const *", f"{x}_rows"))]
    result = Argument(f"{word} *", "z"), Argument(f"{word} *const *", "z_rows")
    counts = (Argument("size_t ", each) for each in ("n", "part", "parts"))
    given = (Argument(f"const {name}_plan *", "plan"), *result, *rows, *family.extra, *counts)
    return Declaration("int ", f"{name}_part", given, PART)


def declared(spec: RowsSpec, name: str, moduli: str, word: str) -> dict[str, Declaration]:
    """Return the public functions by what they do.

    Args:
        spec: the request. name: the prefix of the functions.
        moduli: the moduli that the kernel serves, in words. word: C's type of a word.
    """
    read, family = f"const {word} *", FAMILIES[type(spec)]
    bases = [each for count, q in family.bases for each in (Argument("size_t ", count), Argument(read, q))]
    sizes = [Argument("size_t ", each) for each in family.sizes]
    numbers = [Argument(f"{word} ", each) for each in family.numbers]
    plan, n = Argument(f"{name}_plan *", "plan"), Argument("size_t ", "n")
    call = [Argument(f"const {name}_plan *", "plan"), Argument(f"{word} *", "z")]
    rows = [call[0], Argument(f"{word} *const *", "z")]
    operands = [Argument(read, each) for each in family.operands]
    operand_rows = [Argument(f"const {word} *const *", each) for each in family.operands]
    returns = RETURNS.format(pointers=listed_words([f"`{each}`" for each in ("z", *family.operands)], "or"))
    create = CREATE.format(bad=_bad(spec), sizes=f"BAD_SIZE ({family.wrong_size[1]}), " * bool(family.sizes))
    execute = described_call(spec)
    as_rows = ROWS.format(
        rows=listed_words([f"{each}[i]" for each in ("z", *family.operands)], "and"), execute=f"{name}_execute",
        aliases=family.aliases, returns=returns,
    )  # fmt: skip
    named = NAMED * (name == spec.name)
    found = {
        "create": (f"{name}_plan *", [*bases, *sizes, *numbers, Argument("int *", "why")],
                   f"Creates a plan for {family.counts}. The kernel supports {moduli}.{named} {create}"),
        "execute": ("int ", [*call, *operands, *family.extra, n], f"{execute} {family.aliases}\n{returns}"),
        "execute_rows": ("int ", [*rows, *operand_rows, *family.extra, n], as_rows),
        "destroy": ("void ", [plan], DESTROY),
    }  # fmt: skip
    if spec.threads:
        found["threads"] = "size_t ", [plan, Argument("size_t ", "threads")], THREADS.format(begins=spec.threads)
    return {verb: Declaration(type, f"{name}_{verb}", (*given,), doc) for verb, (type, given, doc) in found.items()}


def listed_words(names: Sequence[str], last: str) -> str:
    """Join names with commas, and with the word ``last`` before the last name."""
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def ranges_of(spec: RowsSpec) -> str:
    """Return the ranges of residues, in words."""
    below = f"; residues of d are below {spec.input_factor} times their modulus" if _lazy(spec) else ""
    return f"residues of a row are below its modulus{below}"


def _lazy(spec: RowsSpec) -> TypeGuard[KeySwitchSpec]:
    """Whether an operand has residues above its modulus."""
    return isinstance(spec, KeySwitchSpec) and spec.input_factor > 1


def served_by(spec: RowsSpec) -> str:
    """Return the moduli that a kernel serves, in words."""
    if spec.bits > LONGEST:
        return f"odd moduli below 2^{spec.bits}"
    if isinstance(spec, ModDownSpec) and spec.exact:
        return f"odd divisors and any other moduli, all below 2^{spec.bits}"
    if isinstance(spec, ConversionSpec) and spec.method == MONTGOMERY:
        return f"odd moduli below 2^{spec.bits}"
    if isinstance(spec, ConversionSpec) and spec.exact:
        return f"odd moduli q and any moduli p, all below 2^{spec.bits}"
    return f"moduli from 2 to 2^{spec.bits} - 1"


def _bad(spec: RowsSpec) -> str:
    """When create returns BAD_MODULUS."""
    if isinstance(spec, KeySwitchSpec | ModDownSpec):
        if isinstance(spec, KeySwitchSpec):
            return BAD_ANY
        return BAD_MANY_DIVISORS if spec.corrected else BAD_DIVISORS
    if isinstance(spec, RescaleSpec):
        return BAD_DIVISION
    assert isinstance(spec, ConversionSpec)
    if spec.method == SHENOY_KUMARESAN:
        return BAD_REDUNDANT
    bad = BAD_MANY_SOURCES if spec.corrected else BAD
    if spec.scaled:
        return f"{bad}, or a modulus q shares a factor with a modulus p"
    if spec.corrected:
        return bad
    return BAD_LONG if spec.bits > LONGEST else BAD


def _numbers_of(spec: RowsSpec) -> str:
    """Return the numbers that a kernel takes, in words."""
    if _lazy(spec):
        return f"Residues of d are below {spec.input_factor}·q_i. "
    if isinstance(spec, ModDownSpec):
        return REPRESENTATIVES[spec.method]
    if not isinstance(spec, ConversionSpec):
        return ""
    if spec.scaled:
        return SCALED[spec.method]
    if spec.method == "fast":
        return FAST
    if spec.method == SHENOY_KUMARESAN:
        return REDUNDANT.format(range=REDUNDANT_RANGES[spec.positive])
    margins = {"corrected": MARGINS[spec.positive], MONTGOMERY: POWERS[spec.positive].format(bits=spec.bits)}
    return f"{FROM_ZERO if spec.positive else FROM_HALF}{margins.get(spec.method, '')}."


def described_call(spec: RowsSpec) -> str:
    """Return what a call computes, in words."""
    return FAMILIES[type(spec)].execute.format(numbers=_numbers_of(spec), **_outputs(spec))


def _outputs(spec: RowsSpec) -> dict[str, str]:
    """Return the numbers o of the results of a kernel, and the row of a key for q_i, in words."""
    if not isinstance(spec, KeySwitchSpec):
        return {}
    if spec.outputs == 1:
        return {"outputs": "o = 0", "key": "j·moduli + i"}
    return {"outputs": f"o from 0 to {spec.outputs - 1}", "key": f"({spec.outputs}·j + o)·moduli + i"}
