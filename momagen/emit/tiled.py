"""The files of kernels in tiles: an NTT is one transform, a polynomial product two with products between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from momagen.kernels.elements import montgomery_product
from momagen.kernels.spec import Spec
from momagen.kernels.stage import LANES
from momagen.lower.element_loops import write_loop
from momagen.lower.tile_constants import kept_words
from momagen.lower.tile_shape import Passes
from momagen.lower.tile_transforms import tile_writer, write_tiles
from momagen.lower.tile_writer import TileWriter
from momagen.program import Expr

from .ntt import ends, rendered, ring_numbers, title
from .parts import numbers_of
from .source import Source, Writer
from .tile_choice import tiled


class TiledWriter(Writer):
    """Collects the transforms of ``specs``, by name; "" where there is but one."""

    def __init__(self, spec: Spec, specs: Mapping[str, Spec]) -> None:
        super().__init__(spec)
        self.parts = {name: tile_writer(each, self, name) for name, each in specs.items()}
        self.narrower = max(self.parts.values(), key=lambda part: part.inner.least)

    @property
    def moduli(self) -> str:
        return self.narrower.moduli

    def fits(self, q: Expr) -> Expr:
        return self.narrower.fits(q)


def tiled_source(spec: Spec) -> Source:
    """The C file and header of the transform that ``spec`` asks for, on the target's digits."""
    writer = TiledWriter(spec, {"": spec})
    source = _source("tiled", title(spec), writer, ends(spec))
    source.notes.append(note(writer.parts[""]))
    return source


def _source(kind: str, what: str, writer: TiledWriter, more: Mapping[str, object]) -> Source:
    write_tiles(writer, writer.parts.values())
    passes = {name: Passes(part) for name, part in writer.parts.items()}
    numbers = {name: _numbers(writer.parts[name], own) for name, own in passes.items()}
    room, tiles = (max(getattr(own, key) for own in passes.values()) for key in ("room", "tile_words"))
    given = {**numbers_of(writer, {}, numbers, "", kept=True), **more, "room": room, "tiles": tiles}
    return rendered(kind, what, writer, writer.target.lanes, given)


def _numbers(part: TileWriter, passes: Passes) -> dict[str, object]:
    """What the frame asks of one transform."""
    return {
        **ring_numbers(part.spec), "lanes": part.plan.lanes, "table_words": passes.table_words, "again": part.again,
        "constants": str(kept_words(part)), "converts": True,
    }  # fmt: skip


def note(writer: TileWriter) -> str:
    """What a transform is inside, for people."""
    passes = len(writer.plan.columns) + 1
    across = f"in {passes} pass{'es' * (passes > 1)}, depth first"
    kind = "floating-point digit" if writer.inner.real else "digit"
    count = writer.inner.words
    return f"limbs: {count} {kind}{'s' * (count > 1)} of radix 2^{writer.inner.word}, {across}"


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
    lazy = spec.arith.lazy
    writer = TiledWriter(spec, {f"{way}_": each for way, each in ways(spec, lazy).items()})
    write_loop(writer, "product", montgomery_product(writer.arith, 1, lazy), writer.target.lanes, LANES)
    source = _source("tiled_polymul", f"Product of polynomials of {spec.n} coefficients", writer, {})
    source.notes.extend(f"{name.removesuffix('_')}: {note(part)}" for name, part in writer.parts.items())
    return source
