"""The files of a transform: which way it goes, and how it goes on whole words."""

from __future__ import annotations

from momagen.kernels.algorithms import ALGORITHMS, RING
from momagen.kernels.ntt_flow import Flow, flow
from momagen.kernels.spec import Spec
from momagen.kernels.stage import USER
from momagen.lower.transforms import words_transform
from momagen.lower.writer import ProgramWriter

from .aside import aside
from .kernel import kernel
from .ntt import check_reduction, lanes_for, title
from .source import Source
from .stepped import able, no_room, stepped, stepped_source
from .tile_choice import long_table, tiled
from .tiled import tiled_source


def flow_of(
    writer: ProgramWriter, lanes: int, inverse: bool, m_in: int, m_out: int, points: str = USER
) -> Flow:  # fmt: skip
    """The passes of one transform that ``writer`` was asked for."""
    spec = writer.spec
    return flow(
        writer.arith, spec.n, spec.algorithm, inverse=inverse, negacyclic=spec.negacyclic,
        natural=spec.order == "natural", lanes=lanes, radix=int(spec.options.get("radix", 0)), m_in=m_in, m_out=m_out,
        points=points,
    )  # fmt: skip


def words_source(spec: Spec) -> Source:
    """The files of the transform that ``spec`` asks for, on whole words, by the data flow it names."""
    check_reduction(spec)
    writer = ProgramWriter(spec)
    lanes = lanes_for(spec.n, writer.target.lanes)
    done = flow_of(writer, lanes, spec.inverse, spec.ranges.input, spec.ranges.output)
    program = words_transform(writer, done)
    ring = spec.algorithm == RING
    what = title(spec) if ring else f"{title(spec)} ({ALGORITHMS[spec.algorithm].title})"
    source = kernel("ntt", what, writer, program, lanes)
    source.notes.extend([] if ring else done.notes())
    return source


def transform_source(spec: Spec) -> Source:
    """The files of a transform: in steps where its residues fit one word, in tiles where the target has digits with
    slack, by ring splitting, or another way."""
    own = way(spec)
    source = {"steps": stepped_source, "tiles": tiled_source, "words": words_source}[own](spec)
    if able(spec) and no_room(spec) and spec.arith.words == 1:
        source.notes.append(f"a modulus of {spec.width} bits leaves no room in a word beside a product")
    source.notes.extend(aside(spec, own, way))
    if own == "words" and "digits" not in spec.options and (reason := long_table(spec)):
        source.notes.append(reason)
    return source


def way(spec: Spec) -> str:
    """How the transform goes: a name in ``aside.WAYS``."""
    return "steps" if stepped(spec) else "tiles" if tiled(spec) else "words"
