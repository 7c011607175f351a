"""Time HE operators and their kernels on the device that JAX has: ``python scripts/bench_he.py --help``."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[0:1] = [str(HERE), str(HERE.parent)]  # nothing needs to be installed

from momagen.errors import MomagenError  # noqa: E402
from momagen.he.counts import counts, summed  # noqa: E402
from momagen.he.kernels import RnsKernels  # noqa: E402
from momagen.he.parameters import HeParameters, preset  # noqa: E402
from momagen.he.timing import kernel_times, operator_times  # noqa: E402
from momagen.papers.cross.race.machine import described, pin  # noqa: E402
from momagen.papers.cross.workloads import estimated, workloads  # noqa: E402

OPERATORS = ("add", "subtract", "multiply", "rescale", "rescale two", "rotate")
HEADS = ("HE-Add", "HE-Sub", "HE-Mult", "Rescale", "Rescale by two", "Rotate")
KERNELS = ("ntt", "intt", "multiply", "add", "permute", "convert", "convert approximately")


def measured(p: HeParameters, seconds: float) -> dict[str, Any]:
    """One set: operators, kernels, and operators estimated from kernels."""
    kernels = RnsKernels(p.degree)
    alone, rates = kernel_times(kernels, p, seconds)
    operators = operator_times(kernels, p, seconds)
    for operator, row in operators.items():
        row["estimated_us"] = estimated(summed(counts(operator, p)), rates)["total"] * 1e3
    return {"set": p.name, "degree": p.degree, "limbs": p.limbs, "digits": p.digits, "auxiliary": p.digit,
            "log_qp": p.log_qp, "approximate": p.approximate, "operators": operators, "kernels": alone,
            "nanoseconds": rates}  # fmt: skip


def whole(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Workloads, from the kernels of their sets where those were measured."""
    rates = {row["set"]: row["nanoseconds"] for row in found}
    return {
        name: {"milliseconds": estimated(work.kernels, rates[work.parameters.name]), "paper": work.milliseconds,
               "calls": work.calls}
        for name, work in workloads().items() if work.parameters.name in rates
    }  # fmt: skip


def line(*cells: object) -> str:
    """A row of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def shown(value: float) -> str:
    """Three digits of a number at least, and no more than it has before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def of_operators(title: str, found: list[dict[str, Any]], cell: Callable[[dict[str, float]], str]) -> list[str]:
    """A row for each set, a column for each operator."""
    rows = [title, "", line("set", "N, limbs, dnum", *HEADS), line(*["---"] * (2 + len(HEADS)))]
    for row in found:
        cells = [cell(row["operators"][name]) for name in OPERATORS]
        rows.append(line(row["set"], f"{row['degree']}, {row['limbs']}, {row['digits']}", *cells))
    return [*rows, ""]


def tables(found: list[dict[str, Any]], works: dict[str, Any]) -> list[str]:
    """All results as Markdown."""
    rows = of_operators("Median and minimum time in milliseconds:", found,
                        lambda row: f"{shown(row['median_us'] / 1e3)}, {shown(row['least_us'] / 1e3)}")  # fmt: skip
    predicted = (
        "Time predicted from the number of calls of each kernel, times the time of the kernel alone, in milliseconds:"
    )
    rows += of_operators(predicted, found, lambda row: shown(row["estimated_us"] / 1e3))
    rows += of_operators("Time in seconds to generate, trace and compile:", found, lambda row: shown(row["compile_s"]))
    rows += ["Time in microseconds for one vector of N residues (for conversions, for one pair of limbs):", ""]
    rows += [line("set", *KERNELS), line(*["---"] * (1 + len(KERNELS)))]
    rows += [line(row["set"], *(shown(row["nanoseconds"][name] / 1e3) for name in KERNELS)) for row in found]
    rows += ["", "Estimates from these times, without fusion:", ""]
    rows += [line("workload", "seconds", "largest part", "CROSS on TPUv6e, ms"), line(*["---"] * 4)]
    for name, work in works.items():
        parts = {kernel: ms for kernel, ms in work["milliseconds"].items() if kernel != "total"}
        largest, total = max(parts, key=lambda kernel: parts[kernel]), work["milliseconds"]["total"]
        share = f"{largest}, {100 * parts[largest] / total:.0f} %"
        rows.append(line(name, shown(total / 1e3), share, shown(work["paper"])))
    return rows


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=["A", "B"], help="of presets.toml (A B C D MNIST small)")
    parser.add_argument("--seconds", type=float, default=1.0, help="that each operator and kernel is timed for")
    parser.add_argument("--approximate", action="store_true", help="raise digits up to multiples of their modulus")
    parser.add_argument("--core", type=int, metavar="N", help="run on this core alone, with one thread of XLA")
    parser.add_argument("--output", type=Path, help="a JSON file, renewed after each set")
    given = parser.parse_args()
    date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    told: dict[str, Any] = {"format": 1, "date": date}
    try:
        if given.core is not None:
            pin(given.core)
        told |= {**described(given.core), "sets": []}
        for name in given.sets:
            told["sets"].append(measured(preset(name, approximate=given.approximate), given.seconds))
            told["workloads"] = whole(told["sets"])
            if given.output:
                text = json.dumps(told, indent=1, ensure_ascii=False) + "\n"
                given.output.write_text(text, encoding="utf-8")
            print(f"{name}: done", file=sys.stderr, flush=True)
    except MomagenError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(tables(told["sets"], told["workloads"])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
