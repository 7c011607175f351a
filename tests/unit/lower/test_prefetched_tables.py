"""Passes over columns prefetch the table of the rows and the columns that follow, as the interpreter executes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from support.programs import interpreted

from momagen.api.native import resolved
from momagen.errors import MomagenError
from momagen.plan.schedule.depth_first.reduced_radix import LimbTransform
from momagen.plan.ways import plans
from momagen.program import interpret
from momagen.program.statements import Prefetch, Statement

SIZES = [("avx2", 256, {"bits": 128}), ("avx512ifma", 1024, {"bits": 128, "twiddles": "packed"})]
LONG = [
    ("avx2", 124, 15), ("avx2", 254, 13), ("avx2", 381, 12), ("avx512ifma", 124, 14), ("avx512ifma", 254, 13),
    ("avx512ifma", 381, 12), ("avx512", 124, 13), ("avx512", 254, 12),
]  # fmt: skip
"""The targets, the bits of a modulus, and log2 of the largest number of points without a long table."""


def planned(n: int, target: str, **options: Any) -> LimbTransform:
    width = {name: options.pop(name) for name in ("bits", "modulus_bits") if name in options}
    plan = plans(resolved("ntt", n=n, target=target, **options, **width)).first
    return cast(LimbTransform, plan)


@pytest.mark.thorough
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(("target", "n", "options"), SIZES, ids=str)
def test_columns_prefetch_the_table_of_the_rows(
    monkeypatch: pytest.MonkeyPatch, target: str, n: int, options: dict[str, Any], inverse: bool
) -> None:
    """An inverse transform begins with rows, so that nothing prefetches those of the first block."""
    options = {"levels": "2", "prefetch": "yes", **options}
    bits = options.pop("bits")
    spec = resolved("ntt", n=n, bits=bits, target=target, inverse=inverse, **options)
    plan = plans(spec).first
    assert isinstance(plan, LimbTransform)
    known, found, simple = plan.table_words, set[int](), interpret._Frame._simple

    def noted(frame: interpret._Frame, s: Statement) -> None:
        if isinstance(s, Prefetch) and len((at := frame.pointer(s.pointer)).words) == known:
            found.update(range(at.at, at.at + 8))
        simple(frame, s)

    monkeypatch.setattr(interpret._Frame, "_simple", noted)
    interpreted(spec, spec.told_root, list(range(n)))
    begin = plan.offsets[-1] + inverse * plan.tiles.columns[-1].rows * plan.block_words(-1)
    table = set(range(begin, known))
    assert len(found & table) >= 0.9 * len(table)
    assert not {at for at in found - table if not begin - 8 < at < known + 8}


@pytest.mark.parametrize(("target", "bits", "short"), LONG)
def test_only_long_tables_are_prefetched(target: str, bits: int, short: int) -> None:
    for n, wanted in ((1 << short, False), (2 << short, True)):
        assert [one.prefetched > 0 for one in planned(n, target, modulus_bits=bits).passes][-2:] == [wanted, False]
        assert not any(one.prefetched for one in planned(n, target, modulus_bits=bits, prefetch="no").passes)


@pytest.mark.parametrize("n", [16, 64, 4096])
def test_one_pass_over_columns_prefetches_nothing(n: int) -> None:
    with pytest.raises(MomagenError, match="requires two separate passes over columns"):
        _ = planned(n, "avx2", modulus_bits=124, prefetch="yes").passes


SMALL_CACHES = """
inherits = "avx512ifma"
name = "small"
word_storage_from = 2048
[[memory]]
name = "first-level cache"
bytes = 4096
line = 64
[[memory]]
name = "second-level cache"
bytes = 8192
line = 64
"""


@pytest.mark.parametrize(("n", "levels"), [(1024, "2"), (2048, "3")])
def test_columns_of_words_prefetch_the_columns_that_follow(
    n: int, levels: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The words of x and y are loaded by columns; all but the first group of columns is prefetched before."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL_CACHES, encoding="utf-8")
    spec = resolved("ntt", n=n, bits=128, target=str(path), levels=levels)
    plan = plans(spec).first
    assert isinstance(plan, LimbTransform)
    wide = [one for one in plan.passes[:-1] if one.width > 1]
    assert [one.fetch for one in wide] == ["first", "resume"] and wide[0].rows == 1 << int(levels)
    words, found, simple = spec.n * spec.arith.words, dict[int, set[int]](), interpret._Frame._simple

    def noted(frame: interpret._Frame, s: Statement) -> None:
        if isinstance(s, Prefetch) and len((at := frame.pointer(s.pointer)).words) == words:
            found.setdefault(id(at.words), set()).update(range(at.at, at.at + 8))
        simple(frame, s)

    monkeypatch.setattr(interpret._Frame, "_simple", noted)
    interpreted(spec, spec.told_root, list(range(spec.n)))
    assert len(found) == 2 and all(min(each) >= 0 and max(each) < words for each in found.values())
    groups = [one.stride // (one.width * plan.lanes) for one in wide]
    assert [len(each) for each in found.values()] == [words - words // count for count in groups]
