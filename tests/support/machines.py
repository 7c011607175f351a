"""Machines drawn at random, as target files: numbers of lanes and registers, caches, operations and tuning values.

Programs for these machines are only interpreted, so that operations have placeholders instead of C text.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from momagen.ir import OPS

ALWAYS = "addlo addclo sublo subblo eq and or not select word shr shl shrv shlv low mulhalf"
"""The operations that every machine has, besides comparisons of words with or without a sign."""
GROUPS = (
    "top", "mullo", "mulhi", "mul", "add addc sub subb", "addif subif", "inc dec", "shrd",
    "umin umax", "plus minus sar sal", "smulhalf",
)  # fmt: skip
"""Groups of operations of which a machine has all or none."""
MASKS = "carries lift mand mor mxor pick spread lt le eq"
"""The operations of sums that span lanes."""
LIMBS = "fmalo fmahi bit clear plus minus sar sal negative umin umax"
"""The operations of integer limbs with reduced radix."""
REAL = "radd rsub rmul rfma rfms rfnma real unreal plus minus sar sal negative"
"""The operations of floating-point limbs."""
SIGNED = "mulhi mullo mulhis mullos plus minus sal sar umin umax lts"
"""The operations of transforms on short lanes, which keep values around zero."""
HOSTS = {16: "c16", 32: "c32", 64: "c64"}
"""The scalar machine beside vectors, by the width of a word."""


def machine_text(seed: int) -> str:
    """Return the target file of machine number ``seed``."""
    some = random.Random(f"machine {seed}")
    word, lanes = some.choice((16, 32, 64, 64, 64)), 1 << some.randrange(7)
    ops, own = {*ALWAYS.split()}, dict[str, int]()
    ops |= {op for group in GROUPS if some.random() < 0.5 for op in group.split()}
    ops |= {*some.choice(("lt le", "lts", "lt le lts")).split()}
    if word == 64 and lanes > 1:
        limbs = some.choice((LIMBS, REAL, REAL + " umin umax select_top", ""))
        ops |= {*limbs.split()}
        if limbs == LIMBS:
            own |= {"digit": some.randint(32, 52), "packed": some.choice((0, 1 << 10, 1 << 20))}
        elif limbs:
            own |= {"real": some.randint(32, 50), "quotients": some.randint(0, 5)}
        if some.random() < 0.3:
            ops |= {*MASKS.split()}
            own["across"] = some.randint(2, 5)
    elif lanes > 1 and some.random() < 0.7:
        ops |= {*SIGNED.split()}
        ops |= {"mulhrs", "sublos"} if some.random() < 0.5 else set()
    own |= _numbers(some)
    options = {"minimum": "words"} if {"umin", "umax"} <= ops and some.random() < 0.7 else {}
    options |= {"carry": "signed"} if "lt" not in ops else {}
    options |= {"borrow": "top"} if "top" in ops and some.random() < 0.5 else {}
    tiles = {way: some.choice(([1, 32], [2, 16], [3, 5])) for way in ("forward", "inverse", "products")}
    return "\n".join([
        f'name = "machine{seed}"', f'title = "Machine {seed}"', f"word = {word}", f"lanes = {lanes}", 'syntax = "c"',
        f'host = "{HOSTS[word]}"' if lanes > 1 else "", *(f"{key} = {value}" for key, value in own.items()),
        *_memories(some), *_table("types", TYPES), *_table("moves", MOVES),
        *_table("ops", {op: _spelling(op) for op in sorted(ops | {*["perm2"] * (lanes > 1)})}),
        *_table("options", options), *(["[tiles]", *(f"{way} = {ends}" for way, ends in tiles.items())] * (word == 64)),
    ]) + "\n"  # fmt: skip


TYPES = {"word": "word", "flag": "flag", "const": "{x}", "no": "no", "yes": "yes", "mask": "mask", "masks": "{x}"}
MOVES = {"load": "{p}[{i}]", "broadcast": "{p}[{i}]", "store": "{p}[{i}] = {a};", "lanes": "{lanes}"}


def _spelling(op: str) -> str | Sequence[str]:
    """Return a placeholder for each result of an operation."""
    return ["x"] * len(OPS[op].results)


def _numbers(some: random.Random) -> Mapping[str, int]:
    """Return the values of some tuning keys."""
    choices = {
        "registers": some.randint(4, 64), "operands": some.randint(0, 6), "longest": some.choice((1, 2, 4, 8, 60)),
        "saved": some.choice((0, 1 << 12)), "prefetch": some.choice((0, 1 << 10)), "piece": some.choice((0, 20, 1000)),
        "word_storage_from": some.choice((0, 1 << 10)), "columns": some.choice((0, 2, 16)),
        "widest": some.choice((0, 2)), "ahead": some.choice((0, 1024)),
    }  # fmt: skip
    return {key: value for key, value in choices.items() if key == "registers" or some.random() < 0.5}


def _memories(some: random.Random) -> list[str]:
    """Return one to three caches, each at least twice as long as the one before it."""
    line, size, found = 1 << some.randint(4, 7), some.randint(8, 15), list[str]()
    for at in range(some.randint(1, 3)):
        found += ["[[memory]]", f'name = "cache {at}"', f"bytes = {some.choice((2, 3)) << size}", f"line = {line}"]
        size += some.randint(2, 5)
    return found


def _table(name: str, rows: Mapping[str, str | Sequence[str]]) -> list[str]:
    """Return the lines of a table."""
    rows = {key: f'"{row}"' if isinstance(row, str) else f"{{ results = {[*row]} }}" for key, row in rows.items()}
    return [f"[{name}]", *(f"{key} = {text}" for key, text in rows.items())]
