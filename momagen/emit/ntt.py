"""The files of an NTT kernel."""

from __future__ import annotations

from momagen.kernels.ntt import Transform, default_radix, transform
from momagen.kernels.spec import Spec

from .c import templates
from .source import Called, Source, Writer, banner


def lay_out(writer: Writer, done: Transform) -> tuple[list[Called], int]:
    """The stages with their functions and table offsets, and the words of all tables."""
    offset, called = 0, []
    for stage in done.stages:
        called.append(writer.stage(stage, offset))
        offset += stage.entries() * writer.arith.twiddle_words
    return called, offset


def lanes_for(n: int, lanes: int) -> int:
    """The lanes a transform of size n can fill: all, or one where n/2 butterflies are fewer than the lanes."""
    return lanes if n >= 2 * lanes else 1


def transform_numbers(spec: Spec, done: Transform, called: list[Called], table_words: int) -> dict[str, object]:
    """What the templates ask for about one transform."""
    n, log_n = done.n, done.n.bit_length() - 1
    index = "number" if not done.negacyclic else f"blocks * span + number"
    bits = log_n if done.negacyclic else log_n - 1
    ends = ("natural", "natural" if spec.order == "natural" else "bit-reversed")
    return {
        "n": n, "log_n": log_n, "inverse": done.inverse, "natural": spec.order == "natural",
        "powers": n if done.negacyclic else n // 2, "exponent": f"reversed({index}, {bits})",
        "log_order": log_n + done.negacyclic, "table_words": table_words, "order_of_root": spec.order_of_root,
        "stages": [c.numbers() for c in called],
        "input_order": ends[done.inverse], "output_order": ends[1 - done.inverse],
    }  # fmt: skip


def ntt_source(spec: Spec) -> Source:
    """The C file and header of the transform that ``spec`` asks for."""
    writer = Writer(spec)
    lanes = lanes_for(spec.n, writer.target.lanes)
    radix = int(spec.options.get("radix", 0)) or default_radix(spec.arith, lanes)
    done = transform(
        spec.arith, spec.n, inverse_=spec.inverse, negacyclic=spec.negacyclic, lanes=lanes, radix=radix
    )
    called, table_words = lay_out(writer, done)
    core = writer.scalars()
    numbers = {**writer.numbers(), **transform_numbers(spec, done, called, table_words)}
    kind = ("Inverse n" if spec.inverse else "N") + "umber theoretic transform"
    ring = "x^n + 1 (negacyclic)" if spec.negacyclic else "x^n - 1 (cyclic)"
    head = banner(spec, writer, f"{kind} of {spec.n} points modulo a prime of up to {spec.width} bits, ring {ring}.")
    source = templates().get_template("c/ntt.c.j2").render(
        head=head, core=core, functions=list(writer.texts.values()), **numbers
    )
    header = templates().get_template("c/ntt.h.j2").render(head=head, **numbers)
    notes = [] if lanes == writer.target.lanes else [f"n = {spec.n} is too short for {writer.target.lanes} lanes: scalar code"]
    return Source(spec, spec.name, source, header, writer.trace.fired, writer.operations, notes)
