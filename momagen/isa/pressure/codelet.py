"""One codelet as a C function for one target: a loop over elements whose body is the codelet between two markers.

The operands are in registers at the first marker, and the results are in registers at the second one. The
code between them is therefore the codelet alone, without prologue, addresses and constants; compilers compute
constants before the loop, as in a kernel. The markers are inline assembly that consists of a comment. The
first one may change every operand as far as the compiler knows, so that every operand must be ready, and the
second one reads every result. If there are more operands than a kernel would hold in registers, they are
loaded and stored between the markers.
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
"""The codelets that can be analysed: "ct" and "gs" are butterflies, and "butterfly" is another name of "ct"."""
BEGIN, END = "momagen codelet begins", "momagen codelet ends"
CONSTANTS = ("q", "q′", "μ")
"""The inputs that are the same for all elements."""
MARKED = '#define MG_MARK(op) "# proxy of " #op "\\\\n"'
"""The macro that marks proxies of proposed instructions in assembly with a comment before each of them."""
OPERANDS = 14
"""The largest number of inputs in registers: gcc allows 30 operands of inline assembly, and one that it
changes counts twice."""


@dataclass(frozen=True)
class CodeletText:
    """The C file of one codelet.

    Attributes:
        source: The text.
        name: The name of the function. It writes vectors to ``out`` and reads vectors from ``in`` and
            constants from ``c``, n times.
        target: The target.
        inputs: The array of each word that it reads, "in" or "c", by the name of the word. The vectors are
            stored in this order.
        in_registers: Whether the operands and results are in registers at the markers.
        operations: The number of operations on words, by name.
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
    """Return the C file of a codelet on words of a target.

    Args:
        target: The target.
        op: The codelet, one of ``CODELETS``.
        modulus_bits: The width of the modulus in bits.
        options: Alternatives of the rule table, "reduction" and "quotients", as for
            :func:`momagen.explain.operation`.
        bits: The width of the container in bits, or None for 4 more than the modulus.

    Raises:
        MomagenError: The operation, the target or an option is unknown, or a width does not fit.
    """
    if op not in CODELETS:
        raise among("one of the codelets", CODELETS, op, "codelet")
    rules, opened = divided(options or {})
    container = max(BITS[0], modulus_bits + HEADROOM) if bits is None else bits
    block = asked(Question(op, container, target.word, opened, target.half_products, modulus_bits))
    on_words = lower(reduced(block, target), target, choices=tuple(rules.items()))
    return printed(on_words, target, f"momagen_{op}_{modulus_bits}")


def printed(block: Block, target: Target, name: str) -> CodeletText:
    """Return the C file of a block of operations on words of ``target``."""
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
    """Return the C code before the function.

    It consists of the target's own code, the headers of the operations that occur, and the carry chains.
    """
    known = {**host.prelude, **target.prelude}
    texts = [*target.front, *(known[what] for what in sorted(known) if what in ALWAYS or operations.get(what))]
    if chains:
        texts.append(templates().get_template("c/chains.h.j2").render(chains=sorted(chains), held=HELD))
    return list(dict.fromkeys(texts))


def _words(value: Value, target: Target) -> list[Value]:
    """Return the words of a number that are not constants, low word first."""
    count = max(1, -(-value.hi.bit_length() // target.word), len(value.digits))
    return [word for word in words(value, target.word, count) if not word.is_const]


def _loop(target: Target, inputs: Mapping[str, str], code: list[str], results: list[str], few: bool) -> list[str]:
    """Return the lines of the loop.

    Args:
        target: The target.
        inputs: The array of each input, "in" or "c", by name.
        code: The lines of the codelet.
        results: The names of the results.
        few: Whether inputs and results are in registers at the markers.
    """
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
    """Return inline assembly that does nothing, but that compilers cannot move across its operands.

    Args:
        text: The comment.
        target: The target, which determines the registers of operands; None if there are no operands.
        changed: The variables that compilers must expect it to change.
        read: The variables that compilers must expect it to read.
        pointers: The pointers that compilers must expect it to change.
    """
    kind = "v" if target and target.vector else "r"
    outputs = [*(f'"+{kind}"({name})' for name in changed), *(f'"+r"({name})' for name in pointers)]
    inputs = [f'"{kind}"({name})' for name in read]
    return f'__asm__ __volatile__("# {text}" : {", ".join(outputs)} : {", ".join(inputs)} : "memory");'
