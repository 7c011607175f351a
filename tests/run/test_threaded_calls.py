"""Calls that several threads do together: one transform in phases, or each some of the vectors."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

import momagen as mg
from momagen.cli import main
from momagen.clib import library
from momagen.errors import MomagenError
from momagen.kinds.modular.derived import sharing
from momagen.kinds.modular.derived.inner import of_modulus
from momagen.kinds.modular.derived.sharing import is_split
from momagen.params.words import from_words
from momagen.runtime.compile import compile_program
from momagen.runtime.compiler import find_compiler
from momagen.runtime.native import candidates
from momagen.verify.oracle import Definition
from momagen.verify.vectors import random_residues

N = 1 << 12
WAYS = [
    ("c", {"modulus_bits": 64}), ("c", {"modulus_bits": 124, "order": "natural", "inverse": True}),
    ("avx2", {"modulus_bits": 50, "order": "natural"}), ("avx2", {"modulus_bits": 60, "columns": 12, "inverse": True}),
    ("avx2", {"modulus_bits": 60, "order": "natural", "algorithm": "pease"}),
    ("avx512ifma", {"modulus_bits": 50, "inverse": True, "negacyclic": True}),
    ("avx512ifma", {"modulus_bits": 60, "order": "natural", "inverse": True}),
    ("avx512ifma", {"modulus_bits": 64, "order": "natural"}),
    ("avx512ifma", {"modulus_bits": 252, "storage": "words", "levels": 3, "order": "natural", "inverse": True}),
    ("avx2", {"modulus_bits": 124, "levels": 3, "prefetch": True}),
    ("avx2", {"modulus_bits": 124, "levels": 3, "prefetch": True, "inverse": True}),
]  # fmt: skip
"""Targets and options that reach words, steps and tiles, with digits of a thread's own and without."""
AT_ONCE = 3


@pytest.fixture
def split(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads split short transforms, too."""
    monkeypatch.setattr(sharing, "SPLIT", 1 << 8)


@pytest.mark.sampled(3)
@pytest.mark.usefixtures("split")
@pytest.mark.parametrize(("target", "options"), WAYS)
def test_any_number_of_threads_gives_the_transform(target: str, options: dict[str, object]) -> None:
    """As its definition says, and the same words whatever their number, also in place and for several at once."""
    if target not in map(str, candidates()):
        pytest.skip(f"no {target}")
    k = mg.ntt(N, target=target, threads=AT_ONCE, **options)  # type: ignore[call-overload]
    assert is_split(k.spec) and "phase" in k.source
    x = random_residues(2 * k.spec.elements, k.modulus, k.words, (0, 1)).reshape(2, -1, k.words)
    shape = (2, N, *[k.spec.columns] * (k.spec.columns > 1), k.words)
    y = k(x.reshape(shape))
    flat = y.reshape(2, -1, k.words)
    places = sorted(Random(2).sample(range(k.spec.elements), 6))
    for one, given in zip(flat, x, strict=True):
        assert from_words(one[places]) == Definition(k.spec, k.modulus, k.root).outputs(given, places)
    for threads in (1, 2, 7):
        k.threads = threads
        z = x.reshape(shape).copy()
        assert k.threads == threads and np.array_equal(k(z, out=z), y)


def test_a_transform_of_2_to_the_18_points_is_split() -> None:
    specified = {n: mg.ntt(n, modulus_bits=60, threads=2).spec for n in (1 << 17, 1 << 18)}
    assert [is_split(spec) for spec in specified.values()] == [False, True]
    assert not is_split(mg.ntt(1 << 18, moduli=2, modulus_bits=60, threads=2).spec), "rows are dealt out"


@pytest.mark.parametrize("target", ["c", "native"])
def test_threads_share_the_rows_of_a_basis(target: str) -> None:
    k = mg.ntt(1024, moduli=5, modulus_bits=50, negacyclic=True, target=target, threads=AT_ONCE)
    x = np.stack([random_residues(1024, q, 1, (0, at)) for at, q in enumerate(k.moduli)])
    y = k(np.stack([x, x]))
    for at in range(len(k.moduli)):
        one = of_modulus(k.spec, at)
        assert from_words(y[1, at, [0, 77]]) == Definition(one, one.modulus, one.root).outputs(x[at], [0, 77])
    assert np.array_equal(y[0], y[1])
    k.threads = 1
    assert np.array_equal(k(x), y[0])


def test_threads_share_the_elements_of_a_vector() -> None:
    """Of one modulus, and of several, whose rows need not fill the parts."""
    count, moduli = 20_001, (2**61 - 1, 97, 6)
    one = mg.blas("axpy", modulus=moduli[0], threads=AT_ONCE)
    several = mg.blas("vadd", moduli=moduli, threads=AT_ONCE)
    rows = [[Random(at).randrange(q) for _ in range(count)] for at, q in enumerate(moduli)]
    assert one(3, rows[0], rows[0]) == [4 * x % moduli[0] for x in rows[0]]
    assert several(rows, rows) == [[2 * x % q for x in row] for row, q in zip(rows, moduli, strict=True)]


PROGRAM = """
#if REFUSES
#include <pthread.h>
static int refuse(pthread_t *thread, const void *how, void *(*begin)(void *), void *given)
{
    (void)thread, (void)how, (void)begin, (void)given;
    return 11;
}
#define pthread_create refuse
#endif
#include "%s.c"
#include <stdio.h>

int main(void)
{
    static uint64_t x[%d], y[%d];
    const uint64_t q[] = {%d}, root[] = {%d};
    %s_plan *plan = %s_create(q, root, 0);
    x[1] = 1;
    if (!plan || %s_threads(0, 2) || %s_threads(plan, 0) != 3 || %s_threads(plan, 4) != 4 || %s_execute(plan, y, x, 1))
        return 1;
    printf("%%llu %%llu\\n", (unsigned long long)y[0], (unsigned long long)y[1]);
    %s_destroy(plan);
    return 0;
}
"""
BUILDS = {"POSIX threads": ["-pthread"], "none can be begun": ["-pthread", "-DREFUSES=1"], "OpenMP": ["-fopenmp"],
          "no threads": ["-U__unix__", "-U__APPLE__"]}  # fmt: skip


@pytest.mark.usefixtures("split")
@pytest.mark.parametrize("build", BUILDS)
def test_a_program_in_c_with_the_threads_that_its_build_has(build: str, tmp_path: Path) -> None:
    from momagen.processes import run

    k, flags = mg.ntt(N, modulus_bits=60, threads=AT_ONCE), BUILDS[build]
    names = [k.name] * 7
    text = PROGRAM % (names[0], N, N, k.modulus, k.root, *names)
    for name, content in {
        "main.c": text,
        **{f"{k.name}{end}": each for end, each in k.generated.files.items()},
    }.items():
        (tmp_path / name).write_text(content)
    try:
        program = compile_program([tmp_path / "main.c"], flags=["-std=c99", *flags], compiler=find_compiler())
    except MomagenError:
        if build != "OpenMP":
            raise
        pytest.skip("a compiler without OpenMP")
    assert run([str(program)]).stdout.split() == ["1", str(k.modulus - 1)], "the values of x at ω^0 and ω^(n/2)"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"threads": 0}, "threads: expected a number from 1 to 1024, got '0'"),
        ({"threads": "two"}, "threads: expected a number from 1 to 1024, got 'two'"),
        (
            {"threads": 2, "target": "python"},
            "`threads` is available only on targets in C, not on python; omit `threads`",
        ),
        ({"threads": 2, "n": "any"}, '`threads` cannot be combined with `n="any"`; use a number of points'),
    ],
)
def test_threads_that_there_are_not(options: dict[str, object], said: str) -> None:
    with pytest.raises(MomagenError) as found:
        mg.ntt(**{"n": 8, "modulus_bits": 50, **options})  # type: ignore[call-overload]
    assert str(found.value).startswith(said)


def test_one_sum_has_no_threads() -> None:
    with pytest.raises(MomagenError, match="`threads` does not apply to inner products"):
        mg.blas("dot", modulus_bits=60, threads=2)


def test_a_number_of_threads_is_of_kernels_made_for_some() -> None:
    with pytest.raises(MomagenError, match="generated for one thread; generate it with the option `threads`"):
        mg.ntt(8, modulus_bits=50).threads = 2
    for number in (0, 1025):
        with pytest.raises(MomagenError, match="threads: expected"):
            mg.ntt(8, modulus_bits=50, threads=2).threads = number


def test_a_library_has_no_threads_of_its_own() -> None:
    with pytest.raises(MomagenError, match="threads: a library divides batches among threads by OpenMP"):
        library("few", ["ntt:n=8,bits=64,threads=2"])


def test_the_command_line_knows_threads(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["ntt", "--n", "8", "--modulus-bits", "50", "--no-verify", "--no-bench", "--threads"]
    assert main([*asked, "2"]) == 0
    assert main([*asked, "2000"]) == 2
    assert "threads: expected a number from 1 to 1024" in capsys.readouterr().err
