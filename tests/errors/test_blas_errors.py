"""What a specification refuses of kernels' options, and the line it says."""

from __future__ import annotations

from typing import Any

import pytest

from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec

CASES: list[tuple[str, dict[str, Any], str]] = [
    ("vadd", {"options": {"reduction": "barrett"}}, "`reduction` does not apply to vadd; omit `reduction`"),
    (
        "vmul",
        {"options": {"reduction": "lazy"}},
        "reduction: expected one of barrett, montgomery, folded, special, got lazy",
    ),
    (
        "axpy",
        {"options": {"reduction": "barrett"}},
        "reduction: expected one of approximate, lazy, tight, montgomery, wide, special, got barrett",
    ),
    ("ntt", {"n": 8, "options": {"reduction": "barrett"}}, "reduction: expected one of approximate, lazy, tight, "),
    ("vmul", {"options": {"bake": "maybe"}}, "bake: expected one of no, yes, got maybe"),
    ("vneg", {"options": {"reduction": "lazy"}}, "`reduction` does not apply to vneg; omit `reduction`"),
    ("scal", {"options": {"reduction": "barrett"}}, "reduction: expected one of approximate, lazy, tight"),
    ("reduce", {"options": {"input_factor": "32"}}, "input_factor: expected one of 1, 2, 4, 8, 16, any, got 32"),
    ("cmpadd", {"options": {"input_factor": "2"}}, "`input_factor` does not apply to cmpadd; omit `input_factor`"),
    ("ntt", {"n": 8, "options": {"cmp": "lt"}}, "`cmp` does not apply to ntt; omit `cmp`"),
    ("vmul", {"n": 8}, "`n` does not apply to element-wise kernels, which take vectors of any length; omit `n`"),
    ("vadd", {"inverse": True}, "`inverse` does not apply to vadd; omit `inverse`"),
    ("vsub", {"negacyclic": True}, "`negacyclic` does not apply to vsub; omit `negacyclic`"),
    ("axpy", {"order": "natural"}, "`order` does not apply to axpy; omit `order`"),
    ("polymul", {"n": 8, "inverse": True}, "`inverse` does not apply to polymul; omit `inverse`"),
    ("polymul", {"n": 8, "order": "natural"}, "`order` does not apply to polymul; omit `order`"),
]


@pytest.mark.parametrize(("kind", "arguments", "line"), CASES, ids=[f"{kind}-{line[:24]}" for kind, _, line in CASES])
def test_refused(kind: str, arguments: dict[str, Any], line: str) -> None:
    with pytest.raises(MomagenError) as caught:
        make_spec(kind, bits=64, **arguments)
    assert str(caught.value).startswith(line)
