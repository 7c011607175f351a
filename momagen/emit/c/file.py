"""The C file and the header of a kernel: public declarations, printed functions, and the templates around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from momagen.ir import DOUBLE_OPS
from momagen.kinds.modular.derived.meaning import form_text, formula_of
from momagen.kinds.modular.spec import Spec
from momagen.kinds.modular.threads import MOST
from momagen.lower.body.corrections import HELD
from momagen.lower.kernels import Lowered
from momagen.targets.target import ALWAYS
from momagen.templates import templates

from ..codes import CODES, SIZED_CODES, UNKNOWN
from .functions import FunctionText, procedure_lines, static
from .words import ChainSet


class Argument(NamedTuple):
    """An argument of a C function.

    Attributes:
        type: The type, which ends in a space or a star.
        name: The name.
    """

    type: str
    name: str

    def __str__(self) -> str:
        return self.type + self.name


class Declaration(NamedTuple):
    """The declaration of a C function.

    Attributes:
        type: The type of the result, which ends in a space or a star.
        name: The name.
        arguments: The arguments.
        doc: The description, with one paragraph on each line.
    """

    type: str
    name: str
    arguments: tuple[Argument, ...]
    doc: str = ""

    def __str__(self) -> str:
        return f"{self.type}{self.name}({', '.join(map(str, self.arguments))})"


def interface(spec: Spec, name: str, moduli: str, word: str, allocates: bool = True) -> dict[str, Declaration]:
    """Return the declarations of a kernel's functions by their roles: create, execute, destroy and perhaps threads.

    Args:
        spec: The specification.
        name: The prefix of the names of the functions.
        moduli: A description of the moduli that the kernel supports.
        word: The C type of a word.
        allocates: Whether execute uses a scratch buffer.
    """
    ranges, read = spec.ranges, f"const {word} *"
    numbers = [Argument(read, each) for each in ("q", *["root"] * (spec.n > 0))]
    which = [Argument("size_t ", each) for each in (*["n"] * spec.sized, *["moduli"] * bool(spec.basis))]
    operands = [Argument(read, each) for each in (*ranges.scalars, *ranges.vectors)]
    plan, count = Argument(f"const {name}_plan *", "plan"), Argument("size_t ", "batch" if spec.n else "n")
    found = {
        "create": (f"{name}_plan *", [*which, *numbers, Argument("int *", "why")]),
        "execute": ("int ", [plan, Argument(f"{word} *", ranges.result), *operands, count]),
        "destroy": ("void ", [Argument(f"{name}_plan *", "plan")]),
    }
    if spec.threads:
        found["threads"] = "size_t ", [Argument(f"{name}_plan *", "plan"), Argument("size_t ", "threads")]
    texts = {verb: f"c/{verb}.txt.j2" for verb in ("create", "execute")}
    docs = described(spec, moduli, count.name, texts, allocates=allocates)
    return {verb: Declaration(type, f"{name}_{verb}", (*given,), docs[verb]) for verb, (type, given) in found.items()}


def described(spec: Spec, moduli: str, count: str, files: Mapping[str, str], **more: object) -> dict[str, str]:
    """Return the descriptions of the functions by their roles, with one paragraph on each line.

    Args:
        spec: The specification.
        moduli: A description of the moduli that the kernel supports.
        count: The name of the argument of execute that is the number of transforms or elements.
        files: The templates of the descriptions by role. Empty lines in a template separate paragraphs.
        more: Additional values for the templates.
    """
    natural, points = spec.order == "natural", "n" if spec.sized else spec.length
    given = {
        "spec": spec, "moduli": moduli, "count": count, "ranges": spec.ranges,
        "formula": "" if spec.n else formula_of(spec), "of_form": form_text(spec),
        "points": f"{points} × {spec.across}" if spec.across > 1 else points,
        "half": ("n" if spec.negacyclic else "(n/2)") if spec.sized else spec.order_of_root // 2,
        "order": ("2n" if spec.negacyclic else "n") if spec.sized else spec.order_of_root,
        "ring": f"X^{points} {'+' if spec.negacyclic else '-'} {spec.power}", "natural": natural,
        "at": "j" if natural else "brv(j)", "bits": "log2(n)" if spec.sized else spec.n.bit_length() - 1,
    }  # fmt: skip
    texts = {verb: templates().get_template(file).render(given | more) for verb, file in files.items()}
    docs = {verb: "\n".join(" ".join(each.split()) for each in text.split("\n\n")) for verb, text in texts.items()}
    return docs | {"destroy": DESTROY, "threads": THREADS.format(begins=spec.threads)}


DESTROY = "Frees a plan. Passing NULL is a no-op."
"""The description of the function that frees a plan."""
THREADS = (
    "Sets the largest number of threads that later calls of execute use, including the caller's; 0 leaves the number"
    f" unchanged, and the limit is {MOST}. Returns the number, initially {{begins}}, or 0 if `plan` is NULL. No other"
    " thread may use the plan at the same time."
)
"""The description of the function that sets the number of threads."""
ROW = "row"
"""The prefix of the functions that process one modulus, in kernels for several moduli."""


def files(head: str, made: Lowered) -> tuple[str, str]:
    """Return the texts of the C file and the header.

    Args:
        head: The comment at the top of both files.
        made: The lowered kernel.
    """
    spec, word = made.spec, made.writer.host.types["word"]
    public = interface(spec, spec.name, made.moduli, word, bool(made.host_program.room))
    wrapper = "c/threads/plan.c.j2" if spec.threads else "c/rows.c.j2" if spec.basis else ""
    return printed(head, made, Wrapped(spec.name, public, wrapper, spec.threads))


class Wrapped(NamedTuple):
    """The public functions around the functions of a kernel for one modulus.

    Attributes:
        name: The prefix of the names of the public functions.
        public: The public functions by role.
        wrapper: The template that calls the functions for one modulus, whose names then begin with ``row``;
            "" if these are the public functions.
        threads: The initial number of threads of a call; 0 if the caller's thread computes it alone.
        frame: The template of the C file.
    """

    name: str
    public: Mapping[str, Declaration]
    wrapper: str = ""
    threads: int = 0
    frame: str = "c/kernel.c.j2"


def printed(head: str, made: Lowered, around: Wrapped, **more: object) -> tuple[str, str]:
    """Return the texts of the C file and the header.

    Args:
        head: The comment at the top of both files.
        made: The lowered kernel.
        around: The public functions.
        more: Additional values for the templates.
    """
    spec, program, chains, public = made.spec, made.host_program, ChainSet(), around.public
    word, arith = made.writer.host.types["word"], made.writer.arith
    alone = replace(spec.options, threads=None)
    single, functions = replace(spec, basis=(), roots=(), options=alone), _functions(made, chains)
    given = {
        "word": word, "word_bits": made.writer.host.word, **public, "public": public, "wrapper": around.wrapper,
        "own": interface(single, ROW, "", word) if around.wrapper else public, "functions": functions,
        "preludes": _preludes(made, chains, functions), "spec": spec, "program": program, "head": head,
        "name": around.name, "upper": around.name.upper(), "target": made.target, "words": arith.words,
        "held": arith.held, "codes": SIZED_CODES if spec.sized else CODES, "unknown_code": UNKNOWN,
        "operands": (*spec.ranges.scalars, *spec.ranges.vectors), "result": spec.ranges.result,
        "pages": bool(program.room) or any(field.lined for field in program.kept),
        "rounds": any(made.operations[op] for op in DOUBLE_OPS), "threads": around.threads, "most_threads": MOST,
        "scheduled": program.scheduled, "moduli_of_both": False, **more,
    }  # fmt: skip
    source, header = (templates().get_template(name).render(given) for name in (around.frame, "c/kernel.h.j2"))
    return source, header


def _functions(made: Lowered, chains: ChainSet) -> list[str]:
    """Return the texts of the arrays of constants, then the texts of the functions."""
    target, host = made.target, made.writer.host
    texts = [["", static(each, host)] for each in made.host_program.statics.values()]
    for function in made.host_program.functions.values():
        texts.append(["", *FunctionText(function, target if function.vector else host, host, chains).lines()])
    return ["\n".join(text) for text in texts]


def _preludes(made: Lowered, chains: ChainSet, functions: Sequence[str]) -> list[str]:
    """Return the texts that precede the functions.

    They are the headers and helpers of the operations in use, the procedures, and the carry chains.
    """
    target, host = made.target, made.writer.host
    known = {**host.prelude, **target.prelude}
    calls = {move: target.moves[move].partition("(")[0] for move in known if move in target.moves}
    moved = {move for move, call in calls.items() if any(f"{call}(" in text for text in functions)}
    used = (known[what] for what in sorted(known) if what in ALWAYS or made.operations[what] or what in moved)
    texts = list(dict.fromkeys([*target.front, *used]))
    called = [
        "\n".join(procedure_lines(procedure, of, chains))
        for of, procedures in zip((target, host), made.host_program.procedures, strict=True) for procedure in procedures
    ]  # fmt: skip
    if chains:
        texts.append(templates().get_template("c/chains.h.j2").render(chains=sorted(chains), held=HELD))
    return texts + called
