"""The time of calls that several threads do: wall time first, CPU time summed over the threads beside it."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

import momagen as mg
from momagen.bench import Result
from momagen.bench.measure import clock
from momagen.bench.measure.fresh import REFILLED
from momagen.bench.measure.sample import Spread
from momagen.cli.show import _other_time
from momagen.runtime import compile_shared, load
from momagen.tune.running import time_unit

pytestmark = [pytest.mark.compiles, pytest.mark.skipif(os.name != "posix", reason="POSIX threads")]
WORK_NS = 3e6
TEAM = """
#define _POSIX_C_SOURCE 199309L
#include <pthread.h>
#include <stdint.h>
#include <time.h>

static void *work(void *unused)
{
    struct timespec t;
    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); while (t.tv_sec == 0 && t.tv_nsec < 3000000);
    return unused;
}

void in_place(uint64_t *z, const void *plan)
{
    pthread_t two[2];
    for (int i = 0; i < 2; i++) pthread_create(&two[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(two[i], 0);
    (void)z, (void)plan;
}
"""


@pytest.mark.parametrize("renewal", [{}, {"fresh": REFILLED}], ids=["same operands", "refilled operands"])
def test_a_team_counts_the_wall_and_every_thread(renewal: dict[str, int]) -> None:
    """Two threads work for 3 ms each while the caller waits: the caller alone would count next to nothing."""
    library, z = load(compile_shared(TEAM, name="team", flags=["-std=c99", "-pthread"])), np.zeros(1, np.uint64)
    alone, team = (
        clock.make_call("in_place", library["in_place"], 0, z=z, renewal=renewal, team=team).time(2)
        for team in (False, True)
    )
    assert alone.ns < WORK_NS and alone.cpu == 0
    assert team.ns == team.wall >= WORK_NS and team.cpu >= 2 * WORK_NS
    assert (team / 2).cpu == team.cpu / 2


def test_a_kernel_made_for_threads_reports_wall_time() -> None:
    kernel = mg.blas("vadd", bits=64, threads=2)
    kernel.threads = 3
    result = kernel.bench(repetitions=3, seconds=0.05)
    assert result.threads == 3 and result.cpu and result.cpu.median > 0
    assert result.ns.median <= result.wall.high and "ns of wall time per element" in str(result)
    data = json.loads(json.dumps(result.to_dict()))
    assert data["threads"] == 3 and data["cpu"]["median"] == result.cpu.median
    assert time_unit(kernel.spec).endswith("of wall time per element")


def test_reports_name_the_time_that_they_show() -> None:
    one, other = Spread(1.0, 1.0, 1.0, 3), Spread(2.0, 2.0, 2.0, 3)
    alone = Result("k", "element", one, None, 1, 1, other)
    team = Result("k", "element", one, None, 1, 1, one, threads=2, cpu=other)
    assert str(alone) == "1.000 ns per element (1.000 to 1.000; wall 2.000)"
    assert _other_time(alone) == "2 ns of wall time per element; the figures above are CPU time of the thread"
    summed = "of CPU time per element, summed over 2 threads"
    assert str(team) == f"1.000 ns of wall time per element (1.000 to 1.000); 2.000 ns {summed}"
    assert _other_time(team) == f"2 ns {summed}; the figures above are wall time" and summed in team._repr_html_()
    assert "wall time" not in alone._repr_html_() and time_unit(mg.blas("vadd", bits=64).spec).count("wall") == 0
