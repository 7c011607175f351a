"""A test file of HEXL for public headers: private includes go, and bodies that test private functions only."""

from __future__ import annotations

import re
from collections.abc import Iterator

PUBLIC, REDIRECTED = "public", "redirected"
REASONS = {
    "debug": "only in HEXL's debug build",
    "avx512": "calls HEXL's AVX-512 internals",
    "radix": "calls only HEXL's private radix-2 and radix-4 transforms",
}
"""Why a test is left out."""

PRIVATE_INCLUDE = re.compile(r'#include "((eltwise|ntt|util)/[^"]+|test/test-util-avx512\.hpp)".*')
TEST = re.compile(r"TEST(?:_P|_F)?\((\w+),\s*(\w+)\) \{")
CONDITION = re.compile(r"#\s*(if|else|elif|endif)")
AVX512 = re.compile(r"AVX512|_mm512_|__m512i|has_avx512")
RADIX = re.compile(r"Radix[24]\(|Reference(Forward|Inverse)Transform")
TRANSFORM = re.compile(r"\bCompute(Forward|Inverse)\(")
NATIVE = re.compile(r"\bEltwise(?!ReduceMod)\w+Native\b")
"""Public functions of HEXL have the same name without Native; the reduction's tests compare the two."""


def kind(body: str, debug: bool = False) -> str:
    """``PUBLIC``, ``REDIRECTED`` (…Native functions, which ``standins.hpp`` sends to the public ones) or a reason."""
    if debug:
        return REASONS["debug"]
    if AVX512.search(body):
        return REASONS["avx512"]
    if RADIX.search(body) and not TRANSFORM.search(body):
        return REASONS["radix"]
    return REDIRECTED if NATIVE.search(body) else PUBLIC


def rewrite(text: str) -> tuple[str, dict[str, str]]:
    """The text to compile, and the kind of every test by ``Suite.Test``."""
    kinds: dict[str, str] = {}
    lines: list[str] = []
    for name, debug, part in _parts(text.splitlines()):
        if not name:
            lines += part
            continue
        kinds[name] = found = kind("\n".join(part[1:]), debug)
        kept = found in (PUBLIC, REDIRECTED)
        lines += part if kept else [part[0], f'  GTEST_SKIP() << "{found}";', "}"]
    return ('#include "standins.hpp"\n' if kinds else "") + "\n".join(lines) + "\n", kinds


def _parts(lines: list[str]) -> Iterator[tuple[str, bool, list[str]]]:
    """Tests with their names and whether HEXL_DEBUG encloses them, and other lines; conditions around tests go."""
    open_conditions: list[str] = []
    rest = iter(lines)
    for line in rest:
        if found := TEST.match(line):
            body = [line]
            while body[-1] != "}":
                body.append(next(rest))
            debug = any("HEXL_DEBUG" in condition for condition in open_conditions)
            yield ".".join(found.groups()), debug, body
        elif condition := CONDITION.match(line):
            _follow(open_conditions, condition[1], line)
        elif not PRIVATE_INCLUDE.match(line):
            yield "", False, [line]


def _follow(conditions: list[str], word: str, line: str) -> None:
    if word == "if":
        conditions.append(line)
    elif word == "endif":
        conditions.pop()
