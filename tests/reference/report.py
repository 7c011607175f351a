"""What changed between two sets of figures: row by row, then by family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .figures import Figures

EXACT = ("table", "peak", "kept")
"""The same on every machine, as operations are."""
COUNTED = ("instructions", "spills", "vector")
"""The same with the same compiler, but for rounding:"""
CLOSE = 0.001
TIMED = {"create": 0.3}
"""Times, as multiples of a loop's, and by how much they may grow: caches and memory differ from run to run."""
SHOWN = 4
"""Operations of a row that are named, those that changed most first."""


@dataclass(frozen=True)
class Change:
    """A figure of a row that differs, and whether it grew."""

    row: str
    text: str
    grew: bool = False


def changes(row: str, old: Figures, new: Figures, same_compiler: bool) -> Iterator[Change]:
    """What differs in one row, each in a line."""
    if old["code"] != new["code"]:
        yield Change(row, "code")
    elif old["text"] != new["text"]:
        yield Change(row, "comments only")
    yield from _of_operations(row, old["operations"], new["operations"])
    for name in EXACT:
        yield from _of_number(row, name, old, new, 0)
    for name in COUNTED if same_compiler else ():
        yield from _of_number(row, name, old, new, CLOSE)
    for name, room in TIMED.items() if same_compiler else ():
        yield from _of_number(row, name, old, new, room)


def slower(old: Figures, new: Figures) -> bool:
    """Whether a time grew."""
    return any(change.grew for name, room in TIMED.items() for change in _of_number("", name, old, new, room))


def _of_number(row: str, name: str, old: Figures, new: Figures, room: float) -> Iterator[Change]:
    if name in old and name in new and abs(new[name] - old[name]) > room * old[name]:
        yield Change(row, f"{name} {_step(old[name], new[name])}", new[name] > old[name])


def _of_operations(row: str, old: Mapping[str, int], new: Mapping[str, int]) -> Iterator[Change]:
    """Of operations the sum, and those that changed most. Where one takes another's place, the sum says whether there
    are more."""
    if old == new:
        return
    names = sorted({*old, *new}, key=lambda name: -abs(new.get(name, 0) - old.get(name, 0)))
    steps = [f"{name} {old.get(name, 0)} → {new.get(name, 0)}" for name in names if old.get(name) != new.get(name)]
    more = f", … {len(steps) - SHOWN} more" if len(steps) > SHOWN else ""
    before, after = sum(old.values()), sum(new.values())
    total = f"operations {_step(before, after)}" if before != after else f"operations {before}, others"
    yield Change(row, f"{total} ({', '.join(steps[:SHOWN])}{more})", after > before)


def _step(old: float, new: float) -> str:
    share = f" ({(new / old - 1) * 100:+.2f} %)" if old else ""
    return f"{old:g} → {new:g}{share}" if max(old, new) < 1e5 else f"{old:.0f} → {new:.0f}{share}"


def compared(
    old: Mapping[str, Figures], new: Mapping[str, Figures], same_compiler: bool
) -> tuple[list[Change], list[str]]:
    """The changes of the rows that both have, and lines on those that only one has."""
    both = sorted(old.keys() & new.keys())
    found = [change for row in both for change in changes(row, old[row], new[row], same_compiler)]
    alone = [f"{row}: gone" for row in sorted(old.keys() - new.keys())]
    return found, alone + [f"{row}: new" for row in sorted(new.keys() - old.keys())]


def summary(families: Mapping[str, str], changed: list[Change]) -> Iterator[str]:
    """A line per family: rows, rows with other code, with other comments only, figures that grew and that shrank."""
    sizes = Counter(families.values())
    code, comments, grew, other = (Counter[str]() for _ in range(4))
    for change in changed:
        kind = code if change.text == "code" else comments if change.text == "comments only" else None
        kind = grew if change.grew else other if kind is None else kind
        kind[families[change.row]] += 1
    for family, size in sorted(sizes.items()):
        counts = {"code": code, "comments only": comments, "figures up": grew, "figures down": other}
        text = ", ".join(f"{name} {count[family]:3}" for name, count in counts.items())
        yield f"{family:12} {size:3} rows: {text}"
