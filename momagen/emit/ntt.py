"""The files of an NTT kernel, and what every kernel made of transforms shares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from momagen.errors import MomagenError
from momagen.kernels.ntt import Transform, default_radix, transform
from momagen.kernels.spec import Spec

from .c import templates
from .source import Source, Writer, banner


@dataclass
class Transforms:
    """The transforms of one file: their functions, and their tables one after another."""

    writer: Writer
    names: list[dict[str, object]] = field(default_factory=list)
    table_words: int = 0

    def __post_init__(self) -> None:
        a = self.writer.arith
        if self.writer.spec.options.get("quotients") == "table" and a.kind == "montgomery":
            got = f"{a.bits} bits: only Montgomery's product fits"
            raise MomagenError(f"a modulus of at most {a.held - 1} bits for a table on words", got, "quotients")

    def add(self, done: Transform, after_product: bool = False) -> None:
        """One more; ``after_product``: its inputs are Montgomery products, which lack a factor R."""
        stages = []
        for stage in done.stages:
            stages.append(self.writer.stage(stage, self.table_words).numbers())
            self.table_words += stage.entries() * self.writer.arith.twiddle_words
        name = "inverse" if done.inverse else "forward"
        self.names.append({"name": name, "inverse": done.inverse, "after_product": after_product, "stages": stages})

    def needs(self) -> list[str]:
        """The scalar functions that the plan computes with."""
        pairs = self.writer.arith.kind != "montgomery"
        return ["mont", "add", "newton", *["quot"] * pairs, *["half"] * any(t["inverse"] for t in self.names)]

    def numbers(self) -> dict[str, object]:
        """What the templates ask for."""
        spec, log_n = self.writer.spec, self.writer.spec.n.bit_length() - 1
        return {
            "n": spec.n, "log_n": log_n, "inverse": any(t["inverse"] for t in self.names),
            "powers": spec.order_of_root // 2, "log_powers": log_n - 1 + spec.negacyclic,
            "negacyclic": spec.negacyclic,
            "log_order": log_n + spec.negacyclic, "order_of_root": spec.order_of_root,
            "ring": f"x^{spec.n} {'+' if spec.negacyclic else '-'} 1", "table_words": self.table_words,
            "transforms": self.names, "ranges": spec.ranges,
        }  # fmt: skip


def lanes_for(n: int, lanes: int) -> int:
    """The lanes a transform of size n can fill: all, or one where n/2 butterflies are fewer than the lanes."""
    return lanes if n >= 2 * lanes else 1


def made(writer: Writer, lanes: int, inverse: bool, m_in: int, m_out: int) -> Transform:
    """The forward or the inverse transform that was asked for, from values below m_in·q to values below m_out·q."""
    spec, arith = writer.spec, writer.arith
    radix = int(spec.options.get("radix", 0)) or default_radix(arith, lanes)
    return transform(
        arith, spec.n, inverse_=inverse, negacyclic=spec.negacyclic, lanes=lanes, radix=radix,
        m_in=m_in, m_out=m_out,
    )  # fmt: skip


class Parts(Protocol):
    """What a file is made of: the writer with its functions, the scalar ones that a plan needs, and the numbers."""

    @property
    def writer(self) -> Writer: ...
    def needs(self) -> list[str]: ...
    def numbers(self) -> dict[str, object]: ...


def files(kind: str, what: str, transforms: Parts, lanes: int, more: dict[str, object]) -> Source:
    """The C file and header from the templates of ``kind``; ``what`` begins the header comment."""
    writer, spec = transforms.writer, transforms.writer.spec
    core = writer.scalars(transforms.needs())
    own = transforms.numbers()  # before the writer's, which say what all bodies use
    numbers = {**writer.numbers(), **own, **more}
    head = banner(spec, writer, headed(spec, what))
    source = templates().get_template(f"c/{kind}.c.j2").render(
        head=head, core=core, functions=list(writer.texts.values()), **numbers
    )
    header = templates().get_template(f"c/{kind}.h.j2").render(head=head, **numbers)
    full = writer.target.lanes
    notes = [] if lanes == full else [f"scalar code: n = {spec.n} is too short for {full} lanes"]
    return Source(spec, spec.name, source, header, writer.trace.rules_applied, writer.operations, notes, writer.moduli)


def ntt_source(spec: Spec) -> Source:
    """The C file and header of the transform that ``spec`` asks for."""
    transforms = Transforms(Writer(spec))
    lanes = lanes_for(spec.n, transforms.writer.target.lanes)
    transforms.add(made(transforms.writer, lanes, spec.inverse, spec.ranges.input, spec.ranges.output))
    return files("ntt", title(spec), transforms, lanes, ends(spec))


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
