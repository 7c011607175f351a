"""Aligned allocations and advice about memory are executed as on Linux, and wrong ones are refused."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from momagen.prove.c.memory import Number
from momagen.prove.c.source import COMPILERS, parse, preprocess, texts_of
from momagen.prove.c.statements import Program
from momagen.prove.c.system.macros import MACROS
from momagen.prove.c.types import SIZE
from momagen.prove.c.variants import is_same
from momagen.prove.checker import ProofError
from momagen.prove.facts import Facts
from momagen.prove.facts import Path as Decisions

pytest.importorskip("pycparser")

WRONG = tomllib.loads(Path(__file__).with_name("wrong_allocations.toml").read_text(encoding="utf-8"))["wrong"]
TEXT = """
#ifdef __linux__
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include <sys/mman.h>
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define MG_PAGE ((size_t)1 << 21)
static uint64_t *new_words(size_t count)
{
    const size_t size = sizeof(uint64_t) * count, grain = size < MG_PAGE ? 64 : MG_PAGE;
    char *room = malloc(size + grain);
    if (!room)
        return 0;
    uint64_t *words = (uint64_t *)(room + (grain - (uintptr_t)room % grain));
    memcpy((char *)words - sizeof room, &room, sizeof room);
#ifdef MADV_HUGEPAGE
    if (grain == MG_PAGE)
        madvise(words, size, MADV_HUGEPAGE);
#endif
    return words;
}

static void free_words(uint64_t *words)
{
    char *room = 0;
    if (words)
        memcpy(&room, (char *)words - sizeof room, sizeof room);
    free(room);
}

size_t f(size_t count)
{
    uint64_t *words = new_words(count);
    if (!words) {
        free_words(words);
        return 7;
    }
    for (size_t i = 0; i < count; i++)
        words[i] = i + 1;
    const uint64_t last = words[2];
    free_words(words);
    return last;
}
"""


def results(path: Path, count: int) -> set[int]:
    """Execute the function with and without memory, and return what it returns."""
    source = parse(preprocess(path, {**COMPILERS["gcc, x86-64"], **MACROS}))
    found: set[int] = set()
    decisions: Decisions | None = Decisions()
    while decisions is not None:
        program = Program(source, Facts(2, 3, decisions))
        found.add(program.number(program.call("f", [Number(SIZE, program.words.constant(count))])))
        if any(block.is_allocated for block in program.heap):
            raise ProofError("an allocation is left")
        decisions = decisions.following()
    return found


def written(folder: Path, *edits: tuple[str, str]) -> Path:
    """Write the function with edits, and return the path."""
    text = TEXT
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    (folder / "f.c").write_text(text, encoding="utf-8")
    return folder / "f.c"


def test_an_aligned_array_is_allocated_and_freed(tmp_path: Path) -> None:
    assert results(written(tmp_path), 3) == {3, 7}


def test_an_array_of_huge_pages_is_allocated_and_freed(tmp_path: Path) -> None:
    edits = ("((size_t)1 << 21)", "((size_t)1 << 5)"), ("? 64", "? 16")
    assert results(written(tmp_path, *edits), 4) == {3, 7}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_allocation_is_refused(wrong: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ProofError, match=re.escape(wrong["problem"])):
        results(written(tmp_path, (wrong["old"], wrong["new"])), 3)


def test_systems_see_two_texts_which_are_the_same_but_for_advice(tmp_path: Path) -> None:
    first, second = (parse(text) for text in texts_of(written(tmp_path)).values())
    assert is_same(first, second)
    assert not is_same(second, first), "advice of the second form would not be checked"


@pytest.mark.parametrize(
    "edit",
    [
        ("#ifdef MADV_HUGEPAGE", "#ifdef MADV_HUGEPAGE\n    words[0] = 0;"),
        ("#ifdef MADV_HUGEPAGE", "#ifdef __linux__\n    words[0] = 0;"),
        ("#ifdef MADV_HUGEPAGE", "#ifndef MADV_HUGEPAGE\n    words[0] = 0;"),
        ("#ifdef MADV_HUGEPAGE", "#ifdef _DEFAULT_SOURCE\n    words[0] = 0;"),
        ("if (grain == MG_PAGE)", "if (words[0]++)"),
    ],
)
def test_a_change_for_one_system_is_another_form(edit: tuple[str, str], tmp_path: Path) -> None:
    first, *others = (parse(text) for text in texts_of(written(tmp_path, edit)).values())
    assert not all(is_same(first, other) for other in others)


@pytest.mark.parametrize("name", ["__APPLE__", "MADV_FREE", "_GNU_SOURCE", "__linux"])
def test_another_macro_of_a_system_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ProofError, match="whose value is not known"):
        texts_of(written(tmp_path, ("#ifdef MADV_HUGEPAGE", f"#ifdef {name}\n#endif\n#ifdef MADV_HUGEPAGE")))
