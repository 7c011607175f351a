"""Numbers that follow from other numbers of the paper, which show whether these agree, and momagen's parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log2, prod, sqrt
from typing import Any

from momagen.explain.counts.tpus import load_tpu
from momagen.he.parameters import preset
from momagen.papers.series import ResultSeries

from .energy import efficiencies
from .published import numbers, published
from .sweeps import needs
from .workloads import HeWorkload, workloads

SOURCE = "computed from the paper's own numbers: momagen paper cross"
OWN = "momagen's parameters and counts: momagen paper cross"
CORES = 8
"""The tensor cores of a v6e-8: one of them takes eight times the amortised latency."""
OPERATOR = {"plain": "add", "rescale two": "rescale"}
"""The operator whose latency is used instead, by operator that Table VIII lacks."""
Points = Mapping[Any, float]


def check_series() -> Iterator[ResultSeries]:
    """Yield all of these numbers."""
    yield from _rates()
    yield from _batches()
    yield from _efficiencies()
    yield from _operators()
    yield from _figures()
    yield from _parameters()
    yield from _workloads()


def _line(exhibit: str, what: str, points: Points, unit: str = "times", source: str = SOURCE) -> ResultSeries:
    return ResultSeries(what, unit, points, exhibit, source)


def _rates() -> Iterator[ResultSeries]:
    """Yield ratios of Table VII, and the throughputs of FPGAs that the text implies."""
    table = numbers()["table-7"]
    ours, best = table["v6e-8"], "2^12"
    rivals = {"WarpDrive": "WarpDrive (A100)", "TensorFHE+": "TensorFHE+ (A100)"}
    for name, machine in rivals.items():
        ratio = ours[best] / table[machine][best]
        yield _line("text-abstract", f"v6e-8 over {name}, by Table VII", {"NTT throughput": ratio})
    at = {machine: ours[best] / table[machine][best] for machine in rivals.values()}
    yield _line("figure-11a-others", "v6e-8 over the library, by Table VII", at)
    machines = {"TPUv4": "v4-4", "TPUv5e": "v5e-4", "TPUv5p": "v5p-4", "TPUv6e": "v6e-8"}
    for row in published()["table7"]["row"]:
        rates = {name: row["thousands"][machine] for name, machine in machines.items()}
        over = {name: rate / row["thousands"][rivals["TensorFHE+"]] for name, rate in rates.items()}
        yield _line("figure-11a", f"Set {row['name']}, by Table VII", over)
    gains = numbers()["figure-11a-others"]["CROSS, v6e-8 over the FPGA, at most"]
    implied = {name: ours[best] / gain for name, gain in gains.items()}
    yield _line("figure-11a-others", "implied throughput, by Table VII", implied, "thousand transforms/s")


def _batches() -> Iterator[ResultSeries]:
    """Yield the largest values of Figure 11b."""
    lines = {name: numbers()["figure-11b"][f"CROSS, Set {name}"] for name in "ABC"}
    best: dict[str, Any] = {name: max(points, key=lambda at: points[at]) for name, points in lines.items()}
    yield _line("text-batch", "largest of Figure 11b", {name: points[best[name]] for name, points in lines.items()})
    yield _line("text-batch", "batch of the largest of Figure 11b", best, "transforms")


def _efficiencies() -> Iterator[ResultSeries]:
    """Yield ratios of the latencies of Table VIII."""
    table = published()["table8"]
    every = [(row["library"], numbers()[row["exhibit"]], f"{row['library']} ({row['device']})", row["matched"])
             for row in table["row"]]  # fmt: skip
    own = table["row"][-1]
    every.append(("CraterLake", numbers()[own["exhibit"]], "CraterLake (ASIC)", own["matched"]))
    for name, points, what, matched in every:
        cross = points[f"CROSS, {matched}"]
        found = {head: value / cross[head] for head, value in points[what].items()}
        yield _line("table-8-efficiency", f"latency of {name} over CROSS, by Table VIII", found)
    found = {row["library"]: row for row in efficiencies()}
    both = {name: row["latencies"] for name, row in found.items() if row["stated"]}
    yield _line("text-efficiency", "HE-Mult and Rotate together, by Table VIII", both)
    watts = {name: row["watts"] for name, row in found.items() if row["stated"] and row["watts"]}
    yield _line("text-efficiency", "corrected by the watts of Figure 5", watts)


def _operators() -> Iterator[ResultSeries]:
    """Yield what Tables VIII and IX say to statements of the text."""
    own, asic = numbers()["table-8-openfhe"], numbers()["table-8-basalisc"]
    heads = ("HE-Mult", "Rotate")
    cpu = {head: own["OpenFHE (9950X3D)"][head] / own["CROSS, 9950X3D"][head] for head in heads}
    yield _line("text-operators", "9950X3D over OpenFHE, by Table VIII", cpu)
    yield _line("text-operators", "moduli, 65 over 53", {"switching key": 65 / 53})
    gaps = {name: {head: points["CROSS, v6e-4"][head] / points[f"{name} (ASIC)"][head] for head in heads}
            for name, points in (("BASALISC", asic), ("CraterLake", own))}  # fmt: skip
    for name, gap in gaps.items():
        yield _line("text-operators", f"latency over that of {name}, by Table VIII", gap)
    every = [value for gap in gaps.values() for value in gap.values()]
    ends = {"least": min(every), "most": max(every)}
    yield _line("text-abstract", "latency over that of an ASIC, by Table VIII", ends)
    times = {**numbers()["table-9"]["other libraries"], **numbers()["table-9"]["CROSS"]}
    ratios = {name: value / times["v6e-8"] for name, value in times.items() if name != "v6e-8"}
    yield _line("table-9", "time over that of the v6e-8", ratios)
    slower = {**gaps["CraterLake"], "bootstrapping": 1 / ratios["CraterLake"]}
    yield _line("text-gap", "time over that of CraterLake, by Tables VIII and IX", slower)
    yield _line("text-gap", "√N over log2 N", {"2^16": sqrt(1 << 16) / 16})


def _figures() -> Iterator[ResultSeries]:
    """Yield sums of Figure 12 and the mean of Figure 13a."""
    bars = {name: numbers()["figure-12"][f"CROSS, {name}"] for name in ("HE-Mult", "Rotate")}
    kinds = {"matrix products": ("NTT", "INTT", "BConv"), "vector operations": ("VecModOps",),
             "permutations": ("Permutation",),
             "changes of layout and of type": ("Copy+Reshape", "Permutation", "Type Conversion")}  # fmt: skip
    for what, parts in kinds.items():
        sums = {name: sum(points[part] for part in parts) for name, points in bars.items()}
        yield _line("text-figure-12", f"{what}, by Figure 12", sums, "percent")
    times = numbers()["figure-13a"]
    ratios = [times["CROSS, barrett"][at] / value for at, value in times["CROSS, montgomery"].items()]
    mean = prod(ratios) ** (1 / len(ratios))
    yield _line("figure-13a", "geometric mean of Figure 13a", {"all batches": mean})


def _parameters() -> Iterator[ResultSeries]:
    """Yield the presets, the data of TPUs, and the matrix of a product of two numbers."""
    sets = {name: preset(name) for name in "ABCD"}
    yield _line("table-4", "preset, log2 Q", {name: p.log_q for name, p in sets.items()}, "bits", OWN)
    yield _line("table-4", "preset, log2 N", {name: log2(p.degree) for name, p in sets.items()}, "", OWN)
    yield _line("table-4", "preset, limbs", {name: p.limbs for name, p in sets.items()}, "", OWN)
    tpus = {name: load_tpu(name) for name in ("v4", "v5e", "v5p", "v6e")}
    compute = {name: tpu.bf16_tops * 1e3 / tpu.cores for name, tpu in tpus.items()}
    yield _line("table-4", "tpus.toml, bfloat16 of one tensor core", compute, "GFLOP/s", OWN)
    memory = {name: tpu.memory_gb_s * 1e9 / 2**30 / tpu.cores for name, tpu in tpus.items()}
    yield _line("table-4", "tpus.toml, memory of one tensor core", memory, "GiB/s", OWN)
    dense, sparse = (needs.product(16, 16, 16, each) for each in (False, True))
    assert dense and sparse
    entries = {name: sum(found["byte_macs"].values()) / 16**3 for name, found in (("dense", dense), ("sparse", sparse))}
    zeros = 100 * (1 - entries["dense"] / entries["sparse"])
    yield _line("text-bat", "sparse matrix of momagen", {"percent": zeros}, "percent", OWN)
    rows = {name: entries[name] / 4 for name in ("sparse", "dense")}
    yield _line("text-bat", "rows of momagen", rows, "rows", OWN)
    yield _line("text-bat", "entries, sparse over dense", {"times": entries["sparse"] / entries["dense"]}, source=OWN)


def _workloads() -> Iterator[ResultSeries]:
    """Yield MNIST and HELR by our counts of operators and the latencies of Table VIII."""
    for name, at, row, cores in (("mnist", "one image", 3, 1), ("helr", "one iteration", -1, CORES)):
        total = {at: cores * _at_latencies(workloads()[name], row)}
        yield _line(f"text-{name}", "momagen’s counts at the latencies of Table VIII", total, "ms")


def _at_latencies(work: HeWorkload, at: int) -> float:
    """Return the amortised milliseconds on a v6e-8: limbs of all calls, times the latency per limb of a table row.

    On a v6e-8, the latencies of Table VIII at N = 2^16 are proportional to the number of limbs within 20 %.
    """
    table = published()["table8"]
    row = table["row"][at]
    latency = dict(zip(table["operators"], row["cross"]["v6e-8"], strict=True))
    spent = (float(limbs) * latency[OPERATOR.get(name, name)] / row["limbs"] for name, limbs in work.limbs.items())
    return float(sum(spent)) / 1e3
