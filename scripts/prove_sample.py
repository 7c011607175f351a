"""Try to prove kernels of random configurations: how many public functions are proven, and why the others are not.

``python scripts/prove_sample.py --count 100`` draws kinds, widths, sizes and targets at random. It proves each kernel
in a separate process with a time limit. Then it prints how many kernels are proven, by kind, target and width, and why
the other kernels are not proven.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from math import ceil
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # nothing needs to be installed

import momagen as mg  # noqa: E402

TARGETS = ("c", "c64", "c32", "avx2", "avx512", "avx512ifma", "cuda", "b512")
ELEMENTWISE = (
    "vadd", "vsub", "vneg", "vadds", "vsubs", "scal", "vmul", "vmuladd", "axpy", "reduce", "tomont", "frommont",
    "cmpadd", "cmpsub",
)  # fmt: skip
OTHERS = ("dot", "vinv", "polymul", "lde", "basemul", "convert", "rescale", "keyswitch")
GROUPS = {"element-wise": ELEMENTWISE, "ntt": ("ntt",), "others": OTHERS}
LONGEST = 1024
CLASSES = (31, 63, 127, 255, LONGEST)
"""The greatest widths of the classes of widths."""


def drawn(chance: random.Random) -> tuple[str, dict[str, Any]]:
    """Return a kind with parameters; a third of all are element-wise kernels, and a third transforms."""
    kind = chance.choice(GROUPS[chance.choice(list(GROUPS))])
    bits = int(2 ** chance.uniform(3, 10))
    given: dict[str, Any] = {"modulus_bits": bits, "target": chance.choice(TARGETS)}
    size = 1 << chance.randint(1, 10)
    ring = {"n": size, "negacyclic": chance.random() < 0.5}
    order = chance.choice(["bitrev", "natural"])
    shapes: dict[str, dict[str, Any]] = {
        "ntt": ring | {"inverse": chance.random() < 0.5, "order": order},
        "polymul": ring,
        "lde": {"n": size, "blowup": 2},
        "basemul": {"n": size, "depth": 2},
        "convert": {"moduli": 3, "to": 2},
        "rescale": {"moduli": 3},
        "keyswitch": {"moduli": 3},
    }
    return kind, given | shapes.get(kind, {})


def supported(
    count: int, seed: int, groups: Collection[str] = tuple(GROUPS), targets: Collection[str] = TARGETS
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield configurations of some groups and targets that momagen generates."""
    kinds = {kind for group in groups for kind in GROUPS[group]}
    chance = random.Random(seed)
    while count:
        kind, given = drawn(chance)
        target = given.pop("target")
        if kind in kinds and target in targets and mg.supports(kind, target=target, **given):
            count -= 1
            yield kind, {**given, "target": target}


def outcome(kernel: mg.Kernel, seconds: float) -> str:
    """Return why a kernel is not proven within a time of the processor, or an empty text."""
    with tempfile.TemporaryDirectory() as folder:
        kernel.save(folder)
        command = [sys.executable, "-m", "momagen", "prove", folder, "--json"]
        limit = ceil(seconds)
        ran = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=HERE.parent,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
        )
    if ran.returncode < 0:
        return f"not decided within {limit} s"
    if ran.returncode > 1:
        return ran.stderr.strip().splitlines()[-1]
    return json.loads(ran.stdout)[0]["problem"] or ""


def main() -> int:
    """Try the kernels and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500, help="the number of kernels (default: 500)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the random choices (default: 1)")
    parser.add_argument("--seconds", type=float, default=60.0, help="the processor time of a proof (default: 60)")
    parser.add_argument("--groups", nargs="+", choices=GROUPS, default=list(GROUPS), help="the kinds (default: all)")
    parser.add_argument("--targets", nargs="+", choices=TARGETS, default=TARGETS, help="the targets (default: all)")
    given = parser.parse_args()
    cells: dict[tuple[str, str, int], Counter[str]] = defaultdict(Counter)
    reasons = Counter[str]()
    for at, (kind, parameters) in enumerate(supported(given.count, given.seed, given.groups, given.targets), 1):
        try:
            kernel = mg.kernel(kind, **parameters)
        except mg.MomagenError as error:
            print(f"{at}: {kind} {parameters}: not generated: {error}", flush=True)
            continue
        problem = outcome(kernel, given.seconds)
        print(f"{at}: {kernel.name}: {problem or 'proven'}", flush=True)
        width = next(bits for bits in CLASSES if parameters["modulus_bits"] <= bits)
        group = "element-wise" if kind in ELEMENTWISE else kind
        cells[group, parameters["target"], width].update(["open" if problem else "proven"])
        if problem:
            reasons.update([re.sub(r" \[.*", "", problem)])
    print("\nkind, target, widths up to: proven of all")
    for (group, target, width), counts in sorted(cells.items()):
        print(f"{group:14} {target:11} {width:5}: {counts['proven']} of {counts.total()}")
    print("\nreasons")
    for reason, count in reasons.most_common():
        print(f"{count:4} {reason}")
    total = sum((counts for counts in cells.values()), Counter[str]())
    print(f"\nproven: {total['proven']} of {total.total()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
