"""Tables 5 and 6: the results of ``scripts/dropin`` in the common format of papers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from momagen.papers.measuring import described

VARIANTS = {
    "{}, plain": "plain", "{} on HEXL": "hexl", "{} on momagen": "ours",
}  # fmt: skip
RATIOS = {
    "{0} on HEXL, over plain {1}": ("plain", "hexl"), "{0} on momagen, over plain {1}": ("plain", "ours"),
    "{0} on momagen, over {1} on HEXL": ("hexl", "ours"),
}  # fmt: skip
"""The speed-ups: the time of the first variant divided by that of the second one."""
SEAL = {
    "UTIL / NTTForward": "Forward NTT", "UTIL / NTTInverse": "Inverse NTT", "BFV / EncryptPublic": "BFV Encrypt",
    "BFV / Decrypt": "BFV Decrypt", "BFV / EvaluateMulCt": "BFV Multiply", "BFV / EvaluateRotateRows": "BFV Rotate 1",
    "CKKS / EncodeDouble": "CKKS Encode", "CKKS / DecodeDouble": "CKKS Decode", "CKKS / EncryptPublic": "CKKS Encrypt",
    "CKKS / Decrypt": "CKKS Decrypt", "CKKS / EvaluateMulCt": "CKKS Multiply",
    "CKKS / EvaluateRescaleInplace": "CKKS Rescale", "CKKS / EvaluateRotate": "CKKS Rotate 1",
    "BFV / EvaluateRelinInplace": "BFV Relinearize", "CKKS / EvaluateRelinInplace": "CKKS Relinearize",
}  # fmt: skip
"""The rows of the paper's tables by the end of the names of SEAL's benchmarks."""
SUMS = {
    "BFV Multiply Relinearize": ("BFV Multiply", "BFV Relinearize"),
    "CKKS Multiply Relinearize": ("CKKS Multiply", "CKKS Relinearize"),
}
"""Rows of the paper whose operations SEAL's benchmark times one by one."""
MARK = "HEXL paper: "
"""The beginning of the names in ``scripts/dropin/openfhe_bench/hexl-paper.cpp``."""
Samples = Mapping[str, Sequence[float]]


def convert(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the output of ``scripts/dropin --json`` as results; return other data unchanged."""
    if "benchmarks" not in told:
        return told
    machine, _, date = described().rpartition(", ")
    command = "python scripts/dropin … --only seal --only openfhe --json FILE"
    return {"machine": machine, "date": date, "command": command, "series": [*_series(told["benchmarks"])]}


def _series(benchmarks: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the series of Table 5 and of Table 6, if the output has their rows."""
    rows = {each["row"]: each["microseconds"] for each in benchmarks}
    seal = {title: by for row, by in rows.items() for end, title in SEAL.items() if row.endswith(f" / {end}")}
    seal |= {title: _sum(*(seal[part] for part in parts)) for title, parts in SUMS.items() if {*parts} <= {*seal}}
    openfhe = {row.removeprefix(MARK): by for row, by in rows.items() if row.startswith(MARK)}
    for exhibit, (titles, found) in {
        "table-5": (("SEAL 4.4.3", "SEAL"), seal), "table-6": (("OpenFHE 1.5.1", "OpenFHE"), openfhe),
    }.items():  # fmt: skip
        yield from _table(exhibit, titles, found)


def _sum(one: Samples, two: Samples) -> Samples:
    return {variant: [a + b for a, b in zip(one[variant], two[variant], strict=True)] for variant in one}


def _table(exhibit: str, titles: tuple[str, str], found: Mapping[str, Samples]) -> Iterator[dict[str, Any]]:
    """Yield medians and speed-ups; a speed-up is a range from the least to the largest of all rounds."""
    for name, variant in VARIANTS.items():
        times = {row: round(median(by[variant]), 3) for row, by in found.items() if variant in by}
        yield from _entry(exhibit, name.format(titles[0]), "µs", times)
    for name, (slow, fast) in RATIOS.items():
        both = {row: by for row, by in found.items() if {slow, fast} <= {*by}}
        speeds = {row: _range(by[slow], by[fast]) for row, by in both.items()}
        yield from _entry(exhibit, name.format(*titles), "×", speeds)


def _range(slow: Sequence[float], fast: Sequence[float]) -> list[float]:
    """Return the least and the largest speed-up in one round."""
    ratios = sorted(round(a / b, 3) for a, b in zip(slow, fast, strict=True))
    return [ratios[0], ratios[-1]]


def _entry(exhibit: str, what: str, unit: str, points: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if points:
        yield {"exhibit": exhibit, "what": what, "unit": unit, "at": [*points], "values": [*points.values()]}
