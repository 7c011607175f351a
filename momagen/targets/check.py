"""Checks of target files: the type and range of every key, and the placeholders between braces."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from momagen.data import folder
from momagen.errors import MomagenError, among, quoted
from momagen.ir import OPS
from momagen.rewrite import DEFAULTS, table

KINDS: dict[str, type] = {
    **dict.fromkeys(("name", "title", "inherits", "syntax", "host", "standins"), str),
    **dict.fromkeys(("intrinsics", "attribute", "tested_on", "purpose", "architecture", "design", "several"), str),
    "inside": str, "rows": str, **dict.fromkeys(("word", "lanes", "registers", "chains"), int),
    **dict.fromkeys(("digit", "longest", "real", "quotients", "operands"), int),
    **dict.fromkeys(("codelet", "largest", "across", "packed", "prefetch", "saved", "widest", "ahead"), int),
    **dict.fromkeys(("piece", "columns", "word_storage_from"), int),
    **dict.fromkeys(("threads", "held", "sharing", "minor", "interleaved", "materialised", "dense", "block"), int),
    **dict.fromkeys(("types", "moves", "ops", "carries", "prelude", "options"), dict),
    **dict.fromkeys(("sums", "tiles", "long", "resident", "radix", "wide", "layouts", "points", "cores"), dict),
    **dict.fromkeys(("headers", "features", "flags", "scheduled", "memory", "engine"), list),
    **dict.fromkeys(("permutes", "instructions", "operations"), dict),
    "header": str, "rule": list,
}  # fmt: skip
"""The keys of a target file, with the types of their values."""
RADICES = (2, 4, 8, 16)
"""The radices that a pass on full-radix limbs may have."""
ROWS = ("memory", "rule", "engine")
"""The keys that are lists of tables."""
NAME = re.compile(r"[A-Za-z0-9_]+", re.ASCII)
MOST = 1 << 40
"""The upper bound of integers that have no entry in ``RANGES``."""
RANGES = {
    "digit": (32, 60), "real": (32, 50), "lanes": (1, 512), "longest": (1, MOST), "codelet": (1, MOST),
    "largest": (1 << 26, MOST), "registers": (4, 1024), "quotients": (0, MOST), "chains": (0, 1024),
}  # fmt: skip
"""The ranges of numbers; other numbers are at most ``MOST``."""
NONE = ("digit", "real")
"""The numbers that may be 0, which means that the machine has no such limbs."""
_NAMES = {str: "a string", int: "an integer", dict: "a table", list: "a list of strings"}
WAYS = ("forward", "inverse", "products", "unfolded", "scaled")
"""The keys of [tiles], which state a range of words in which reduced-radix limbs are faster."""
UNROLLS = ("1", "2", "4", "8")
"""The numbers of copies of a loop's body."""
MOST_LANES = 64
"""The largest number of lanes of a machine whose instructions do not compute modulo q."""
WORDS = (8, 16, 32, 64, 128)
"""The widths in bits that a word may have."""
LAYOUTS = {"u16": 16, "u32": 32, "u64": 64}
"""The widths in bits of the words of users' arrays, by layout."""
LANE = 64
"""The width in bits of a word in vectors, and of the place of a reduced-radix limb."""

TYPES: dict[str, frozenset[str]] = {"word": frozenset(), "flag": frozenset(), "const": frozenset("x")}
MOVES = {name: frozenset(slots) for name, slots in {"load": "pi", "broadcast": "pi", "store": "pia"}.items()}
FLAGS: dict[str, frozenset[str]] = {"no": frozenset(), "yes": frozenset()}
ASSEMBLY: dict[str, frozenset[str]] = {"word_in": frozenset(), "flag_in": frozenset()}
MASKS: dict[str, frozenset[str]] = {"mask": frozenset(), "masks": frozenset("x")}
"""Entries of [types] for numbers that span lanes: a mask, and a constant mask."""
LANES = {"lanes": frozenset({"lanes"})}
"""Entries of [types] and [moves], with the placeholders that each may have; the last two are for vectors only."""
HALVES = {"halves": frozenset("ab"), "store_low": frozenset("pa"), "store_high": frozenset("pa")}
"""Optional moves: a register whose low half is loaded from a and its high half from b, and stores of one half."""
TWICE = {"broadcast_twice": frozenset("pi")}
"""A broadcast of a word that memory holds twice, for targets on which this is faster."""
HIDE = {"hide": frozenset("a")}
"""A statement after a difference that another difference uses.

It hides the difference from compilers, which would otherwise recompute the other one from its terms.
"""
SHUFFLES = {"pairs": frozenset({"a", "b", "pairs"}), "shuffle": frozenset({"a", "b", "lanes"})}
"""Two more moves: of pairs of lanes of two registers, and of lanes in any pattern, in several instructions."""
LONGER = {
    "broadcast_long": frozenset("pi"), "load_short": frozenset("pi"),
    "store_short": frozenset("pia"), "store_upper": frozenset("pia"),
}  # fmt: skip
"""The moves for values in longer lanes.

They broadcast a number of several words, load words into longer lanes, and store the words in the lower and in the
upper half of a register.
"""
LETTERS = "abcdefgh"
"""The placeholders for the arguments of an operation."""
SHAPES = ("", "#x")
"""The formats in which a spelling may have a number written."""


def check_kinds(raw: Mapping[str, object], where: str) -> None:
    """Raise MomagenError if a key of a target file is unknown, or its value has the wrong type or is out of range."""
    if unknown := set(raw) - set(KINDS):
        raise among("only the keys", sorted(KINDS), ", ".join(sorted(unknown)), where)
    for key, value in raw.items():
        texts = not isinstance(value, list) or key in ROWS or all(isinstance(item, str) for item in value)
        if not isinstance(value, KINDS[key]) or isinstance(value, bool) or not texts:
            expected = "a list of tables" if key in ROWS else _NAMES[KINDS[key]]
            raise MomagenError(expected, quoted(value), f"{where}, {key}")
        if isinstance(value, int):
            _check_range(key, value, where)
    if not NAME.fullmatch(str(raw.get("name", "x"))):
        expected = "a name of letters, digits and _ only, because it becomes part of C identifiers"
        raise MomagenError(expected, raw["name"], f"{where}, name")


def check_path(path: Path) -> Path:
    """Return ``path``, or raise MomagenError if its name cannot end the names of kernels, which are C identifiers."""
    if not NAME.fullmatch(path.name.removesuffix(".toml")):
        expected = "a file name of letters, digits and _ only before .toml, because it becomes part of C identifiers"
        raise MomagenError(expected, path.name, "target", "rename the file")
    return path


def _check_range(key: str, value: int, where: str) -> None:
    """Check that a number is in the range of its key.

    Raises:
        MomagenError: It is not.
    """
    low, high = RANGES.get(key, (0, MOST))
    if not (low <= value <= high or (value == 0 and key in NONE)):
        also = "0 or " * (key in NONE and low > 0)
        raise MomagenError(f"{also}an integer from {low} to {high}", value, f"{where}, {key}")


def check_numbers(word: object, lanes: object, digit: int, where: str) -> None:
    """Raise MomagenError unless kernels can be generated for this word size, lane count and limb size (``digit``)."""
    if word not in WORDS:
        raise among("one of", map(str, WORDS), word, f"{where}, word")
    if not isinstance(lanes, int) or not 1 <= lanes <= MOST_LANES or lanes & (lanes - 1):
        raise MomagenError(f"a power of two from 1 to {MOST_LANES}", lanes, f"{where}, lanes")
    if word != LANE and digit:
        raise MomagenError(f"{LANE}, because the target has reduced-radix limbs (`digit`)", word, f"{where}, word")


def check_choices(own: Mapping[str, object], where: str, *, loops: bool = False) -> None:
    """Raise MomagenError for an option or a value that no rewrite rule has; ``loops`` also allows ``unroll``."""
    known: dict[str, set[object]] = {option: {value} for option, value in DEFAULTS.items()}
    for rule in table():
        option, _, value = rule.choice.partition(":")
        known.setdefault(option, set()).add(value)
    known |= {"unroll": set(UNROLLS)} if loops else {}
    for name, wanted in own.items():
        if name not in known:
            raise among("one of the options", filter(None, sorted(known)), name, where)
        if not isinstance(wanted, str) or wanted not in known[name]:
            allowed = ", ".join(sorted(map(str, known[name])))
            raise MomagenError(f"one of the values {allowed}", quoted(wanted), f"{where} {name}")


def check_ranges(own: Mapping[str, object], where: str, ways: Sequence[str] = WAYS, unit: str = "words") -> None:
    """Raise MomagenError unless each key is one of ``ways`` and each value a range [FROM, TO], counted in ``unit``."""
    for way, ends in own.items():
        pair = isinstance(ends, list) and len(ends) == 2 and all(type(end) is int for end in ends)
        if way not in ways or not pair or not 1 <= ends[0] <= ends[1]:  # type: ignore[index]
            keys = f"{', '.join(ways[:-1])} or {ways[-1]}"
            expected = f"KEY = [FROM, TO], with the key {keys}, and 1 <= FROM <= TO, counted in {unit}"
            raise MomagenError(expected, f"{way} = {quoted(ends)}", where)


def check_long(own: Mapping[str, object], where: str) -> None:
    """Raise MomagenError unless each value is a number of bytes."""
    for kernel, size in own.items():
        if type(size) is not int or size < 0:
            raise MomagenError("KERNEL = BYTES, a non-negative integer", f"{kernel} = {quoted(size)}", where)


def check_threads(threads: int, sharing: int, where: str) -> None:
    """Raise MomagenError unless a plan can use blocks of ``threads`` threads, ``sharing`` of them on one processor."""
    if threads & (threads - 1):
        raise MomagenError("0 or a power of two", threads, f"{where}, threads")
    if not sharing:
        raise MomagenError("an integer of at least 1", sharing, f"{where}, sharing")


def check_resident(own: Mapping[str, object], where: str) -> None:
    """Raise MomagenError unless each key is a number of bits and each value a number of blocks."""
    for bits, blocks in own.items():
        if not re.fullmatch("[1-9][0-9]*", bits, re.ASCII) or type(blocks) is not int or not 1 <= blocks <= 64:
            expected = "BITS = BLOCKS, with a positive number of bits and 1 to 64 blocks"
            raise MomagenError(expected, f"{bits} = {quoted(blocks)}", where)


def check_radix(own: Mapping[str, object], where: str) -> None:
    """Raise MomagenError unless each key is a number of words and each value a radix that a pass may have."""
    for words, radix in own.items():
        if not re.fullmatch("[1-9][0-9]*", words, re.ASCII) or type(radix) is not int or radix not in RADICES:
            known = ", ".join(map(str, RADICES))
            expected = f"WORDS = RADIX, with a positive number of words and one of the radices {known}"
            raise MomagenError(expected, f"{words} = {quoted(radix)}", where)


def check_layouts(own: Mapping[str, object], where: str) -> None:
    """Raise MomagenError unless each key is a layout and each value a string, the name of a target."""
    for layout, name in own.items():
        if layout not in LAYOUTS or not isinstance(name, str):
            expected = f'LAYOUT = "TARGET", with one of the layouts {", ".join(LAYOUTS)}'
            raise MomagenError(expected, f"{layout} = {quoted(name)}", where)


def check_file(place: str, name: object, where: str) -> None:
    """Raise MomagenError unless a file called ``name`` exists in ``place``, a folder of momagen's data."""
    top, _, rest = place.partition("/")
    inside = isinstance(name, str) and "\0" not in name and ".." not in Path(name).parts
    if not inside or not (folder(top) / rest / str(name)).is_file():
        raise MomagenError(f"the name of a file in momagen's folder {place}/", name, where)


def check_entries(table: Mapping[str, object], entries: Mapping[str, frozenset[str]], where: str) -> None:
    """Raise MomagenError if ``table`` lacks one of ``entries``, or its text has placeholders other than its slots."""
    for name, slots in entries.items():
        if not isinstance(text := table.get(name), str):
            got = quoted(table[name]) if name in table else f"only {', '.join(table)}" if table else "an empty table"
            raise MomagenError(f"an entry `{name}` whose value is a string", got, where)
        check_slots([text], slots, f"{where} {name}")


def op_slots(op: str) -> frozenset[str]:
    """Return the placeholders that the C text of ``op`` may have: its arguments, its attribute and a temporary."""
    return frozenset({*LETTERS[: len(OPS[op].args)], "k", "t", "mask", "lanes"})


def check_slots(texts: Iterable[str], slots: frozenset[str], where: str) -> None:
    """Raise MomagenError unless each text has matching braces and no placeholders other than ``slots``."""
    for text in texts:
        try:
            found = [row for row in string.Formatter().parse(text) if row[1] is not None]
        except ValueError as error:
            raise MomagenError("matching braces", quoted(text), where, str(error)) from None
        named = {str(field) for _, field, _, _ in found}
        if shaped := [shape for _, _, shape, _ in found if shape not in SHAPES]:
            raise MomagenError("placeholders without a format other than {…:#x}", f"{{…:{shaped[0]}}}", where)
        if unknown := named - slots:
            known = f"only the placeholders {', '.join(f'{{{slot}}}' for slot in sorted(slots))}"
            got = ", ".join(f"{{{name}}}" for name in sorted(unknown))
            raise MomagenError(known if slots else "no placeholders", got, where)
