"""The files of an NTT kernel whose data flow is another than ring splitting."""

from __future__ import annotations

from momagen.kernels.algorithms import ALGORITHMS, RING
from momagen.kernels.bits import Order, moved
from momagen.kernels.flow import Move
from momagen.kernels.ntt_flow import Flow, flow
from momagen.kernels.spec import Spec

from .aside import aside
from .ntt import Transforms, ends, files, lanes_for, ntt_source, title
from .passes import write_pass
from .source import Source, Writer
from .stepped import able, no_room, stepped, stepped_source
from .tile_choice import long_table, tiled
from .tiled import tiled_source


class FlowTransforms(Transforms):
    """One transform made of passes."""

    def put(self, done: Flow) -> None:
        """Its passes, with the buffers that they read and write."""
        functions: dict[object, str] = {}
        passes: list[dict[str, object]] = []
        source = "x"
        for step, target in zip(done.steps, done.targets(), strict=True):
            if isinstance(step, Move):
                numbers = _move(step.order)
            else:
                numbers = write_pass(self.writer, step, functions, self.table_words)
                self.table_words += step.entries() * self.writer.arith.twiddle_words
            passes.append({**numbers, "x": source, "y": target})
            source = target
        name = "inverse" if done.inverse else "forward"
        self.names.append({"name": name, "inverse": done.inverse, "after_product": False, "stages": passes})

    def needs(self) -> list[str]:
        return [*super().needs(), "sub"]


def _move(order: Order) -> dict[str, object]:
    """A pass that only moves: what changes in the position read when 0, 1, 2, … bits of the position carry."""
    return {"move": True, "loops": [moved(order, (2 << k) - 1) for k in range(len(order))] + [0]}


def flow_source(spec: Spec) -> Source:
    """The C file and header of the transform that ``spec`` asks for, by the data flow it names."""
    transforms = FlowTransforms(Writer(spec))
    lanes = lanes_for(spec.n, transforms.writer.target.lanes)
    done = flow(
        transforms.writer.arith, spec.n, spec.algorithm, inverse=spec.inverse, negacyclic=spec.negacyclic,
        natural=spec.order == "natural", lanes=lanes, radix=int(spec.options.get("radix", 0)),
        m_in=spec.ranges.input, m_out=spec.ranges.output,
    )  # fmt: skip
    transforms.put(done)
    more = {**ends(spec), "scratch": done.scratch, "copied": done.copied}
    what = f"{title(spec)} ({ALGORITHMS[spec.algorithm].title})"
    source = files("flow", what, transforms, lanes, more)
    source.notes.extend(done.notes())
    return source


def transform_source(spec: Spec) -> Source:
    """The files of a transform: in steps where its residues fit one word, in tiles where the target has digits with
    slack, by ring splitting, or another way."""
    own = way(spec)
    source = {"steps": stepped_source, "tiles": tiled_source, "words": _words_source}[own](spec)
    if able(spec) and no_room(spec) and spec.arith.words == 1:
        source.notes.append(f"a modulus of {spec.width} bits leaves no room in a word beside a product")
    source.notes.extend(aside(spec, own, way))
    if own == "words" and "digits" not in spec.options and (reason := long_table(spec)):
        source.notes.append(reason)
    return source


def way(spec: Spec) -> str:
    """How the transform goes: a name in ``aside.WAYS``."""
    return "steps" if stepped(spec) else "tiles" if tiled(spec) else "words"


def _words_source(spec: Spec) -> Source:
    return ntt_source(spec) if spec.algorithm == RING else flow_source(spec)
