"""The functions that a C header declares: what they take, and what is said of them."""

from __future__ import annotations

from dataclasses import dataclass

from momagen.kernels.spec.spec import Spec
from momagen.templates import templates


@dataclass(frozen=True)
class Argument:
    """One argument of a C function: ``type`` ends in a space or a star."""

    type: str
    name: str

    def __str__(self) -> str:
        return self.type + self.name


@dataclass(frozen=True)
class Declaration:
    """A C function; ``type``, of what it returns, ends in a space or a star. ``doc``: a paragraph a line."""

    type: str
    name: str
    arguments: tuple[Argument, ...]
    doc: str = ""

    def __str__(self) -> str:
        return f"{self.type}{self.name}({', '.join(map(str, self.arguments))})"


def interface(spec: Spec, name: str, moduli: str, word: str) -> dict[str, Declaration]:
    """The functions of a kernel by what they do: create, execute and destroy; their names begin with ``name``.

    Args:
        moduli: what it serves, in words. word: C's type of a word.
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
    docs = _docs(spec, moduli, count.name)
    return {verb: Declaration(type, f"{name}_{verb}", (*given,), docs[verb]) for verb, (type, given) in found.items()}


def _docs(spec: Spec, moduli: str, count: str) -> dict[str, str]:
    """What is said of each function: lines of the template's text are joined, but for empty ones between paragraphs."""
    natural, points = spec.order == "natural", "n" if spec.sized else spec.n
    given = {
        "spec": spec, "moduli": moduli, "count": count, "ranges": spec.ranges,
        "points": f"{points} × {spec.columns}" if spec.columns > 1 else points,
        "half": ("n" if spec.negacyclic else "(n/2)") if spec.sized else spec.order_of_root // 2,
        "order": ("2n" if spec.negacyclic else "n") if spec.sized else spec.order_of_root,
        "ring": f"x^{points} {'+' if spec.negacyclic else '-'} 1", "natural": natural,
        "at": "j" if natural else "brv(j)", "bits": "log2(n)" if spec.sized else spec.n.bit_length() - 1,
    }  # fmt: skip
    texts = {verb: templates().get_template(f"c/{verb}.txt.j2").render(given) for verb in ("create", "execute")}
    docs = {verb: "\n".join(" ".join(each.split()) for each in text.split("\n\n")) for verb, text in texts.items()}
    return docs | {"destroy": "A null pointer is no plan, and nothing happens."}
