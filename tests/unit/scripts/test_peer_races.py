"""Races against other libraries' transforms, without those libraries: a small one stands for them all."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from peer_bench import build, command, sides, tables
from peer_bench import race as race_module
from peer_bench.check import check_forward, check_inverse, compare
from peer_bench.command import main
from peer_bench.contestant import Contestant
from peer_bench.race import Core, Limits, butterflies, run, undisturbed
from peer_bench.report import line

from momagen.bench.measure.clock import Reading
from momagen.errors import MomagenError
from momagen.params import from_words, to_words
from momagen.runtime import compile_shared

pytestmark = pytest.mark.compiles

PEERS, RACES = tables.load_peers(), tables.load_races()
ONCE = Limits(repetitions=1)
SMALL = """
#include "numbers.h"
#include <stdlib.h>
#include <string.h>
typedef struct { uint64_t n, q, r, negacyclic, inverse, columns, *x, *z; } plan_t;
/* The definition, in natural order: the value at r^(i·(1 + negacyclic) + negacyclic). */
void small_run(uint64_t *unused, plan_t *p)
{
    const uint64_t n = p->n, c = p->columns, s = p->negacyclic;
    for (uint64_t at = 0; at < c; at++)
        for (uint64_t i = 0; i < n; i++) {
            uint64_t sum = 0;
            for (uint64_t j = 0; j < n; j++) {
                const uint64_t e = p->inverse ? i * ((1 + s) * j + s) : j * ((1 + s) * i + s), order = n << s;
                sum += p->x[j * c + at] * power(p->r, p->inverse ? order - e % order : e, p->q) % p->q;
            }
            p->z[i * c + at] = (sum + WRONG) % p->q;
        }
    memcpy(p->x, p->z, n * c * sizeof *p->x), (void)unused;
}
void small_load(plan_t *p, uint64_t *a, uint64_t *x, uint64_t *y) { memcpy(p->x, x, p->n * p->columns * 8); }
void small_store(uint64_t *z, plan_t *p) { memcpy(z, p->x, p->n * p->columns * 8); }
void small_free(plan_t *p) { free(p->x), free(p->z), free(p); }
void *small_plan(const char *kernel, uint64_t n, uint64_t words, const uint64_t *q, const uint64_t *root)
{
    if (*q >> 31 || strstr(kernel, "polymul")) return NULL;
    plan_t *p = calloc(1, sizeof *p);
    p->n = n, p->q = *q, p->inverse = *kernel == 'i', p->negacyclic = !!strstr(kernel, "negacyclic");
    p->columns = strstr(kernel, "columns") ? 16 : 1;
    const uint64_t order = n << p->negacyclic;
    for (uint64_t g = 2; power(p->r, order / 2, *q) != *q - 1; g++) p->r = power(g, (*q - 1) / order, *q);
    p->x = calloc(n * p->columns, 8), p->z = calloc(n * p->columns, 8);
    return p;
}
"""
NUMBERS = """
#include <stdint.h>
uint64_t power(uint64_t base, uint64_t exponent, uint64_t q);
"""
POWER = """
#include "numbers.h"
uint64_t power(uint64_t base, uint64_t exponent, uint64_t q)
{
    uint64_t result = 1;
    for (; exponent; exponent /= 2, base = base * base % q)
        if (exponent & 1) result = result * base % q;
    return result;
}
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tables.Peer:
    """A peer in C with its sources where its variable says; -DWRONG=1 makes it wrong."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "power.c").write_text(POWER, encoding="utf-8")
    (tmp_path / "small.c").write_text(SMALL, encoding="utf-8")
    (tmp_path / "lib" / "numbers.h.in").write_text(
        NUMBERS.replace("uint64_t power", "enum { A = @B@ };\nuint64_t power")
    )
    way = tables.PeerWay("power.c", "lib", ("-I{root}",), ("p*.c",), fill={"numbers.h.in": "numbers.h"})
    builds = {"avx2": {"flags": ["-DWRONG=0"]}, "avx512": {"flags": ["-DWRONG=1"]}}
    monkeypatch.setenv("SMALL_ROOT", str(tmp_path))
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(build, "PEERS", tmp_path)
    return tables.Peer("small", "a small one", "SMALL_ROOT", "sources", "small.c", (way,), builds)


def contestant(peer: tables.Peer, kernel: str, made: str = "avx2", n: int = 16) -> Contestant:
    return Contestant(build.build_peer(peer, made), "small", kernel, n, 193, 16 if "columns" in kernel else 1)


def test_checks_find_what_is_no_transform(small: tables.Peer) -> None:
    for kernel in ("ntt", "ntt_negacyclic", "ntt_columns"):
        negacyclic = kernel == "ntt_negacyclic"
        check_forward(contestant(small, kernel), 16, 193, negacyclic=negacyclic)
        with pytest.raises(MomagenError, match="expected a transform"):
            check_forward(contestant(small, kernel, "avx512"), 16, 193, negacyclic=negacyclic)
        with pytest.raises(MomagenError, match="expected a transform"):
            check_forward(contestant(small, kernel), 16, 193, negacyclic=not negacyclic)
    forward = contestant(small, "ntt_negacyclic")
    check_inverse(forward, contestant(small, "intt_negacyclic"), 16, 193)
    with pytest.raises(MomagenError, match="expected the inverse"):
        check_inverse(forward, contestant(small, "intt"), 16, 193)
    with pytest.raises(MomagenError, match="a kernel that small offers"):
        contestant(small, "polymul")


def test_a_timed_peer_starts_with_its_values(small: tables.Peer) -> None:
    """The time of some libraries depends on the values, and a new plan of theirs has zeros."""
    values, peer = [*range(1, 17)], contestant(small, "ntt")
    peer.call(values)
    words = to_words([0] * 16, peer.words)
    peer._function("store", 2)(words.ctypes.data, peer.plan)
    assert from_words(words) == values


def test_a_library_is_built_anew_only_where_something_changed(small: tables.Peer, tmp_path: Path) -> None:
    first = build.build_peer(small, "avx2")
    assert build.build_peer(small, "avx2") == first
    (tmp_path / "lib" / "power.c").write_text(f"{POWER}/* changed */\n", encoding="utf-8")
    assert build.build_peer(small, "avx2") != first
    (tmp_path / "lib" / "power.c").write_text("no C\n", encoding="utf-8")
    with pytest.raises(MomagenError, match="expected sources that compile"):
        build.build_peer(small, "avx2")


def test_a_race_of_both_sides(small: tables.Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    race = tables.PeerRace("193", {"modulus": 193, "target": "c"}, (16,), "small", most=1e9)
    found = run(race, 16, "avx2", {"small": small}, ONCE)
    assert found.ok and found.ours and found.theirs and found.ratio and not found.note
    assert (found.target, found.butterflies, found.rival) == ("c", 32, "a small one")
    assert [cell.strip() for cell in line(found).split("|")][1:4] == ["193", "16", "c"]
    without = [cell.strip() for cell in line(replace(found, unit="ns")).split("|")]
    assert without[4].endswith(" ns") and without[5].endswith(" ns") and "ns" not in without[7]
    assert run(replace(race, most=0.0), 16, "c", {"small": small}, ONCE).ok is False
    wide = run(replace(race, ours={**race.ours, "columns": 2}, kernel="ntt_columns"), 16, "c", {"small": small}, ONCE)
    assert wide.ok and wide.butterflies == 32
    unknown = run(replace(race, ours={"modulus": 193, "dept": 3}), 16, "c", {"small": small}, ONCE)
    assert unknown.theirs and not unknown.ours and unknown.ok is None and "an argument dept" in unknown.note
    monkeypatch.setattr(sides, "build_for", lambda peer, target: "avx512")  # the wrong one
    assert run(race, 16, "c", {"small": small}, ONCE).failed


def test_an_own_target_as_the_rival() -> None:
    race = tables.PeerRace("193", {"modulus": 193, "target": "c"}, (16,), against="c", most=1e9)
    found = run(race, 16, "avx2", {}, ONCE)
    assert found.ok and found.rival == "c" and found.ours and found.theirs


def test_rounds_on_a_shared_core_count_only_where_others_are_few() -> None:
    ours, theirs = ([Reading(ns, None, pace) for ns, pace in pairs] for pairs in (
        [(1.0, 3.0), (2.0, 2.0), (3.0, 3.0), (4.0, 3.0)], [(5.0, 3.0), (6.0, 3.0), (7.0, 2.9), (8.0, 3.0)],
    ))  # fmt: skip
    assert undisturbed(ours, theirs, 3.0) == ([1.0, 3.0, 4.0], [5.0, 7.0, 8.0])
    assert undisturbed(ours[:3], theirs[:3], 3.0) == ([1.0, 2.0, 3.0], [5.0, 6.0, 7.0])


def test_a_shared_core_is_waited_for(small: tables.Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The core is shared in the second and the third round; the first one tells its pace."""
    paces = iter([3.0, 3.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0])
    monkeypatch.setattr(race_module, "sampler", lambda call, count, calls: lambda: Reading(1.0, None, next(paces)))
    monkeypatch.setattr(race_module, "calls_per_sample", lambda call: 1)
    monkeypatch.setattr(race_module, "latency", lambda: 3)
    core, race = Core(), tables.PeerRace("193", {"modulus": 193, "target": "c"}, (16,), "small", most=1e9)
    for patience in (0.0, 60.0):
        found = run(race, 16, "c", {"small": small}, Limits(1, patience=patience), core)
        assert found.ok and core.best == 3.0
    assert next(paces, None) is None


def test_the_first_race_learns_the_pace_in_advance(small: tables.Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The core is shared but for the samples in advance, and the clock is told at the second try."""
    rounds, latencies = list[int](), iter([None, 3])

    def interleaved(runs: Iterable[str], *, repetitions: int, seconds: float) -> dict[str, list[Reading]]:
        rounds.append(repetitions)
        return {side: [Reading(1.0, None, 3.0 if repetitions > 1 else 1.0)] for side in runs}

    told = lru_cache(lambda: next(latencies))
    monkeypatch.setattr(race_module, "latency", told)
    monkeypatch.setattr(race_module, "interleave", interleaved)
    core, race = Core(), tables.PeerRace("193", {"modulus": 193, "target": "c"}, (16,), "small", most=1e9)
    assert run(race, 16, "c", {"small": small}, Limits(1, patience=0.01), core).ok
    assert core.best == 3.0 and told() == 3 and rounds[0] > 1 and set(rounds[1:]) == {1}


def test_factors_of_degree_two_are_those_of_ml_kem() -> None:
    """FIPS 203, Algorithm 9, is a transform that ends in them; with a wrong ζ it is none."""
    drawn = random.Random(3)
    x = [drawn.randrange(3329) for _ in range(256)]
    for zeta, right in ((17, True), (2, False)):
        f, i, length = list(x), 1, 128
        while length >= 2:
            for start in range(0, 256, 2 * length):
                z = pow(zeta, int(f"{i:07b}"[::-1], 2), 3329)
                for j in range(start, start + length):
                    t = z * f[j + length]
                    f[j], f[j + length] = (f[j] + t) % 3329, (f[j] - t) % 3329
                i += 1
            length //= 2
        if right:
            compare("ml-kem", f, x, 3329, negacyclic=True, degree=2)
        else:
            with pytest.raises(MomagenError, match="expected a transform"):
                compare("ml-kem", f, x, 3329, negacyclic=True, degree=2)
    assert butterflies(256, 2) == 7 * 128


@pytest.mark.parametrize(
    ("n", "asked"),
    [(256, {"modulus": 3329, "negacyclic": True, "depth": 7}), (64, {"modulus": 2**64 - 2**32 + 1, "bake": "yes"})],
)
def test_ours_are_checked_with_their_options(n: int, asked: dict[str, object]) -> None:
    """Incomplete transforms by their remainders; options of kernels beside arguments."""
    race = tables.PeerRace("ours", asked, (n,))
    assert race.spec(n, "c64").options.texts() == {key: value for key, value in asked.items() if key == "bake"}
    sides.ours(race, n, "c64")


@pytest.mark.parametrize("race", RACES, ids=lambda race: race.name)
def test_rows_of_the_table_fit_together(race: tables.PeerRace) -> None:
    asked = race.ours.get("target", "avx2")
    spec = race.spec(race.sizes[0], asked)
    assert spec.degree == race.degree
    assert bool(race.peer) != bool(race.against)
    assert race.limit(asked) == race.most
    if race.peer:
        assert (race.kernel.startswith("i"), race.kernel.endswith("negacyclic")) == (spec.inverse, spec.negacyclic)
        assert race.limit("avx512") is None
        assert (tables.PEERS / PEERS[race.peer].source).is_file()


def test_every_peer_says_what_it_wants(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, peer in PEERS.items():
        monkeypatch.delenv(peer.root, raising=False)
        assert main(["--only", name]) == 0
        assert f"{peer.title}: expected {peer.root}" in capsys.readouterr().err
        monkeypatch.setenv(peer.root, str(tmp_path))
        with pytest.raises(MomagenError, match=f"in {peer.root}, got {tmp_path}"):
            peer.found()


@pytest.mark.parametrize(
    "arguments", [["--only", "gmp"], ["--sizes", "3"], ["--sizes", "x"], ["--target", "sse"], ["--repeat", "0"],
                  ["--core", "999999"], ["--patience", "-1"]]
)  # fmt: skip
def test_bad_input(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--race", "no such race", *arguments]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("error: ")


def test_the_command_writes_what_it_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [tables.PeerRace("17", {"modulus": 193, "target": "c"}, (16,), against="c", most=1e9)]
    monkeypatch.setattr(command, "load_races", lambda: rows)
    file = tmp_path / "found.json"
    assert main(["--only", "momagen", "--repeat", "1", "--json", str(file)]) == 0
    assert '"name": "17"' in file.read_text(encoding="utf-8")
    rows[0] = replace(rows[0], most=0.0)
    assert main(["--only", "momagen", "--repeat", "1"]) == 1
    page = tmp_path / "page.md"
    page.write_text("# Page\n<!-- races -->\nold\n<!-- end of races -->\nmore\n", encoding="utf-8")
    assert main(["--only", "momagen", "--repeat", "1", "--page", str(page)]) == 1
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Page\n<!-- races -->\n\n*") and text.endswith("\n<!-- end of races -->\nmore\n")
    assert text.count("| 17 | 16 | c |") == 1 and "old" not in text
    assert main(["--only", "momagen", "--repeat", "1", "--page", str(file)]) == 2


def test_the_manifest_of_a_harness_in_rust() -> None:
    peer = PEERS["tfhe_ntt"]
    text = build.manifest(peer, Path("/there"), peer.ways[0], ["std"])
    assert 'tfhe-ntt = { path = "/there/tfhe-ntt", default-features = false, features = ["std"] }' in text
    assert "default-features" not in build.manifest(PEERS["plonky3"], Path("/there"), PEERS["plonky3"].ways[0], [])


def test_a_library_that_stands_alone_is_no_peer(tmp_path: Path) -> None:
    path = compile_shared("int nothing(void) { return 0; }\n", name="small", flags=[])
    with pytest.raises(MomagenError, match="does not export the function small_plan"):
        Contestant(path, "small", "ntt", 16, 193)


def test_a_harness_may_define_a_macro_in_place_of_the_library(tmp_path: Path) -> None:
    (tmp_path / "size.c").write_text("#define stages 10\n#define stages_2 11\n", encoding="utf-8")
    way = tables.PeerWay("size.c", undefine={"size.c": "stages"})
    assert build._undefined(tmp_path, way) == {"size.c": "\n#define stages_2 11\n"}
