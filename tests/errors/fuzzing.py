"""Damaged input for parsers: texts with edits, tables with changes, and the one check that all fuzz tests share."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

import momagen as mg

hypothesis = pytest.importorskip("hypothesis", reason="hypothesis is in momagen[test]")
st = hypothesis.strategies
SECONDS = 20
"""Within which every input is parsed or refused."""

ODD = [
    None, True, 0, 1, -1, 2, 3, 63, 64, 65, 2**31, 2**63, 2**70, -(2**70), 1.5, 1e300, "", "a\0b", "x", "é",
    "../x", "{", "{a:>99999999}", "0x", "0x10", "1e9999", "2^9999999999", "9^9^9", "c", "avx2", "cuda", "jax",
    "python", "b512", "ntt", "vmul",
    "polymul", "yes", "\n",
    [], {}, [[]], [1], ["x"], {"x": 1}, {"": {}}, [["x"] * 9] * 9,
]  # fmt: skip
WORDS = [
    "(", ")", "((((", "[", "]", "{", "}", "^", "**", "<<", "2^", "9^9^9", "2^9999999999", "1e9999", "0x", "·", "⊗", "⊕",
    "∏", "⌊", "⌋", "¬", "¬¬¬", "mod", "-", "--", "=", "[[", "]]", '"', "'", '"""', "\\", "\0", "\n", "#", ",", ":",
    "..", "null", "NaN", "true", "\u2028", "é", "(" * 500, "-" * 500, "[" * 500, "¬" * 500, "9" * 5000,
]  # fmt: skip


def edits(text: str) -> Any:
    """The text with parts cut out, put twice or moved, and words put in."""
    spot = st.integers(0, len(text))
    edit = st.tuples(st.sampled_from(["cut", "twice", "word"]), spot, spot, st.sampled_from(WORDS))

    def apply(given: list[tuple[str, int, int, str]]) -> str:
        found = text
        for kind, a, b, word in given:
            low, high = sorted((a, b))
            high = min(high, low + 200)
            middle = {"cut": "", "twice": found[low:high] * 2, "word": word + found[low:high]}[kind]
            found = found[:low] + middle + found[high:]
        return found

    return st.lists(edit, min_size=1, max_size=3).map(apply)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all that a table holds."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, each in inside for found in places(each, (*path, key)))]


def changes(table: Any) -> Any:
    """The table with entries replaced, removed, or added."""
    change = st.tuples(st.sampled_from(places(table)[1:]), st.sampled_from(["set", "drop", "add"]),
                       st.sampled_from(ODD))  # fmt: skip

    def apply(given: list[tuple[tuple[Any, ...], str, Any]]) -> Any:
        found = json.loads(json.dumps(table))
        for (*way, last), kind, value in given:
            inside = found
            try:
                for key in way:
                    inside = inside[key]
                if kind == "drop":
                    del inside[last]
                else:
                    inside[last if kind == "set" else "added"] = value
            except (KeyError, IndexError, TypeError):
                continue
        return found

    return st.lists(change, min_size=1, max_size=2).map(apply)


def as_toml(table: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(key)} = {inline(value)}\n" for key, value in table.items() if value is not None)


def inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {inline(v)}" for k, v in value.items() if v is not None) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(inline(each) for each in value if each is not None) + "]"
    return json.dumps(value)


Check = Callable[[Any], object]


class TooLong(BaseException):
    """An input that took too long; no ``except Exception`` of ours hides it."""


@contextmanager
def soon(seconds: int = SECONDS) -> Iterator[None]:
    """Within, raise :class:`TooLong` after ``seconds``."""

    def end(number: int, frame: FrameType | None) -> None:
        raise TooLong(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def refuses_or_takes(check: Check, case: Any) -> None:
    """``check`` takes a case soon, or refuses it with a MomagenError of one short line."""
    try:
        with soon():
            check(case)
    except mg.MomagenError as error:
        assert str(error) and len(str(error)) < 5000


def survives(check: Check, cases: Any, count: int, *, again: bool = True) -> None:
    """``check`` takes or refuses ``count`` cases; ``again``: always the same ones."""

    @hypothesis.settings(
        max_examples=count, derandomize=again, deadline=None, database=None, print_blob=True,
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    @hypothesis.given(cases)
    def one(case: Any) -> None:
        refuses_or_takes(check, case)

    one()


def files_of(shape: Any, text: Callable[[Any], str]) -> Any:
    """Texts of a table, changed as a table or as a text."""
    return st.one_of(changes(shape).map(text), edits(text(shape)))


def one_of(texts: list[str]) -> Any:
    """One of the texts, edited."""
    return st.sampled_from(texts).flatmap(edits)


def words_of(text: str, words: list[str]) -> Any:
    """The text with some of its words replaced by others."""
    parts = re.split(r"(\w+)", text)
    change = st.tuples(st.sampled_from(range(1, len(parts), 2)), st.sampled_from(words))

    def apply(given: list[tuple[int, str]]) -> str:
        found = list(parts)
        for at, word in given:
            found[at] = word
        return "".join(found)

    return st.lists(change, min_size=1, max_size=3).map(apply)
