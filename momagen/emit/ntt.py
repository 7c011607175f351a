"""What the files of every kernel made of transforms share."""

from __future__ import annotations

from typing import Protocol

from momagen.errors import MomagenError
from momagen.kernels.spec import Spec
from momagen.lower.powers import write_powers
from momagen.lower.scalars import write_scalars

from .c.text import templates
from .source import Source, Writer, banner


def check_reduction(spec: Spec) -> None:
    """Refuse a table of quotients where Montgomery's is the only product that fits."""
    a = spec.arith
    if spec.options.get("quotients") == "table" and a.kind == "montgomery":
        got = f"{a.bits} bits: only Montgomery's product fits"
        raise MomagenError(f"a modulus of at most {a.held - 1} bits for a table on words", got, "quotients")


def lanes_for(n: int, lanes: int) -> int:
    """The lanes a transform of size n can fill: all, or one where n/2 butterflies are fewer than the lanes."""
    return lanes if n >= 2 * lanes else 1


class Parts(Protocol):
    """What a file is made of: the writer with its functions, and the numbers that its template asks for."""

    @property
    def writer(self) -> Writer: ...
    def needs(self) -> list[str]: ...
    def numbers(self) -> dict[str, object]: ...


def files(kind: str, what: str, transforms: Parts, lanes: int, more: dict[str, object]) -> Source:
    """The C file and header from the templates of ``kind``; ``what`` begins the header comment."""
    writer, needs, own = transforms.writer, transforms.needs(), transforms.numbers()
    write_scalars(writer, needs)
    write_powers(writer, scaled="half" in needs, inverted=bool(own["inverse"]))
    return rendered(kind, what, writer, lanes, {**own, **more})


def rendered(
    kind: str, what: str, writer: Writer, lanes: int, numbers: dict[str, object], body: str = ""
) -> Source:  # fmt: skip
    """The C file and header of the functions that ``writer`` has."""
    spec, numbers = writer.spec, {**writer.numbers(), **numbers}
    head = banner(spec, writer, headed(spec, what))
    source = templates().get_template(f"c/{body or kind}.c.j2").render(
        head=head, functions=list(writer.texts.values()), **numbers
    )
    header = templates().get_template(f"c/{kind}.h.j2").render(head=head, **numbers)
    full = writer.target.lanes
    notes = [] if lanes == full else [f"scalar code: n = {spec.n} is too short for {full} lanes"]
    return Source(spec, spec.name, source, header, writer.trace.rules_applied, writer.operations, notes, writer.moduli)


def ring_numbers(spec: Spec) -> dict[str, object]:
    """What the templates of transforms ask for."""
    return {
        "n": spec.n, "powers": spec.order_of_root // 2, "order_of_root": spec.order_of_root, "ranges": spec.ranges,
        "ring": f"x^{spec.n} {'+' if spec.negacyclic else '-'} 1", "inverse": spec.inverse,
    }  # fmt: skip


def title(spec: Spec) -> str:
    """How the header comment of a transform begins."""
    points = f"2 to {spec.n}" if spec.sized else spec.n
    return f"{'Inverse n' if spec.inverse else 'N'}umber theoretic transform of {points} points"


def headed(spec: Spec, what: str) -> str:
    """The first line of the header comment."""
    ring = f"x^n {'+' if spec.negacyclic else '-'} 1 ({'nega' * spec.negacyclic}cyclic)"
    return f"{what} modulo q of up to {spec.width} bits, ring {ring}."


def ends(spec: Spec) -> dict[str, object]:
    """The order of the elements on both sides: the point that stands at position j of the values."""
    natural = spec.order == "natural"
    at = "j" if natural else "brv(j)"
    point = f"root^(2·{at} + 1)" if spec.negacyclic else f"root^{at}"
    reversal = f", where brv reverses the {'log2(n)' if spec.sized else spec.n.bit_length() - 1} bits of j"
    points = "n" if spec.sized else spec.n
    return {"natural": natural, "point": point, "reversal": "" if natural else reversal, "points": points}
