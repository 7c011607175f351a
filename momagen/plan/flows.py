"""Plans of transforms whose passes go over all data, one after another."""

from __future__ import annotations

from momagen.kernels.flow.data_flow import Move
from momagen.kernels.flow.layouts import USER
from momagen.kernels.flow.ntt_flow import Flow
from momagen.kernels.flow.passes import Pass

from .tree import BLOCK, COLUMN, LANE, LEG, LOOP, PlannedPass, TransformPlan

LAYOUTS = {USER: "residues", "lanes": "words by lane"}


def of_flow(flow: Flow, formula: str) -> TransformPlan:
    """The plan of ``flow``, which computes ``formula``."""
    passes, source = [], "x"
    for step, goal in zip(flow.steps, flow.targets(), strict=True):
        passes.append(_moved(source, goal) if isinstance(step, Move) else _pass(step, flow, source, goal))
        source = goal
    bits = f"q of up to {flow.arith.bits} bits"
    residues = f"{flow.arith.words} × {flow.arith.word} bits, {bits}"
    return TransformPlan(flow.n, formula, residues, flow.arith.word, passes, columns=flow.columns)


def _moved(source: str, goal: str) -> PlannedPass:
    return PlannedPass("", f"{source}, residues", f"{goal}, residues", note="reorders")


def _pass(done: Pass, flow: Flow, source: str, goal: str) -> PlannedPass:
    shape, columns = done.shape, done.shape.columns
    length = len(shape.flow.load)
    places = dict.fromkeys(range(length), LOOP)
    places |= dict.fromkeys((bit for bit in shape.table_bits if bit in shape.outer), BLOCK)
    places |= dict.fromkeys(shape.lane_bits, LANE) | dict.fromkeys(shape.flow.legs, LEG)
    load, store = ((done.load, done.store) if shape.lanes > 1 else (USER, USER))
    beside = COLUMN * (columns.count - 1).bit_length() + LANE * (columns.lanes.bit_length() - 1)
    notes = [f"{columns.rest.count} columns one by one"] if columns.rest else []
    notes += ["permutes lanes"] * (shape.networks > 0) + ["in place"] * (shape.in_place and source == goal)
    return PlannedPass(
        "".join(places[bit] for bit in reversed(range(length))) + beside, f"{source}, {LAYOUTS[load]}",
        f"{goal}, {LAYOUTS[store]}", (len(shape.flow.legs),), done.entries(),
        done.entries() * flow.arith.twiddle_words, note=", ".join(notes),
    )  # fmt: skip
