"""Searches what the RPU paper does not say of its machine for what comes near the figures that it states.

    python scripts/search_rpu_latencies.py --seconds 1500 --output found.jsonl

Only figures of the machine of 128 HPLEs and banks are asked for: what is known of others stays a prediction. Each
candidate is written as a line of JSON, the best ones of both readings of the busyboard are printed.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from momagen.papers.rpu.explore.measures import SIZES, theoretical
from momagen.papers.rpu.explore.stated import stated
from momagen.papers.rpu.explore.studies import FLOW, OPTIMISED, SLOW
from momagen.papers.rpu.explore.trial import RpuTrial, run_trial
from momagen.papers.thresholds import PASS
from momagen.rpu.machine.design import Design, load_design

ASSUMED: Mapping[str, tuple[int, ...]] = {
    "dispatch": (1, 2), "late": (False, True), "queue": (2, 4, 8, 16), "multiply": (4, 5, 6, 7, 8, 9, 10, 11, 12),
    "add": (1,), "shuffle": (3, 4, 5, 6, 7), "load_store": (4,),
}  # fmt: skip
"""Transforms have butterflies alone: of a multiplier and an adder the sum matters."""
SLOWER = [{name: count} for name, *counts in SLOW.values() for count in counts]
PAIRS = [(f"{name}_same", f"{name}_again") for name in SLOW]
"""Two readings of one figure: the better one counts."""
ALONE = ("us_64", "us_16", "ratio_1", "ratio_64")
WORST = 3.0
"""Bars by which a figure may be off and still be told from others."""


def candidates(seed: int) -> Iterator[dict[str, Any]]:
    """All machines in a random order."""
    every = [dict(zip(ASSUMED, values, strict=True)) for values in product(*ASSUMED.values())]
    random.Random(seed).shuffle(every)
    yield from every


def figures(design: Design) -> dict[str, float]:
    """What the paper states of the machine, on ``design``; the runtime alone where that is beyond its bar."""
    known = dict[str, list[int]]()

    def cycles(n: int, **changes: int) -> list[int]:
        """On the machine with ``changes``; of the machine itself also of the same program with each change."""
        changed = design.having(**changes)
        also = SLOWER if n == SIZES["64"] and changed == design else []
        key = f"{n} {changed}"
        if key not in known:
            found = run_trial(RpuTrial("", changed, n, FLOW, OPTIMISED, also))
            known[key] = [found.cycles, *found.also]
        return known[key]

    own, *same = cycles(SIZES["64"])
    found = _runtimes(design, {"64": own})
    if stated()["us_64"].verdict(found["us_64"]) != PASS:
        return found
    for at, (key, (name, *counts)) in enumerate(SLOW.items()):
        least, most = (cycles(SIZES["64"], **{name: count})[0] for count in counts)
        found[f"{key}_same"] = 100 * (same[2 * at + 1] / same[2 * at] - 1)
        found[f"{key}_again"] = 100 * (most / least - 1)
    return found | _runtimes(design, {end: cycles(n)[0] for end, n in SIZES.items()})


def _runtimes(design: Design, cycles: Mapping[str, int]) -> dict[str, float]:
    """Those that are stated, by what their keys end in."""
    found = dict[str, float]()
    for end, count in cycles.items():
        microseconds = count / design.clock / 1e3
        ratio = microseconds / theoretical(SIZES[end], design.hples, design.clock)
        found |= {f"us_{end}": microseconds, f"ratio_{end}": ratio}
    return {key: value for key, value in found.items() if key in stated()}


def off(key: str, ours: float) -> float:
    """How many bars away."""
    row = stated()[key]
    bar = row.points if row.points is not None else row.low * (row.within or 0.0) / 100
    return abs(row.far(ours)) / bar


def score(found: Mapping[str, float]) -> tuple[int, float]:
    """Bars that are missed, and by how much all are off."""
    met = [all(stated()[key].verdict(found[key]) != PASS for key in keys) for keys in (*PAIRS, *((k,) for k in ALONE))]
    by = [min(off(key, found[key]) for key in keys) for keys in (*PAIRS, *((k,) for k in ALONE))]
    return sum(met), sum(min(each, WORST) ** 2 for each in by)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--only", action="append", default=[], metavar="NAME=VALUE", help="of the assumed numbers")
    given = parser.parse_args()
    only = {name: int(value) for name, value in (each.split("=") for each in given.only)}
    end, base = time.monotonic() + given.seconds, load_design("rpu-paper")
    rows = []
    with given.output.open("a", encoding="utf-8") as file:
        for each in candidates(given.seed):
            if time.monotonic() > end:
                break
            if all(each[name] == value for name, value in only.items()):
                found = figures(base.having(**each))
                if not all(key in found for key in ALONE):
                    continue
                rows.append((score(found), each, found))
                print(json.dumps({"assumed": each, "figures": found, "score": rows[-1][0]}), file=file, flush=True)
    for late in (False, True):
        for (missed, by), each, found in sorted(
            (row for row in rows if row[1]["late"] is late), key=lambda row: row[0]
        )[:5]:
            print(missed, f"{by:.2f}", each, {key: round(value, 2) for key, value in found.items()})


if __name__ == "__main__":
    main()
