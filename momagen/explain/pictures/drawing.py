"""The elements of the picture of a schedule, with their coordinates in pixels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

MARGIN, TOP, LEFT = 16, 48, 52
"""The left margin, the top of the first nest, and the left end of the squares."""
SQUARE, ROW = 22, 30
"""The distances of neighbouring squares and rows."""
HEAD, FOOT = 26, 40
"""The height of the title of a nest with the distance to the next nest, and the height of the legend."""
TITLE_WIDTH, KEY_WIDTH = 420, 170
"""The widths of the text next to a row, and of an entry of the legend."""
INK, GREY, WHITE, EMPTY = "#1d2330", "#667085", "#fff", "#b9bfca"
"""The colours of text, of secondary text, of numbers in squares, and of the frames of empty squares."""


class PicturedStep(NamedTuple):
    """A row of the picture.

    Attributes:
        number: The number of the step.
        places: The place of each index bit, the highest bit first; "" if a move leaves it open.
        read: The index bits on which the twiddles depend.
        title: What the step computes.
        ends: The memories that it reads and writes, and the range of its results.
    """

    number: int
    places: list[str]
    read: frozenset[int]
    title: str
    ends: str


class PicturedNest(NamedTuple):
    """Consecutive rows of the picture.

    Attributes:
        title: The fields of the nest, or "" for steps outside of nests.
        steps: The rows.
    """

    title: str
    steps: list[PicturedStep]


class Shape(NamedTuple):
    """An element of an SVG file.

    Attributes:
        tag: The name of the element.
        attributes: The values of its attributes.
        text: Its content, or "".
    """

    tag: str
    attributes: dict[str, Any]
    text: str = ""


class Drawing(NamedTuple):
    """A picture.

    Attributes:
        width: The width.
        height: The height.
        elements: The elements, from back to front.
    """

    width: int
    height: int
    elements: list[Shape]


def draw(title: str, nests: Sequence[PicturedNest], bits: int, places: Mapping[str, tuple[str, str]]) -> Drawing:
    """Return the picture of a schedule.

    Args:
        title: The title.
        nests: The rows.
        bits: The number of index bits.
        places: The colour and the description of each place that occurs.
    """
    width = max(LEFT + SQUARE * bits + TITLE_WIDTH, MARGIN + KEY_WIDTH * len(places))
    height = TOP + sum(HEAD + ROW * len(nest.steps) for nest in nests) + FOOT
    elements = [_box(0, 0, width, height, fill="#fbfaf7"), _text(MARGIN, 20, title, **{"font-size": 14})]
    note = f"index bits, {bits - 1} … 0; a dot marks bits on which twiddles depend"
    elements += [_text(MARGIN, 40, "step", fill=GREY), _text(LEFT, 40, note, fill=GREY)]
    top = TOP
    for nest in nests:
        elements += _nest(nest, top, width, bits, places)
        top += HEAD + ROW * len(nest.steps)
    for at, (colour, text) in enumerate(places.values()):
        x = MARGIN + KEY_WIDTH * at
        elements += [_box(x, height - 28, 14, 14, rx=3, fill=colour), _text(x + 20, height - 17, text, fill=GREY)]
    return Drawing(width, height, elements)


def _nest(
    nest: PicturedNest, top: int, width: int, bits: int, places: Mapping[str, tuple[str, str]]
) -> Iterator[Shape]:
    """Yield the elements of a nest whose frame begins at ``top``."""
    yield _box(8, top, width - 16, 22 + ROW * len(nest.steps), rx=6, fill=WHITE, stroke="#e4e1d8")
    yield _text(MARGIN, top + 15, nest.title, fill=GREY)
    for at, step in enumerate(nest.steps):
        yield from _row(step, top + 20 + ROW * at, bits, places)


def _row(step: PicturedStep, top: int, bits: int, places: Mapping[str, tuple[str, str]]) -> Iterator[Shape]:
    """Yield the elements of a row whose squares begin at ``top``."""
    yield _text(MARGIN, top + 16, str(step.number))
    for at, place in enumerate(step.places):
        x, bit = LEFT + SQUARE * at, bits - 1 - at
        colours = {"fill": places[place][0], "stroke": "none"} if place else {"fill": "none", "stroke": EMPTY}
        yield _box(x, top, 20, 24, rx=3, **colours)
        ink = WHITE if place else "#8a94a6"
        yield _text(x + 10, top + 15, str(bit), **{"font-size": 10, "text-anchor": "middle", "fill": ink})
        if bit in step.read:
            yield Shape("circle", {"cx": x + 10, "cy": top + 20, "r": 2, "fill": WHITE})
    x = LEFT + SQUARE * bits + 12
    yield _text(x, top + 11, step.title)
    yield _text(x, top + 24, step.ends, **{"fill": GREY, "font-size": 11})


def _box(x: int, y: int, width: int, height: int, **more: Any) -> Shape:
    return Shape("rect", {"x": x, "y": y, "width": width, "height": height, **more})


def _text(x: int, y: int, text: str, **more: Any) -> Shape:
    return Shape("text", {"x": x, "y": y, **more}, text)
