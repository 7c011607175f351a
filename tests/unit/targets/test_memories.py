"""Memories of target files: read and refused, and what plans make of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import momagen as mg
from momagen.errors import MomagenError
from momagen.targets import Memory, load_target, parse_target

pytestmark = pytest.mark.compiles

FIRST = Memory("first-level cache", 49152, 64)
SMALL = """
inherits = "c32"
name = "tiny"
title = "a made-up machine"
registers = 7
memory = [{ name = "first-level cache", bytes = 49152, line = 32 }]
"""
NARROW = """
inherits = "{parent}"
name = "narrow"
title = "a made-up machine"
memory = [
    {{ name = "first-level cache", bytes = {size}, line = 64 }},
    {{ name = "second-level cache", bytes = 131072, line = 64 }},
]
"""


def made_up(place: Path, text: str) -> str:
    path = place / "made_up.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_every_target_has_memories() -> None:
    for name in ("c", "c32", "avx2", "avx512", "avx512ifma"):
        assert load_target(name).first == FIRST and load_target(name).second.bytes == 1 << 20


@pytest.mark.parametrize("bits", [60, 124])
@pytest.mark.parametrize("inverse", [False, True])
def test_few_registers_of_short_words_make_another_plan(bits: int, inverse: bool, tmp_path: Path) -> None:
    asked = {"modulus_bits": bits, "inverse": inverse}
    usual = mg.ntt(256, target="c32", **asked)  # type: ignore[arg-type]
    other = mg.ntt(256, target=made_up(tmp_path, SMALL), **asked)  # type: ignore[arg-type]
    assert {each.levels for each in usual.plan.passes} == {2}
    assert {each.levels for each in other.plan.passes} == {1}
    assert other.verify().ok


@pytest.mark.thorough
def test_shorter_lines_make_shorter_runs(tmp_path: Path) -> None:
    asked = {"modulus_bits": 60, "order": "natural", "algorithm": "ring"}
    usual, other = (mg.ntt(4096, target=t, **asked) for t in ("c32", made_up(tmp_path, SMALL)))  # type: ignore[arg-type]
    assert other.verify().ok and usual.source != other.source


@pytest.mark.thorough
@pytest.mark.parametrize(("parent", "bits"), [("avx2", 124), ("avx512ifma", 124), ("avx512ifma", 50)])
def test_a_smaller_cache_makes_smaller_tiles(parent: str, bits: int, tmp_path: Path) -> None:
    size = 4096
    target = made_up(tmp_path, NARROW.format(parent=parent, size=size))
    usual, other = (mg.ntt(1 << 14, modulus_bits=bits, target=name) for name in (parent, target))
    tiles = [[each.tile for each in kernel.plan.passes if "." in each.bits] for kernel in (usual, other)]
    assert max(map(usual.plan.bytes, tiles[0])) > size // 2 >= max(map(other.plan.bytes, tiles[1]))
    assert f"half of the {size // 1024} KiB first-level cache" in str(other.plan)
    assert other.verify().ok


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        ([], "made up: expected tables [[memory]] with name, bytes and line, from the cache nearest to the registers"),
        ([{"name": "a", "bytes": 64}], "[[memory]] 1: expected exactly the keys name, bytes, line, got name, bytes"),
        ([{"name": "a", "bytes": 100, "line": 64}], "expected a multiple of the line size, 64 bytes, got 100"),
        ([{"name": "a", "bytes": 96, "line": 48}], "[[memory]] 1, line: expected a power of two of at least 8, got 48"),
        ([{"name": "a", "bytes": "64", "line": 64}], "made up, [[memory]] 1, bytes: expected an integer, got '64'"),
        (
            [{"name": "a", "bytes": 128, "line": 64}, {"name": "b", "bytes": 128, "line": 64}],
            "made up, [[memory]] b, bytes: expected more bytes than the 128 of a, the memory before it, got 128",
        ),
    ],
)
def test_memories_that_do_not_fit(memory: list[object], said: str) -> None:
    shape = {"name": "x", "title": "x", "word": 64, "lanes": 1, "syntax": "c", "types": {}, "moves": {}, "ops": {}}
    with pytest.raises(MomagenError) as error:
        parse_target({**shape, "memory": memory}, "made up")
    assert said in str(error.value)


def test_a_target_without_memories_is_refused() -> None:
    shape = {"name": "x", "title": "x", "word": 64, "lanes": 1, "syntax": "c", "types": {}, "moves": {}, "ops": {}}
    with pytest.raises(MomagenError, match="expected the key `memory`, got only name, "):
        parse_target(shape, "made up")
    with pytest.raises(MomagenError, match="KERNEL = BYTES, a non-negative integer, got axpy = 'x'"):
        parse_target({**shape, "memory": [FIRST._asdict()], "types": {"word": "", "flag": "", "const": ""},
                      "moves": dict.fromkeys(("load", "broadcast", "store"), ""), "long": {"axpy": "x"}}, "made up")
