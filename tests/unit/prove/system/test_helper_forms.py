"""The bodies of helper functions that compilers select are compared, case by case of the flags that select values."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.transforms import files, written

from momagen.prove.c.source import parse, texts_of
from momagen.prove.c.variants import is_same

pytest.importorskip("pycparser")

WRONG = {
    "a borrow that is dropped": ("c = mg_sbb(c, a1, b1, s1);", "c = mg_sbb(0, a1, b1, s1);"),
    "a borrow that is not kept": ("c = mg_sbb(c, a1, b1, s1);", "mg_sbb(c, a1, b1, s1);"),
    "a difference in the other order": ("c = mg_sbb(c, a0, b0, s0);", "c = mg_sbb(c, b0, a0, s0);"),
    "a carry that is dropped": ("d = mg_adc(d, *s1, q1, &t);", "d = mg_adc(0, *s1, q1, &t);"),
    "a borrow in the place of a carry": ("d = mg_adc(d, *s1, q1, &t);", "d = mg_adc(c, *s1, q1, &t);"),
    "another word of q": ("d = mg_adc(d, *s1, q1, &t);", "d = mg_adc(d, *s1, q0, &t);"),
    "a sum of another word": ("d = mg_adc(d, *s1, q1, &t);", "d = mg_adc(d, *s0, q1, &t);"),
    "a choice by the carry": ("*s1 = mg_select(c, t, *s1);", "*s1 = mg_select(d, t, *s1);"),
    "the other choice": ("*s0 = mg_select(c, t, *s0);", "*s0 = mg_select(c, *s0, t);"),
    "a sum that is always chosen": ("*s1 = mg_select(c, t, *s1);", "*s1 = t;"),
    "a sum that is never chosen": ("*s1 = mg_select(c, t, *s1);", ""),
    "a result in the other word": ("*s1 = mg_select(c, t, *s1);", "*s0 = mg_select(c, t, *s1);"),
    "assembly without a borrow": ("sbbq %[b1], %[a1]", "subq %[b1], %[a1]"),
    "assembly without a carry": ("adcq %[b1], %[a1]", "addq %[b1], %[a1]"),
    "assembly that chooses another word": ("cmovcq %[q1], %[b1]", "cmovcq %[q0], %[b1]"),
    "assembly that adds a word of b": ("movl $0, %k[b0]\\n\\tmovl", "movl"),
    "assembly that adds in another order": ("addq %[b0], %[a0]\\n\\tadcq %[b1]", "addq %[b1], %[a0]\\n\\tadcq %[b0]"),
}


def are_same(path: Path) -> bool:
    """Return whether all compilers see forms that are proven to be the same as the first one."""
    first, *others = (parse(text) for text in texts_of(path).values())
    return all(is_same(first, other) for other in others)


@pytest.mark.parametrize("bits", [124, 188])
def test_the_bodies_of_helpers_are_the_same(bits: int, tmp_path: Path) -> None:
    assert are_same(written(files(2, bits), tmp_path))


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", WRONG)
def test_another_body_is_another_form(name: str, tmp_path: Path) -> None:
    found = files(2, 124)
    source = next(text for text in found.values() if "mg_restore2(uint64_t *s0" in text)
    before, at, after = source.partition("static inline void mg_restore2(")
    old, new = WRONG[name]
    assert old in after
    changed = before + at + after.replace(old, new, 1)
    edited = {file: changed if text is source else text for file, text in found.items()}
    assert not are_same(written(edited, tmp_path))
