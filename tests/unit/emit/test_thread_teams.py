"""What a team of threads leaves behind: the error of any thread in any step, and every thread's rounding mode.

The C function ``part_of``, which each thread calls for its part of each step, is wrapped: the wrapper can fail in one
thread and one step, and it counts the calls that do not restore the state of the floating-point unit.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.errors import MomagenError
from momagen.kinds.modular.derived import sharing
from momagen.kinds.modular.derived.inner import of_modulus
from momagen.kinds.modular.spec import Spec
from momagen.params import to_words
from momagen.params.words import from_words
from momagen.runtime import compile_shared, load, missing_features
from momagen.runtime.compiler import find_compiler
from momagen.targets import load_target
from momagen.verify.oracle import Definition
from momagen.verify.vectors import random_residues

pytestmark = [
    pytest.mark.compiles,
    pytest.mark.skipif(bool(missing_features(load_target("avx2").features)), reason="no AVX2 and FMA"),
]

N, TEAM, BATCH = 512, 4, 64
"""Points of each transform, threads, and transforms in a call: enough that every thread has some."""
BUILDS = {"POSIX threads": ["-pthread"], "OpenMP": ["-fopenmp"], "no threads": ["-U__unix__", "-U__APPLE__"]}
KINDS = {"split": {}, "dealt out": {}, "of several moduli": {"moduli": 2}}
"""Transforms that all threads do together in phases, and those of which each thread does some."""
DEFINED = "static MG_NOINLINE int part_of("
HOOKS = """
#include <stdlib.h>
#include <xmmintrin.h>
static int refuses;
static void *allocate(size_t size) { return refuses ? 0 : malloc(size); }
#define malloc allocate
"""
WRAPPER = """
static size_t bad_member = -1, bad_step = -1, unrestored;
static int part_of(const call *job, size_t step, size_t me, size_t team)
{
    const unsigned before = _mm_getcsr();
    const int code = real_part_of(job, step, me, team);
    if ((_mm_getcsr() ^ before) & ~0x3fu)
        __atomic_add_fetch(&unrestored, 1, __ATOMIC_RELAXED);
    return me == bad_member && step == bad_step ? BAD : code;
}

void refuse(int all) { refuses = all; }
void fail(size_t member, size_t step) { bad_member = member, bad_step = step; }
int one_thread(void)
{
#if defined(_OPENMP) || defined(MG_POSIX_THREADS)
    return 0;
#else
    return 1;
#endif
}
size_t forgotten(void) { return unrestored; }
unsigned state(void) { return _mm_getcsr(); }
void set_state(unsigned state) { _mm_setcsr(state); }
"""
MODES = {"nearest": 0x1F80, "down": 0x3F80, "up": 0x5F80, "to zero": 0x7F80}
NO_MEMORY, BAD = 3, 77


@dataclass(frozen=True)
class Team:
    """A kernel whose library has the functions of ``WRAPPER``, with a plan of it."""

    kernel: mg.Kernel
    library: Any
    plan: Any

    @property
    def steps(self) -> int:
        """Return how many steps a call has."""
        phases = "phase_of" in self.kernel.source
        return BATCH * (phases and self.kernel.generated.program.phases) or 1

    def execute(self, y: np.ndarray[Any, Any], x: np.ndarray[Any, Any]) -> int:
        """Return the error code of a call with x."""
        run = self.library[f"{self.kernel.name}_execute"]
        return int(run(self.plan, *(ctypes.c_void_p(each.ctypes.data) for each in (y, x)), ctypes.c_size_t(BATCH)))

    def operands(self) -> np.ndarray[Any, Any]:
        """Return random residues, with an axis of moduli where there are several."""
        moduli = [row.modulus for row in each_modulus(self.kernel.spec)]
        rows = [random_residues(BATCH * N, q, 1, (0, at)).reshape(BATCH, N) for at, q in enumerate(moduli)]
        return np.ascontiguousarray(np.stack(rows, axis=1)).reshape(-1, 1)


def wrapped(source: str) -> str:
    """Return the C file with hooks in front of ``malloc`` and around ``part_of``."""
    assert source.count(DEFINED) == 1
    head, tail = source.split(DEFINED)
    body, after = tail.split("\n}\n", 1)
    bad = f"enum {{ BAD = {BAD} }};\n"
    return HOOKS + bad + head + DEFINED.replace("part_of", "real_part_of") + body + "\n}\n" + WRAPPER + after


CASES = [*product(["split"], BUILDS), ("dealt out", "POSIX threads"), ("dealt out", "no threads"),
         ("of several moduli", "POSIX threads")]  # fmt: skip


@pytest.fixture(scope="module", params=CASES, ids=", ".join)
def team(request: pytest.FixtureRequest) -> Team:
    """Return a kernel on doubles, which round, with a plan of it."""
    kind, build = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sharing, "SPLIT", N if kind == "split" else 1 << 20)
        k = mg.ntt(N, modulus_bits=50, target="avx2", order="natural", threads=TEAM, **KINDS[kind])  # type: ignore[call-overload]
        assert "= _mm_getcsr();" in k.source and ("phase_of" in k.source) == (kind == "split")
    library = load(built(k, build))
    library.forgotten.restype, library.state.restype = ctypes.c_size_t, ctypes.c_uint
    return Team(k, library, plan_of(k, library))


def plan_of(k: mg.Kernel, library: Any) -> ctypes.c_void_p:
    """Return a new plan."""
    create = library[f"{k.name}_create"]
    create.restype = ctypes.c_void_p
    rows = each_modulus(k.spec)
    numbers = [to_words(each, 1) for each in ([row.modulus for row in rows], [row.root for row in rows])]
    counts = [ctypes.c_size_t(len(rows))] * bool(k.spec.basis)
    plan = create(*counts, *(ctypes.c_void_p(each.ctypes.data) for each in numbers), None)
    assert plan
    return ctypes.c_void_p(plan)


def built(k: mg.Kernel, build: str) -> Path:
    """Return the library of the wrapped kernel; skip OpenMP where the compiler has none."""
    flags = ["-std=gnu99", *load_target("avx2").flags, *BUILDS[build]]
    files = {f"{k.name}.h": k.header}
    try:
        return compile_shared(wrapped(k.source), name=k.name, flags=flags, includes=files, compiler=find_compiler())
    except MomagenError:
        if build != "OpenMP":
            raise
        pytest.skip("a compiler without OpenMP")


def each_modulus(spec: Spec) -> list[Spec]:
    """Return the specification of the transform modulo each modulus."""
    return [of_modulus(spec, at) for at in range(len(spec.basis))] or [spec]


def test_an_error_of_any_thread_in_any_step_is_returned(team: Team) -> None:
    x = team.operands()
    y = np.zeros_like(x)
    members = 1 if team.library.one_thread() else TEAM
    assert team.execute(y, x) == 0
    for member, step in product(range(members), {0, team.steps // 2, team.steps - 1}):
        team.library.fail(ctypes.c_size_t(member), ctypes.c_size_t(step))
        assert team.execute(y, x) == BAD, (member, step)
    team.library.fail(ctypes.c_size_t(TEAM), ctypes.c_size_t(0))
    assert team.execute(y, x) == 0


def test_a_call_without_memory_says_so(team: Team) -> None:
    x = team.operands()
    y = np.zeros_like(x)
    fresh = replace(team, plan=plan_of(team.kernel, team.library))  # which keeps no memory of an earlier call
    team.library.refuse(1)
    code = fresh.execute(y, x)
    team.library.refuse(0)
    assert code == NO_MEMORY and fresh.execute(y, x) == 0
    team.library[f"{team.kernel.name}_destroy"](fresh.plan)


def test_every_thread_rounds_to_nearest_and_restores_the_mode(team: Team) -> None:
    x, (one, *others) = team.operands(), each_modulus(team.kernel.spec)
    rows, first, before = (BATCH, 1 + len(others), N), np.zeros_like(x), team.library.state()
    assert team.execute(first, x) == 0
    for b in (0, BATCH // 2, BATCH - 1):  # of different threads
        got, given = (each.reshape(rows)[b, 0].reshape(-1, 1) for each in (first, x))
        assert from_words(got[[0, 1, 77]]) == Definition(one, one.modulus, one.root).outputs(given, [0, 1, 77])
    for name, mode in MODES.items():
        y = np.zeros_like(x)
        team.library.set_state(mode)
        code, after = team.execute(y, x), team.library.state()
        team.library.set_state(before)
        assert (code, after & ~0x3F) == (0, mode & ~0x3F), name
        assert np.array_equal(y, first), name
    assert team.library.forgotten() == 0
