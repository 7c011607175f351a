"""The command line: which races, of what sizes, where."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from momagen.bench.measure.machine import cpu
from momagen.errors import MomagenError, among
from momagen.targets import names

from .race import Core, Limits, Outcome, run
from .report import head, line, renewed, write
from .tables import Peer, PeerRace, load_peers, load_races

OWN = "momagen"
"""What --only calls races of our own targets."""
SMALLEST, LARGEST = 4, 26


def parser() -> argparse.ArgumentParser:
    peers = load_peers()
    rows = "\n".join(f"  {name:<14}{peer.root}: {peer.get}" for name, peer in peers.items())
    about = f"""Race transforms against other libraries, built from their sources, which variables name:

{rows}
  {OWN:<14}targets of ours against each other

Results of all are first compared with the definition. Times are cycles per butterfly, medians of samples taken in turn
in one process; the ratio is of neighbours in time. Exit code 1: a bar is missed or a result is wrong; 2: bad input."""
    made = argparse.ArgumentParser("bench_peers.py", description=about,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    made.add_argument("--only", default=",".join([*peers, OWN]), help="peers, with commas (default: all)")
    made.add_argument("--race", default="", metavar="TEXT", help="races whose names contain this")
    made.add_argument("--sizes", default="", metavar="LOGS", help="log2 of points, as 10,12 (default: each race's)")
    made.add_argument("--target", default="avx2", help="of our kernels (default: avx2); peers' builds are as wide")
    made.add_argument("--repeat", type=int, default=101, metavar="N", help="samples of each (default: 101)")
    made.add_argument("--seconds", type=float, default=3, metavar="S", help="of a race's samples (default: 3)")
    made.add_argument("--patience", type=float, default=0, metavar="S",
                      help="more, while others share the core (default: 0)")  # fmt: skip
    made.add_argument("--core", type=int, metavar="N", help="run on this core alone")
    made.add_argument("--json", type=Path, metavar="FILE", help="write outcomes there")
    made.add_argument("--page", type=Path, metavar="FILE.md", help="renew the table behind the marks of this page")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """0: all well; 1: a bar is missed or a result is wrong; 2: bad input."""
    given = parser().parse_args(arguments)
    peers = load_peers()
    try:
        races, sizes = chosen(given.only, given.race, peers), _sizes(given.sizes)
        if given.target not in names():
            raise among("a target among", names(), given.target, "--target")
        if given.repeat < 1:
            raise MomagenError("at least 1", given.repeat, "--repeat")
        if given.patience < 0:
            raise MomagenError("at least 0", given.patience, "--patience")
        pin(given.core)
        limits, outcomes, core = Limits(given.repeat, given.seconds, given.patience), list[Outcome](), Core()
        print(cpu(), *head(), sep="\n")
        for race in races:
            for n in sizes if sizes and len(race.sizes) > 1 else race.sizes:
                outcomes.append(run(race, n, given.target, peers, limits, core))
                print(line(outcomes[-1]), flush=True)
        if given.json:
            write(given.json, outcomes)
        if given.page:
            given.page.write_text(renewed(given.page.read_text(encoding="utf-8"), outcomes), encoding="utf-8")
    except (MomagenError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return int(any(outcome.failed or outcome.ok is False for outcome in outcomes))


def chosen(only: str, part: str, peers: dict[str, Peer]) -> list[PeerRace]:
    """The races of some peers; those whose sources are missing are told and left out.

    Raises:
        MomagenError: a peer that is none.
    """
    known = [*peers, OWN]
    asked = only.split(",")
    for name in asked:
        if name not in known:
            raise among("peers among", known, name, "--only")
    missing = set[str]()
    for name in (name for name in asked if name != OWN):
        try:
            peers[name].found()
        except MomagenError as error:
            print(error, file=sys.stderr)
            missing.add(name)
    return [race for race in load_races() if (race.peer or OWN) in set(asked) - missing and part in race.name]


def _sizes(text: str) -> list[int]:
    told = text.split(",") if text else []
    for each in told:
        if not each.isdecimal() or not SMALLEST <= int(each) <= LARGEST:
            raise MomagenError(f"numbers from {SMALLEST} to {LARGEST} with commas", each, "--sizes")
    return [1 << int(each) for each in told]


def pin(core: int | None) -> None:
    """Stay on a core.

    Raises:
        MomagenError: the system has no such core, or does not let one choose.
    """
    if core is None:
        return
    try:
        os.sched_setaffinity(0, {core})
    except (AttributeError, OSError) as error:
        raise MomagenError("a core that this process may use", f"{core} ({error})", "--core") from None
