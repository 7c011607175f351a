"""The files of kernels whose transforms go by tiles: an NTT, and a polynomial product."""

from __future__ import annotations

from momagen.kernels.elements import montgomery_product
from momagen.kernels.spec import Spec
from momagen.kernels.stage import LANES
from momagen.lower.element_loops import write_loop
from momagen.lower.tile_transforms import TiledWriter, tiles_product, tiles_transform
from momagen.lower.tile_writer import TileWriter

from .kernel import kernel
from .ntt import product_title, title, ways
from .source import Source
from .tile_choice import tiled


def tiled_source(spec: Spec) -> Source:
    """The files of the transform that ``spec`` asks for, on the target's digits."""
    writer = TiledWriter(spec, {"": spec})
    source = kernel("ntt", title(spec), writer, tiles_transform(writer), writer.target.lanes)
    source.notes.extend(map(note, writer.parts))
    return source


def tiled_product(spec: Spec) -> bool:
    """Whether both transforms of a polynomial product go by tiles."""
    return all(map(tiled, ways(spec).values()))


def product_source(spec: Spec) -> Source:
    """The files of the product that ``spec`` asks for, by transforms in tiles.

    Between them, points stay as vectors of words, in the order in which the last pass leaves them.
    """
    lazy = spec.arith.lazy
    writer = TiledWriter(spec, {f"{way}_": each for way, each in ways(spec, lazy).items()})
    write_loop(writer, "product", montgomery_product(writer.arith, 1, lazy), writer.target.lanes, LANES)
    source = kernel("polymul", product_title(spec), writer, tiles_product(writer), writer.target.lanes)
    source.notes.extend(f"{part.name.removesuffix('_')}: {note(part)}" for part in writer.parts)
    return source


def note(writer: TileWriter) -> str:
    """What a transform is inside, for people."""
    passes = len(writer.plan.columns) + 1
    across = f"in {passes} pass{'es' * (passes > 1)}, depth first"
    kind = "floating-point digit" if writer.inner.real else "digit"
    count = writer.inner.words
    return f"limbs: {count} {kind}{'s' * (count > 1)} of radix 2^{writer.inner.word}, {across}"
