"""Count the vector instructions of the kernels under the replacement for HEXL, and keep the table of docs/hexl.md.

``python scripts/count_hexl.py`` prints, for every class of ``templates/hexl/kernels.toml`` on AVX-512 IFMA, what the
compiled loop does per vector of eight elements or butterflies: the instructions that the formulas predict, those that
the loop has, those for moduli that are shorter than the class, and the cycles that two ports for 512-bit vectors need.
It needs gcc and objdump, but no CPU with IFMA; ``--write`` writes the table to the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from page_table import print_or_write

from momagen.bench.x86.work import Work, work
from momagen.build import find_compiler
from momagen.data import folder
from momagen.emit import generate
from momagen.hexl.layer import CLASSED
from momagen.kernels.elementwise.products import digit_ranges, shoup_range
from momagen.kernels.residues.arith import Arith
from momagen.kernels.spec.make_spec import make_spec
from momagen.kernels.spec.spec import Spec
from momagen.packages.package import DESCRIPTION
from momagen.tables import read_toml

PAGE = Path(__file__).parents[1] / "docs" / "hexl.md"
TARGET, LANES, DIGIT = "avx512ifma", 8, 52
ELEMENTS, POINTS = 1536, 8192
MOST = 8
"""The largest factor of HEXL's functions."""
PORTS = 2
"""Execution ports for 512-bit vectors on Intel's server cores."""
SLOTS = {"low multiply": 3}
"""Uops of an instruction, where it is more than one: `vpmullq`."""
ELSEWHERE = ("vector load", "vector store")
"""Classes that other ports execute, and copies of registers, which none does."""
Row = dict[str, object]


def rows() -> Iterator[Row]:
    """The classes of kernels that depend on the modulus, in their order."""
    found = read_toml(folder("templates") / "hexl" / DESCRIPTION, "kernels", DESCRIPTION)["kernel"]
    assert isinstance(found, list)
    yield from (row for row in found if row["kind"] in (*CLASSED, "ntt"))


def described(row: Row, missing: int = 0) -> Spec:
    """Return the kernel of a row, for a modulus that is ``missing`` bits shorter than the class."""
    bits = int(str(row["modulus_bits"]))
    options = {key: str(row[key]) for key in ("input_factor", "reduction") if key in row}
    given: Row = {"modulus": (1 << bits - missing) - 1, "serves": bits} if missing else {"modulus_bits": bits}
    if row["kind"] == "ntt":
        given |= {"n": POINTS, "negacyclic": True, "inverse": bool(row.get("inverse"))}
    return make_spec(str(row["kind"]), target=TARGET, options=options, **given)  # type: ignore[arg-type]


def counted(row: Row, missing: int = 0) -> Work:
    """Return what the compiled kernel does per element or butterfly, for a modulus as for :func:`described`."""
    spec = described(row, missing)
    return work(generate(spec), find_compiler(), 1 if spec.n else ELEMENTS)


def counted_if_shorter(row: Row) -> float:
    """Return the uops per vector for a shorter modulus; only products distinguish lengths, where plans shift moduli."""
    return uops(counted(row, int(described(row).shifts)))


def uops(done: Work) -> float:
    """The uops of the ports for vectors, per vector."""
    vector = {use: count for use, count in done.uses.items() if use[1] == "zmm" and use[0] not in ELSEWHERE}
    return LANES * sum(count * SLOTS.get(name, 1) for (name, _), count in vector.items())


def factor(row: Row) -> int:
    """Return m for operands below m·q; 0: any word."""
    taken = row.get("input_factor", 1)
    return 0 if taken == "any" else int(str(taken))


def predicted(row: Row) -> int | None:
    """Uops per vector by the formulas: where an operand fits a digit, and the reductions that make it fit; None for
    products of two digits and for transforms."""
    kind, bits, taken = row["kind"], int(str(row["modulus_bits"])), factor(row)
    log = (taken - 1).bit_length()
    match kind:
        case "vmul" if ranges := digit_ranges(bits, DIGIT, taken):
            # two for the quotient of y, one for that of x·y, two low products, the mask, one conditional subtraction
            return 8 + ranges.cost(log)
        case "scal" if bits < DIGIT:
            # a quotient, two low products, the mask, one conditional subtraction, and those that make x fit
            return 6 + 2 * max(0, bits + log - DIGIT)
        case "axpy" if most := shoup_range("axpy", Arith(bits), DIGIT, taken):
            # the same product without its subtraction, operands brought below most·q, a sum below (most + 2)·q
            return 4 + 4 * (log - most.bit_length() + 1) + 2 * (most + 1).bit_length()
        case "reduce" if taken:
            return 2 * log
        case "reduce" if bits < 64:
            # a shift, a quotient, a low product (and a mask, or three uops and a difference), a conditional subtraction
            return 6 if bits < DIGIT else 8
    return None


def table() -> Iterator[str]:
    """The lines of the table."""
    yield "| kernel | modulus below | operands below | predicted | counted | shorter moduli | cycles on two ports |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows():
        done, wanted, taken = uops(counted(row)), predicted(row), factor(row)
        below = f"{taken if taken > 1 else ''}q" if taken else "2^64"
        yield (
            f"| `{row['name']}` | 2^{row['modulus_bits']} | {below} | {'–' if wanted is None else wanted}"
            f" | {done:.1f} | {counted_if_shorter(row):.1f} | {done / PORTS:.1f} |"
        )


if __name__ == "__main__":
    print_or_write({"counts": table()}, PAGE, __doc__)
