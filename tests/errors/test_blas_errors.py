"""What a specification refuses of kernels' options, and the line it says."""

from __future__ import annotations

from typing import Any

import pytest

from momagen.errors import MomagenError
from momagen.kernels.spec.make_spec import make_spec

CASES: list[tuple[str, dict[str, Any], str]] = [
    ("vadd", {"options": {"reduction": "barrett"}}, "reduction: expected none for vadd, got barrett"),
    (
        "vmul",
        {"options": {"reduction": "lazy"}},
        "reduction: expected one of barrett, montgomery, folded, special, got lazy",
    ),
    (
        "axpy",
        {"options": {"reduction": "barrett"}},
        "reduction: expected one of about, lazy, tight, montgomery, wide, special, got barrett",
    ),
    ("ntt", {"n": 8, "options": {"reduction": "barrett"}}, "reduction: expected one of about, lazy, tight, montgomery"),
    ("vmul", {"options": {"bake": "maybe"}}, "bake: expected one of no, yes, got maybe"),
    ("vneg", {"options": {"reduction": "lazy"}}, "reduction: expected none for vneg, got lazy"),
    ("scal", {"options": {"reduction": "barrett"}}, "reduction: expected one of about, lazy, tight"),
    ("reduce", {"options": {"input_factor": "32"}}, "input_factor: expected one of 1, 2, 4, 8, 16, any, got 32"),
    ("cmpadd", {"options": {"input_factor": "2"}}, "input_factor: expected none for cmpadd, got 2"),
    ("ntt", {"n": 8, "options": {"cmp": "lt"}}, "cmp: expected none for ntt, got lt"),
    ("vmul", {"n": 8}, "n: expected no n: BLAS kernels take any length, got 8"),
    ("vadd", {"inverse": True}, "kernel: expected a kernel with the option “inverse”, got vadd"),
    ("vsub", {"negacyclic": True}, "kernel: expected a kernel with the option “negacyclic”, got vsub"),
    ("axpy", {"order": "natural"}, "kernel: expected a kernel with the option “order”, got axpy"),
    ("polymul", {"n": 8, "inverse": True}, "kernel: expected a kernel with the option “inverse”, got polymul"),
    ("polymul", {"n": 8, "order": "natural"}, "kernel: expected a kernel with the option “order”, got polymul"),
]


@pytest.mark.parametrize(("kind", "arguments", "line"), CASES, ids=[f"{kind}-{line[:24]}" for kind, _, line in CASES])
def test_refused(kind: str, arguments: dict[str, Any], line: str) -> None:
    with pytest.raises(MomagenError) as caught:
        make_spec(kind, bits=64, **arguments)
    assert str(caught.value).startswith(line)
