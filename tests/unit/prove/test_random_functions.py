"""Random C functions: what the prover computes for unknown arguments is what gcc's code computes for known ones."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path

import pytest
from support.concrete import Numbers
from support.proofs_functions import EDGES, HEAD, compiled, executed

from momagen.prove.c.bits import Value
from momagen.prove.checker import ProofError

pytestmark = pytest.mark.compiles
TYPES = [*["uint64_t"] * 3, *["uint32_t", "unsigned char", "uint16_t", "u128"] * 2, "int", "int64_t"]
NUMBERS = ["0", "1", "2", "3", "255", "256", "65535", "1U", "0xffffffffU", "5ULL", "UINT64_C(0xffffffffffffffff)"]


def expression(rng: random.Random, depth: int, names: list[str]) -> str:
    """Return a random expression of at most some depth."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice([*names, rng.choice(NUMBERS)])

    def part() -> str:
        return expression(rng, depth - 1, names)

    forms = [
        lambda: f"({part()} {rng.choice('+-*')} {part()})",
        lambda: f"({rng.choice(TYPES)})({part()})",
        lambda: f"({part()} {rng.choice(['<<', '>>'])} {rng.choice([1, 3, 8, 15, 31])})",
        lambda: f"({part()} {rng.choice('&|^')} {part()})",
        lambda: f"({part()} {rng.choice(['<', '>', '<=', '>=', '==', '!='])} {part()})",
        lambda: f"({part()} ? {part()} : {part()})",
        lambda: f"{rng.choice('-~!')}({part()})",
        lambda: f"({part()} {rng.choice('/%')} {rng.choice([2, 16, 256])})",
    ]
    return rng.choices(forms, weights=[4, 2, 1, 1, 1, 1, 1, 1])[0]()


def function(rng: random.Random) -> str:
    """Return a random function."""
    names = ["a", "b", "c"]
    text = ""
    for i in range(rng.randrange(1, 4)):
        text += f"    {rng.choice(TYPES)} v{i} = {expression(rng, 2, names)};\n"
        names.append(f"v{i}")
    text += "".join(f"    r[{i}] = {expression(rng, 3, names)};\n" for i in range(2))
    if rng.random() < 0.3:
        text += f"    if ({expression(rng, 1, names)})\n        r[2] = {expression(rng, 2, names)};\n"
    return f"{HEAD}void f(uint64_t *r, uint64_t a, uint64_t b, unsigned char c)\n{{\n{text}}}\n"


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 60))])
def test_random_functions_mean_what_the_cpu_computes(seed: int, tmp_path: Path) -> None:
    """Try functions until some of them are understood by the prover."""
    rng = random.Random(seed)
    understood = 0
    for at in range(200):
        folder = tmp_path / str(at)
        folder.mkdir()
        text = function(rng)
        (folder / "f.c").write_text(text, encoding="utf-8")
        try:
            runs = executed(folder / "f.c")
        except ProofError:
            continue
        if all(isinstance(number.value, Value) for _, results in runs for number in results):
            _compare(rng, compiled(folder, text), runs)
            understood += 1
        if understood == 8:
            return
    raise AssertionError("hardly any function is understood")


def _compare(rng: random.Random, library: ctypes.CDLL, runs: list) -> None:  # type: ignore[type-arg]
    for _ in range(25):
        a, b = (rng.choice([*EDGES, rng.randrange(1 << 64), rng.randrange(1 << 16)]) for _ in range(2))
        given = {"a": a, "b": b, "c": rng.randrange(2)}
        results = (ctypes.c_uint64 * 4)()
        library.f(results, ctypes.c_uint64(a), ctypes.c_uint64(b), ctypes.c_ubyte(given["c"]))
        taken = 0
        for facts, found in runs:
            numbers = Numbers(facts, 2, given.__getitem__)
            if all(numbers.value(condition) == 0 for condition in facts.conditions):
                taken += 1
                assert numbers.problems() == []
                assert [numbers.value(number.value.polynomial) for number in found] == list(results), given
        assert taken == 1
