"""The tables of docs/papers/mqx.md, from the stored results of the studies.

    python scripts/mqx_tables.py [scripts/results/mqx-epyc-25-17-20261127.json]
    python scripts/mqx_tables.py --collect FOLDER FILE

The second form collects what `momagen mqx STUDY --json` printed, FOLDER/STUDY.json for each study, into one file.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

RESULTS = Path(__file__).with_name("results") / "mqx-epyc-25-17-20261127.json"
STUDIES = ("validate", "sensitivity", "ports", "sol", "compare", "products", "figures")
MEASURED, ZEN4, SUNNY_COVE = "cycles", "port floor, zen4", "port floor, sunny-cove"
QUANTITIES = {MEASURED: "Zen 4, measured", ZEN4: "Zen 4, floor", SUNNY_COVE: "Ice Lake, floor"}
VARIANTS = ("+M", "+C", "+M,C", "+Mh,C", "+M,C,P")
Rows = Iterator[Sequence[str]]
Study = Mapping[str, Any]


def number(value: float) -> str:
    """Return three digits, or all before the point."""
    return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}"


def short(value: Any) -> Any:
    """Return data with numbers of four digits."""
    if isinstance(value, dict):
        return {key: short(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [short(entry) for entry in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def validate(study: Study) -> Rows:
    """Yield the errors of proxies in per cent."""
    titles = "instruction", "proxy", "error of the instruction count"
    yield *titles, *QUANTITIES.values(), "p10 … p90", "paper, Intel", "paper, AMD"
    for pair in study["pairs"]:
        errors = pair["errors"]
        medians = [f"{errors[name]['median']:.1f} %" for name in ("instructions", *QUANTITIES)]
        rounds = f"{errors[MEASURED]['low']:.1f} … {errors[MEASURED]['high']:.1f}"
        paper = (f"{pair[cpu]:.2f} %" for cpu in ("intel", "amd"))
        yield f"`{pair['instruction']}`", f"`{pair['proxy']}`", *medians, rounds, *paper


def brings(study: Study) -> Rows:
    """Yield how many times less MQX takes than AVX-512 on whole words at 124 bits."""
    yield "124-bit modulus", *QUANTITIES.values()
    rows = [row for row in study["rows"] if row["target"] == "mqx" and row["bits"] == 124]
    kinds = {"NTT, 2^10 … 2^17 points": True, "x + y, x - y, x · y, a · x + y, 1024 elements, mean": False}
    for title, transforms in kinds.items():
        own = [row["over_base"] for row in rows if (row["kernel"] == "ntt") == transforms]
        yield title, *(f"{fmean(row[name] for row in own):.1f} ×" for name in QUANTITIES)


def sensitivity(study: Study) -> Rows:
    """Yield the cycles of transforms over the base's, for each variant."""
    widths = sorted({row["bits"] for row in study["normalised"]})
    at = {(row["title"], row["bits"], row["what"]): row["over_base"] for row in study["normalised"]
          if row["kind"] == "ntt"}  # fmt: skip
    yield "", *(f"{QUANTITIES[name]}, {bits}" for name in QUANTITIES for bits in widths)
    for title in VARIANTS:
        yield title, *(f"{at[title, bits, name]:.2f}" for name in QUANTITIES for bits in widths)


def compare(study: Study) -> Rows:
    """Yield cycles per butterfly at six widths, by quantity and target."""
    rows = [row for row in study["rows"] if row["kernel"] == "ntt"]
    widths = list(dict.fromkeys(row["bits"] for row in rows))
    yield "bits of the modulus", *map(str, widths)
    for name, title in QUANTITIES.items():
        for target in dict.fromkeys(row["target"] for row in rows):
            own = {row["bits"]: _cycles(row, name) for row in rows if row["target"] == target}
            yield f"{title}: `{target}`", *(number(own[bits]) for bits in widths)


def _cycles(row: Study, name: str) -> float:
    """Return what was measured, or a port floor."""
    key = name.removeprefix("port floor, ")
    found: float = row["cycles"]["median"] if name == MEASURED else row["floors"][key]["cycles"]
    return found


def sol(study: Study) -> Rows:
    """Yield how many times as fast as RPU whole CPUs are projected to be."""
    yield "projected on", "`avx512dq`", "`avx512ifma`", "`mqx`", "paper's MQX"
    for each in study["projected"]:
        (cpu,), rows = each["cpus"], [row for row in each["comparisons"] if row["system"] == "rpu"]
        yield cpu["title"], *(f"{row['speedup']:.2f} ×" for row in rows), f"{rows[0]['paper']:g} ×"


def products(study: Study) -> Rows:
    """Yield Karatsuba's times over schoolbook's."""
    figures = {figure["figure"].removeprefix("products_"): figure["ratios"] for figure in study["figures"]}
    names = {"ntt": "NTT", "vmul": "vmul"}
    titles = (f"{names[kernel]}, {QUANTITIES[what]}" for kernel in figures for what in (MEASURED, ZEN4))
    yield "time of Karatsuba / time of schoolbook", *titles
    for at, ratio in enumerate(figures["ntt"]):
        found = [rows[at]["by"][what]["mean"] for rows in figures.values() for what in ("time", ZEN4)]
        yield f"`{ratio['above'].partition(',')[0]}`", *(f"{value:.2f} ×" for value in found)


def figures(study: Study, at: int) -> Rows:
    """Yield nanoseconds per element or butterfly, of figure 4 or 5."""
    rows = [row for row in study["figures"][at]["rows"] if row["timing"]]
    labels = list(dict.fromkeys(_label(row) for row in rows))
    yield "ns per " + rows[0]["unit"], *labels
    for name in dict.fromkeys(row["name"] for row in rows):
        own = {_label(row): number(row["timing"]["ns"]["median"]) for row in rows if row["name"] == name}
        yield name, *(own.get(label, "–") for label in labels)


def _label(row: Study) -> str:
    return f"2^{row['n'].bit_length() - 1}" if row["kernel"] == "ntt" else str(row["kernel"])


def tables(found: Mapping[str, Study]) -> dict[str, str]:
    """Return all tables as Markdown, by the command that measured them."""
    made = {
        "brings": brings(found["sensitivity"]), "sensitivity": sensitivity(found["sensitivity"]),
        "compare": compare(found["compare"]), "validate": validate(found["validate"]), "sol": sol(found["sol"]),
        "products": products(found["products"]), "figure 4": figures(found["figures"], 0),
        "figure 5": figures(found["figures"], 1),
    }  # fmt: skip
    return {name: markdown(rows) for name, rows in made.items()}


def markdown(rows: Iterable[Sequence[str]]) -> str:
    """Return rows, the first of which is the head, as a table."""
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, "|---" * (head.count(" | ") + 1) + "|", *body])


def collect(folder: Path, file: Path) -> None:
    """Write what the studies printed as one file, with medians only of ratios, and without single rounds of figures."""
    found = {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in STUDIES}
    for figure in (*found["products"]["figures"], *found["figures"]["figures"]):
        for row in figure["rows"]:
            (row["timing"] or {}).pop("rounds", None)
    for row in (*found["compare"]["rows"], *found["sensitivity"]["rows"]):
        row["over_base"] = {name: ratio["median"] for name, ratio in row["over_base"].items()}
    file.write_text(json.dumps(short(found), ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=RESULTS)
    parser.add_argument("--collect", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    if given.collect:
        collect(given.collect, given.file)
        return
    for name, text in tables(json.loads(given.file.read_text(encoding="utf-8"))).items():
        print(f"{name}\n\n{text}\n")


if __name__ == "__main__":
    main()
