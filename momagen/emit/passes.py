"""Prints the passes of a data flow: loop nests whose strides are numbers, so that passes of one shape share code."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.ir import Block
from momagen.kernels.bits import Phase
from momagen.kernels.passes import Pass
from momagen.targets import Target

from .body import stage_body
from .c import BodyText, Place, by_heap, templates
from .outline import LONGEST, moves
from .source import Writer


def write_pass(writer: Writer, done: Pass, functions: dict[object, str], offset: int) -> dict[str, object]:
    """What the templates ask for about one pass; its function is written where no pass of its shape came before.

    Args:
        offset: where its table begins, in words.
    """
    target = writer.target if done.lanes > 1 else writer.host if writer.target.vector else writer.target
    layouts = (done.load, done.store) if done.lanes > 1 else ()
    nest = tuple(bool(loop.table) for loop in done.shape.loops)
    places = repr((done.load_places, done.store_places))
    key = (id(done.codelet), layouts, places, done.shape.table_lanes, nest, target.name)
    if key not in functions:
        functions[key] = name = f"pass_{len(functions)}"
        writer.texts[name] = _function(writer, name, done, writer.lower(done.codelet.block, target), target)
    numbers = {"move": False, "function": functions[key], "offset": offset}
    return {**numbers, **_loops(writer, done), **_twiddles(writer, done)}


def _loops(writer: Writer, done: Pass) -> dict[str, object]:
    """The strides in words, as the function takes them."""
    words, group = writer.arith.words, done.twiddles * writer.arith.twiddle_words * done.shape.table_lanes
    numbers = [done.shape.step(done.shape.flow.load) * words, done.shape.step(done.shape.flow.store) * words]
    for loop in done.shape.loops:
        numbers += [loop.count, loop.x * words, loop.y * words, loop.table * group]
    return {"loops": numbers}


def _twiddles(writer: Writer, done: Pass) -> dict[str, object]:
    """The affine forms that the table is filled from."""
    shape, order = done.shape, writer.spec.order_of_root
    forms = [_form(form, shape.table_bits, order) for form in (shape.heap, shape.common, shape.weights)]
    return {
        "radix": done.radix, "lanes": shape.table_lanes, "bits": len(shape.table_bits), "first": 1 - done.scaled,
        "end": done.radix * (1 + shape.weighted), "forms": forms, "scaled": shape.flow.scaled,
    }  # fmt: skip


def _form(form: Phase, bits: Sequence[int], order: int) -> list[int]:
    """What ``form`` is without any bit, then what every table bit adds: in turns over ``order``."""
    terms = [frozenset[int](), *(frozenset({b}) for b in bits)]
    return [int(form.get(term, 0) * order) for term in terms]


def _function(writer: Writer, name: str, done: Pass, lowered: Block, target: Target) -> str:
    """The C function of one pass; a long codelet is called, a short one printed."""
    long = target.vector and len(lowered.instrs) > LONGEST
    parts = _called(writer, done, lowered, target) if long else _printed(writer, done, lowered, target)
    dependent = [k for k, loop in enumerate(done.shape.loops) if loop.table]
    return templates().get_template("c/pass.c.j2").render(
        name=name, attribute="MG_SIMD " if target.attribute else "", radix=done.radix, lanes=target.lanes,
        count=writer.arith.words, depth=len(done.shape.loops), dependent=dependent,
        entries=done.twiddles * writer.arith.twiddle_words, shared=done.shape.table_lanes == 1,
        unroll="" if long else writer.unroll, **parts,
    )  # fmt: skip


def _printed(writer: Writer, done: Pass, lowered: Block, target: Target) -> dict[str, object]:
    count, text = writer.arith.words, BodyText(target, writer.chains)
    body = stage_body(done, lowered, count, target.word)
    names = sorted(body.others, key=by_heap)
    constants = [
        line
        for at, key in enumerate(("q", "qi"))
        for line in text.load(key, body.others.get(key, ()), Place("c", at * count, 1, target.vector))
    ]
    twiddles = [
        line
        for key in names
        if key not in ("q", "qi")
        for line in text.load(key, body.others[key], _place(writer, key, done))
    ]
    step = target.lanes
    lines = [line for i, row in enumerate(body.loads) for line in text.load(f"x{i}", row, Place(f"x{i}", 0, step))]
    lines += text.instructions(body.block)
    lines += [line for i, row in enumerate(body.stores) for line in text.store(row, Place(f"y{i}", 0, step))]
    constants, twiddles, lines = map(text.needed, (constants, twiddles, lines))
    return {"core": "", "constants": constants, "twiddles": twiddles, "lines": lines, "before": [], "after": []}


def _place(writer: Writer, key: str, done: Pass) -> Place:
    """Twiddle v_t (and its quotient u_t) in the table of one group."""
    lanes, entry = done.shape.table_lanes, writer.arith.twiddle_words
    index = int(key[1:]) - (not done.scaled)
    offset = (index * entry + (writer.arith.words if key[0] == "u" else 0)) * lanes
    return Place("tw", offset, lanes, broadcast=lanes < done.lanes)


def _called(writer: Writer, done: Pass, lowered: Block, target: Target) -> dict[str, object]:
    before, after = (moves(done, target, writer.arith.words, writer.chains, coming) for coming in (True, False))
    core = writer.core(done, lowered)
    return {"core": core, "constants": [], "twiddles": [], "lines": [], "before": before, "after": after}
