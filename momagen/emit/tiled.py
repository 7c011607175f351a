"""The files of kernels in tiles: an NTT is one transform, a polynomial product two with products between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from momagen.kernels.elements import montgomery_product
from momagen.kernels.spec import Spec
from momagen.kernels.stage import LANES
from momagen.targets import load_target

from .loop import write_loop
from .ntt import ends, files, title
from .parts import numbers_of
from .real_tiles import RealTileWriter
from .source import Source, Writer
from .tile_choice import tiled
from .tile_numbers import TileTransforms
from .tiles import TileWriter


@dataclass(frozen=True)
class TiledParts:
    """What the templates ask of a file with the transforms ``parts``, by name; "" where there is but one."""

    writer: Writer
    parts: Mapping[str, TileWriter]

    def needs(self) -> list[str]:
        scaled = any(part.spec.inverse and not part.inner.over for part in self.parts.values())
        return ["mont", "add", "newton", "quot", *["half"] * scaled]

    def numbers(self) -> dict[str, object]:
        """What the templates ask for."""
        numbers = {name: TileTransforms(part).numbers() for name, part in self.parts.items()}
        return numbers_of(self.writer, self.parts, numbers, "c/tiles.c.j2", kept=True)


def tile_writer(spec: Spec, beside: Writer | None = None) -> TileWriter:
    """The writer of a transform in tiles on the target's digits; see :class:`TileWriter`."""
    return (RealTileWriter if load_target(spec.target).real else TileWriter)(spec, beside)


def tiled_source(spec: Spec) -> Source:
    """The C file and header of the transform that ``spec`` asks for, on the target's digits."""
    writer = tile_writer(spec)
    source = files("tiled", title(spec), TiledParts(writer, {"": writer}), writer.target.lanes, ends(spec))
    source.notes.append(note(writer))
    return source


def note(writer: TileWriter) -> str:
    """What a transform is inside, for people."""
    passes = len(writer.plan.columns) + 1
    across = f"in {passes} pass{'es' * (passes > 1)}, depth first"
    kind = "floating-point digit" if writer.inner.real else "digit"
    count = writer.inner.words
    return f"limbs: {count} {kind}{'s' * (count > 1)} of radix 2^{writer.inner.word}, {across}"


class ProductWriter(Writer):
    """Collects what both transforms of a product use."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        specs = ways(spec, self.arith.lazy)
        self.parts = {f"{way}_": tile_writer(each, self) for way, each in specs.items()}
        self.narrower = max(self.parts.values(), key=lambda part: part.inner.least)

    @property
    def moduli(self) -> str:
        return self.narrower.moduli

    def top_check(self) -> str:
        return self.narrower.top_check()


def ways(spec: Spec, lazy: int = 1) -> dict[str, Spec]:
    """The transforms of a product, whose inverse takes products below lazy·q."""
    factors = {"forward": (spec.ranges.input, 1), "inverse": (lazy, spec.ranges.output)}
    return {
        way: replace(
            spec, kind="ntt", inverse=way == "inverse",
            options={**spec.options, "input_factor": str(m_in), "output_factor": str(m_out)},
        )
        for way, (m_in, m_out) in factors.items()
    }  # fmt: skip


def tiled_product(spec: Spec) -> bool:
    """Whether both transforms of a polynomial product go by tiles."""
    return all(map(tiled, ways(spec).values()))


def product_source(spec: Spec) -> Source:
    """The C file and header of the product that ``spec`` asks for, by transforms in tiles.

    Between them, points stay as vectors of words, in the order in which the last pass leaves them.
    """
    writer = ProductWriter(spec)
    write_loop(writer, "product", montgomery_product(writer.arith, 1, writer.arith.lazy), writer.target.lanes, LANES)
    what = f"Product of polynomials of {spec.n} coefficients"
    source = files("tiled_polymul", what, TiledParts(writer, writer.parts), writer.target.lanes, {})
    source.notes.extend(f"{name.removesuffix('_')}: {note(part)}" for name, part in writer.parts.items())
    return source
