"""The plan of a transform: its formula, its passes, and how residues are held in them."""

from __future__ import annotations

from dataclasses import replace

from momagen.errors import MomagenError
from momagen.formula.algorithms import asked
from momagen.formula.atoms import I
from momagen.formula.breakdown import Derivation, derivation, expand
from momagen.formula.expression import Tensor
from momagen.kernels.flow.radix import most_radix
from momagen.kernels.spec.spec import Spec
from momagen.lower.cache_blocking.transforms import TiledWriter
from momagen.lower.kernels import flow_of, lanes_for, step_note, tile_note
from momagen.lower.register_blocking.part import StepPart
from momagen.lower.writer import ProgramWriter
from momagen.plan import Representation, TransformPlan, of_flow, of_tiles
from momagen.plan.ways import way
from momagen.targets import Target, load_target


def plan_of(spec: Spec) -> TransformPlan:
    """The plan by which the transform of ``spec`` is made.

    Raises:
        MomagenError: another kernel, or a transform of any size.
    """
    if spec.kind != "ntt" or spec.sized:
        raise MomagenError("a transform of one size", "any size" if spec.sized else spec.kind, "explain")
    own = way(spec)
    found = {"words": _words, "tiles": _tiles, "steps": _steps}[own](spec)
    return replace(found, moduli=spec.rows, why=_why(load_target(spec.target), own))


def _why(target: Target, own: str) -> list[str]:
    """What of the machine decided."""
    if own == "words":
        return [f"radix     what {target.registers} registers hold"]
    held = f"{target.first.bytes / 1024:.4g} KiB of the {target.first.name}"
    return [f"tiles     at most half of the {held}; levels of a step as {target.registers} registers hold"]


def formula_of(spec: Spec, radix: int) -> str:
    """What is computed, in kernels of at most ``radix`` points."""
    one = expand(*asked(spec.algorithm, spec.n, radix, **_shape(spec)))
    return str(Tensor(one, I(spec.columns)) if spec.columns > 1 else one)


def derivation_of(spec: Spec) -> list[Derivation]:
    """The applications of breakdown rules that make that formula."""
    radix = _radix(ProgramWriter(spec)) if way(spec) == "words" else 2
    return derivation(*asked(spec.algorithm, spec.n, radix, **_shape(spec)))


def _shape(spec: Spec) -> dict[str, bool]:
    return {"inverse": spec.inverse, "negacyclic": spec.negacyclic, "natural": spec.order == "natural"}


def _radix(writer: ProgramWriter) -> int:
    """The largest radix of a transform on words."""
    spec, lanes = writer.spec, lanes_for(writer.spec, writer.target.lanes)
    asked = int(spec.options.get("radix", 0))
    return most_radix(writer.arith, spec.n, lanes, writer.target.registers, asked, spec.columns)


def _words(spec: Spec) -> TransformPlan:
    writer = ProgramWriter(spec)
    lanes = lanes_for(spec, writer.target.lanes)
    done = flow_of(writer, lanes, spec.inverse, spec.ranges.input, spec.ranges.output)
    return of_flow(done, formula_of(spec, _radix(writer)))


def _tiles(spec: Spec) -> TransformPlan:
    (writer,) = TiledWriter(spec, {"": spec}).parts
    tiles, inner = writer.plan, writer.inner
    steps = [[1] * one.levels for one in tiles.columns] + [[1] * (2 * (tiles.lanes.bit_length() - 1))]
    residues = tile_note(writer).removeprefix("limbs: ")
    rows = tiles.rows.blocks * (tiles.lanes - 1) * (inner.shared_words + tiles.lanes * inner.apart_words)
    tables = [*(one.entries() * inner.shared_words for one in tiles.columns), rows]
    held = Representation(residues, "digits", inner.words, writer.target.word)
    return of_tiles(tiles, formula_of(spec, 2), held, steps, tables, spec.inverse)


def _steps(spec: Spec) -> TransformPlan:
    part = StepPart(spec)
    rows = part.chain.rows
    steps = [[placed.levels for placed in row] for row in (*part.chain.columns, rows)]
    held = Representation(step_note(part).removeprefix("limbs: "), "words", 1, part.target.word)
    columns = zip(part.plan.columns, part.chain.columns, strict=True)
    tables = [one.blocks * sum(placed.blocks * placed.words(1) for placed in row) for one, row in columns]
    tables.append(part.plan.rows.blocks * part.per_tile)
    return of_tiles(part.plan, formula_of(spec, 2), held, steps, tables, spec.inverse)
