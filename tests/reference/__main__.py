"""``python -m tests.reference``: compare what the generator makes with what is frozen, or freeze it anew."""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed

from momagen.errors import MomagenError
from momagen.runtime import Compiler, find_compiler

from . import reached, report, store
from .figures import Figures, figures
from .rows import Row, rows

SAID = {"--check": "compare, write nothing (the default)", "--renew": "freeze what is made now, and say what changed"}

AGAIN = 3
"""How often a time that seems to have grown is taken once more."""


def main() -> int:
    given = _parser().parse_args()
    chosen = _chosen(given)
    if given.reached:
        return reached.show(chosen)
    old, by = store.read()
    compiler = None if given.text else find_compiler("zig")
    told = by if compiler is None else str(compiler)
    if given.changed:
        text, _ = _measured(chosen, None, given.jobs)
        found = {change.row for change in report.compared(old, text, False)[0]}
        chosen = [row for row in chosen if row.label in found]
    partly = len(chosen) < len(rows())
    if given.renew and partly and by != told:
        raise MomagenError(f"{by}, which counted the other rows", told, "--renew of some rows")
    new, failed = _measured(chosen, compiler, given.jobs)
    if compiler and by == told:
        _again(old, new, compiler, chosen)
    grew = _compare({label: old[label] for label in old if label in new or not partly}, new, by, told, chosen)
    print(*(f"FAIL {line}\n" for line in failed), sep="", end="")
    if given.renew and not failed:
        every = {**old, **_merged(old, new, compiler is None)}
        store.write([row for row in rows() if row.label in every], every, told)
    return int(grew or bool(failed))


def _chosen(given: argparse.Namespace) -> list[Row]:
    """The rows that were asked for."""
    found = [row for row in rows() if all(word in f"{row.family} {row.label}" for word in given.only)]
    if not given.sample:
        return found
    seed = os.environ.get("MOMAGEN_SEED", str(random.randrange(1 << 30)))
    return random.Random(seed).sample(found, min(given.sample, len(found)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tests.reference", description=__doc__)
    verbs = parser.add_mutually_exclusive_group()
    for verb, text in SAID.items():
        verbs.add_argument(verb, action="store_true", help=text)
    verbs.add_argument("--reached", action="store_true", help="list the functions of momagen/emit that no row calls")
    parser.add_argument("--sample", type=int, default=0, metavar="K", help="K rows, by $MOMAGEN_SEED")
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD", help="rows whose family and label have all")
    parser.add_argument("--text", action="store_true", help="hashes, operations and tables: no compiler")
    parser.add_argument("--changed", action="store_true", help="of these, the rows whose text is another")
    parser.add_argument("--jobs", type=int, default=2, metavar="J", help="processes (default: 2)")
    return parser


def _measured(chosen: list[Row], compiler: Compiler | None, jobs: int) -> tuple[dict[str, Figures], list[str]]:
    """The figures by label, and a line on each row that cannot be made."""
    found: dict[str, Figures] = {}
    failed: list[str] = []
    start = time.monotonic()
    with ProcessPoolExecutor(jobs) as pool:
        waiting = [pool.submit(_one, compiler, row) for row in _longest_first(chosen)]
        for done, each in enumerate(as_completed(waiting), 1):
            label, value = each.result()
            if isinstance(value, str):
                failed.append(f"{label}: {value}")
            else:
                found[label] = value
            if done % 20 == 0:
                print(f"{done} of {len(chosen)}: {label}", file=sys.stderr)
    print(f"{len(found)} rows in {time.monotonic() - start:.0f} s", file=sys.stderr)
    return found, failed


def _again(old: dict[str, Figures], new: dict[str, Figures], compiler: Compiler, chosen: list[Row]) -> None:
    """Take times that grew some more times, and the least: what they share the machine with may have passed."""
    for row in chosen:
        for _ in range(AGAIN * (row.label in old and row.label in new)):
            if not report.slower(old[row.label], new[row.label]):
                break
            new[row.label] = min(new[row.label], figures(row, compiler), key=lambda found: found["create"])


def _one(compiler: Compiler | None, row: Row) -> tuple[str, Figures | str]:
    try:
        return row.label, figures(row, compiler)
    except MomagenError as error:
        return row.label, str(error)


def _longest_first(chosen: list[Row]) -> list[Row]:
    return sorted(chosen, key=lambda row: (row.create, row.count, row.given["width"]), reverse=True)


def _merged(old: dict[str, Figures], new: dict[str, Figures], text_only: bool) -> dict[str, Figures]:
    """Without a compiler, what one counted stays."""
    return {label: {**old.get(label, {}), **value} if text_only else value for label, value in new.items()}


def _compare(old: dict[str, Figures], new: dict[str, Figures], by: str, told: str, chosen: list[Row]) -> bool:
    """Print what changed; whether anything grew."""
    changed, alone = report.compared(old, new, by == told)
    for line in _lines(changed):
        print(line)
    print(*(f"{line}\n" for line in alone), sep="", end="")
    print(*report.summary({row.label: row.family for row in chosen if row.label in new}, changed), sep="\n")
    if old and by != told:
        skipped = sum("instructions" in row or "create" in row for row in new.values())
        print(f"SKIP {skipped} rows' instructions, spills and times: frozen by {by}, here {told}")
    return any(change.grew for change in changed)


def _lines(changed: list[report.Change]) -> Iterator[str]:
    """One per row."""
    for row in dict.fromkeys(change.row for change in changed):
        yield f"{row}: " + "; ".join(change.text + " UP" * change.grew for change in changed if change.row == row)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MomagenError as error:
        sys.exit(str(error))
