"""Systematic faults in generated source: none is proven, unless the compiled code computes the same as gmpy2.

A fault that is proven is compiled for each variant of the helper functions and compared on edges, random operands and
all small moduli. It must also be explained below, so that somebody has looked at it.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from support import proofs
from support.proofs_mutants import EDITS, mutants, sample

EXPLAINED = {
    "types": [(".*", "the other type holds every value that the variable gets")],
    "subscripts": [
        (r"uint64_t \w+\[\d+\];", "the array has unused words"),
        (r"c\[3\] == 0", "the product of shifted operands is also right if they are shifted by 0"),
    ],
    "bounds": [
        (r"if \(!n\)", "without elements, the loops do nothing"),
        (r"w < words|size_t w = ", "the Barrett constant of short moduli may be one more or less"),
    ],
    "helpers": [
        (r"\*s = |mg_adc|mg_sbb|MG_SBB|__builtin", "this variant of the helper is not used by the kernel"),
        (r"plan = 0", "plan is NULL where it is set to 0"),
        (r"mg_add\d|mg_\w*\(&", "the operands of a sum are exchanged"),
        (r"e\[0\] \* q\[0\]|mu\[w\]", "the Barrett constant of short moduli may be one more or less"),
    ],
    "assembly": [
        (r'"=&?r"\(|"\+&?r"\(', "the operand has the value or the register of another one that is not used later"),
        ("testb", "this helper is not used by the kernel on x86-64"),
        (r"addq|adcq", "the operands of a sum are exchanged"),
    ],
    "constants": [
        (r"calloc\(", "the allocation has room for more plans"),
        (r" % |: 0;|top \+ 1", "numbers of one word have no other words, and no bits from 63 on"),
        (r"\(mu2, 1, |>> \d|<< \d", "the Barrett constant of short moduli may be less exact"),
        (r"t >> 6", "the bits of the carry that are shifted are 0, or the helper is not used"),
    ],
    "operators": [
        (r"code [!=<>]+ ", "the codes of errors are positive"),
        (r"u128\)a", "this variant of the helper is called with carry 0 only"),
        (r"less|mu\[w\]|r\[0\]", "the Barrett constant of short moduli may be one more or less"),
        (r" [+|] ", "the operands have no bit in common, so that + and | are the same"),
    ],
    "steps": [],
}
KERNELS = [("vsub", 20), ("vsub", 124), ("vadd", 60), ("vneg", 20), ("vmul", 3)]


def check(kind: str, bits: int, share: str, count: int, seed: int, folder: Path) -> Counter[str]:
    """Try a sample of the faults of one kind, and count how they end."""
    counts = Counter[str]()
    for mutant in sample(proofs.source(kind, bits), share, count, seed):
        if proofs.problem_of(kind, bits, mutant.text, folder):
            counts["rejected"] += 1
            continue
        found = proofs.disagreement(kind, bits, mutant.text, folder)
        if "error:" in found.lower():
            counts["does not compile"] += 1
            continue
        assert found == "", f"{mutant.name} is proven, but {found}"
        is_explained = any(re.search(pattern, mutant.name) for pattern, _ in EXPLAINED[share])
        assert is_explained, f"{mutant.name} is proven and not explained"
        counts["equal"] += 1
    return counts


@pytest.mark.compiles
@pytest.mark.whole
@pytest.mark.parametrize("share", EDITS)
def test_few_faults_are_proven_only_if_they_are_equal(share: str, tmp_path: Path) -> None:
    assert sum(check("vsub", 20, share, 3, 1, tmp_path).values()) == 3


@pytest.mark.compiles
@pytest.mark.slow
@pytest.mark.parametrize("share", EDITS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_faults_are_proven_only_if_they_are_equal(kernel: tuple[str, int], share: str, tmp_path: Path) -> None:
    counts = check(*kernel, share, 25, 2, tmp_path)
    assert counts["rejected"] >= 5, "hardly any of these edits is a fault"


@pytest.mark.parametrize("share", EDITS)
def test_each_kind_of_fault_occurs(share: str) -> None:
    assert all(len(mutants(proofs.source(*kernel), share)) >= 8 for kernel in KERNELS)
