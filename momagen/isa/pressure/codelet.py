"""One codelet as a C function for one target: a loop over elements whose body is the codelet between two marks.

Operands stand in registers at the first mark and results at the second, so that between them is the codelet alone: no
prologue, no address, and no constant, which the compiler makes before the loop where it would in a kernel. The marks
are inline assembly that is empty but for a comment; the compiler has to have every operand ready at the first one,
which might change them all, and every result at the second one. Where there are more operands than a codelet of a
kernel would keep in registers, they are loaded and stored between the marks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from momagen.emit.c.words import ChainSet, Printer
from momagen.errors import among
from momagen.explain.naming import Symbol
from momagen.explain.operations import BUTTERFLIES, Question, asked, divided
from momagen.ir import Block, Value, words
from momagen.isa.soundness.proxies import MARK
from momagen.lower.body.corrections import HELD
from momagen.lower.phases import lower, reduced
from momagen.lower.writer import host_of
from momagen.params.choice import BITS
from momagen.params.primes import HEADROOM
from momagen.targets import Target
from momagen.targets.target import ALWAYS
from momagen.templates import templates

CODELETS = ("addmod", "submod", "mulmod", *BUTTERFLIES)
"""The operations that can be looked at: "ct" and "gs" are butterflies, "butterfly" is "ct"."""
BEGIN, END = "momagen codelet begins", "momagen codelet ends"
CONSTANTS = ("q", "q′", "μ")
"""Inputs that are the same for all elements."""
MARKED = '#define MG_MARK(op) "# proxy of " #op "\\\\n"'
"""How proxies of proposed instructions are marked in assembly: by a comment in front of each."""
OPERANDS = 14
"""Inputs at most in registers: gcc lets inline assembly have 30 operands, and one that it changes counts twice."""


@dataclass(frozen=True)
class CodeletText:
    """The C file of one codelet.

    Attributes:
        source: the text. name: of the function: to the vectors ``out``, from ``in`` and the constants ``c``, n times.
        inputs: the words that it reads, by name, each with where it stands, "in" or "c"; vector after vector, in this
            order. in_registers: whether they and the results stand in registers at the marks.
        operations: those on words.
    """

    source: str
    name: str
    target: Target
    inputs: Mapping[str, str]
    in_registers: bool
    operations: Counter[str]


def codelet_text(
    target: Target, op: str, modulus_bits: int, options: Mapping[str, str] | None = None, bits: int | None = None
) -> CodeletText:
    """Return the source of the codelet ``op``, one of ``CODELETS``, on words of a target.

    Args:
        target: the target.
        op: the operation of the codelet.
        modulus_bits: the bits of the modulus.
        options: alternatives of the rule table, "reduction" and "quotients", as for :func:`momagen.explain.operation`.
        bits: the bits of the container (default: 4 more than the modulus has).

    Raises:
        MomagenError: the operation, the target or an option is unknown, or a width does not fit.
    """
    if op not in CODELETS:
        raise among("one of the codelets", CODELETS, op, "codelet")
    rules, opened = divided(options or {})
    container = max(BITS[0], modulus_bits + HEADROOM) if bits is None else bits
    block = asked(Question(op, container, target.word, opened, target.half_products, modulus_bits))
    on_words = lower(reduced(block, target), target, choices=tuple(rules.items()))
    return printed(on_words, target, f"momagen_{op}_{modulus_bits}")


def printed(block: Block, target: Target, name: str) -> CodeletText:
    """The C file of a block on words of ``target``."""
    results = [word for value in block.outputs.values() for word in _words(value, target)]
    read = {id(arg) for instr in block.instrs for arg in instr.args} | {id(value) for value in results}
    inputs = {
        f"{Symbol(letter).code}_{at}": (word, "c" if letter in CONSTANTS else "in")
        for letter, value in block.inputs.items() for at, word in enumerate(_words(value, target)) if id(word) in read
    }  # fmt: skip
    chains, few = ChainSet(), len(inputs) <= min(OPERANDS, target.registers // 2)
    printer = Printer(target, {id(word): text for text, (word, _) in inputs.items()}, chains)
    code = [*printer.lines(block)]
    loads = {text: place for text, (_, place) in inputs.items()}
    lines = _loop(target, loads, code, list(map(printer.name, results)), few)
    simd, host = "MG_SIMD " if target.attribute else "", host_of(target)
    head = f"{simd}void {name}({{0}} *out, const {{0}} *in, const {{0}} *c, size_t n)".format(host.types["word"])
    front = _preludes(target, host, block.counts(), chains)
    includes = templates().get_template("c/includes.j2").render(target=target, preludes=front, functions=lines)
    source = "\n".join([includes, f"{head};", "", head, "{", *(f"    {line}" for line in lines), "}", ""])
    return CodeletText(MARK.sub(MARKED, source), name, target, loads, few, block.counts())


def _preludes(target: Target, host: Target, operations: Mapping[str, int], chains: ChainSet) -> list[str]:
    """What stands in front of the function: the target's own C, headers of operations in use, carry chains."""
    known = {**host.prelude, **target.prelude}
    texts = [*target.front, *(known[what] for what in sorted(known) if what in ALWAYS or operations.get(what))]
    if chains:
        texts.append(templates().get_template("c/chains.h.j2").render(chains=sorted(chains), held=HELD))
    return list(dict.fromkeys(texts))


def _words(value: Value, target: Target) -> list[Value]:
    """The words of a number that are not known beforehand, low word first."""
    count = max(1, -(-value.hi.bit_length() // target.word), len(value.digits))
    return [word for word in words(value, target.word, count) if not word.is_const]


def _loop(target: Target, inputs: Mapping[str, str], code: list[str], results: list[str], few: bool) -> list[str]:
    """The loop. ``inputs``: by name, where they come from; ``few``: they and the ``results`` stand in registers."""
    places = {place: [name for name in inputs if inputs[name] == place] for place in ("in", "c")}
    word, load, store = target.types["word"], target.moves["load"], target.moves["store"]
    loads = {
        place: [f"{word} {name} = {load.format(p=place, i=at * target.lanes)};" for at, name in enumerate(names)]
        for place, names in places.items()
    }  # fmt: skip
    stores = [store.format(p="out", i=at * target.lanes, a=name) for at, name in enumerate(results)]
    step = f"in += {len(places['in']) * target.lanes}, out += {len(results) * target.lanes}"
    before, turn = loads["c"], [*loads["in"], mark(BEGIN, target, inputs), *code]
    turn += [mark(END, target, read=results), *stores]
    if not few:
        before = []
        turn = [mark(BEGIN, pointers=("out", "in", "c")), *loads["c"], *loads["in"], *code, *stores, mark(END)]
    return [*before, f"for (; n; n--, {step}) {{", *(f"    {line}" for line in turn), "}"]


def mark(
    text: str, target: Target | None = None, changed: Iterable[str] = (), read: Iterable[str] = (),
    pointers: Iterable[str] = (),
) -> str:  # fmt: skip
    """Inline assembly that does nothing; compilers must expect it to change ``changed`` and ``pointers``, and to read
    ``read``."""
    kind = "v" if target and target.vector else "r"
    outputs = [*(f'"+{kind}"({name})' for name in changed), *(f'"+r"({name})' for name in pointers)]
    inputs = [f'"{kind}"({name})' for name in read]
    return f'__asm__ __volatile__("# {text}" : {", ".join(outputs)} : {", ".join(inputs)} : "memory");'
