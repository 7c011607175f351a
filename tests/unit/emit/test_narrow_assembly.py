"""What compilers make of kernels on short words: the sums and differences of the C file, and no more."""

from __future__ import annotations

import re

import pytest

import momagen as mg
from momagen.emit import generate
from momagen.runtime.assembly import compile_assembly
from momagen.targets import load_target

pytestmark = pytest.mark.compiles


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("target", ["avx2_words16", "avx512_words16"])
def test_no_sum_is_made_twice(target: str, inverse: bool) -> None:
    """x - (a - b) may become x + (b - a), beside the a - b that x + (a - b) takes: one instruction more a butterfly."""
    kernel = mg.ntt(64, modulus=3329, depth=5, negacyclic=True, inverse=inverse, target=target)
    made = generate(kernel.spec)
    header = re.search(r'#include "(\w+\.h)"', made.source)
    assert header
    flags = [*load_target(target).flags, "-fno-tree-vectorize"]
    text = compile_assembly(made.source, name="sums", flags=flags, includes={header[1]: made.header})
    written = len(re.findall(r"_mm(?:256|512)_(?:add|sub)_epi16\(", made.source))
    assert written > 16 and len(re.findall(r"^\tvp(?:add|sub)w\b", text, re.M)) <= written
