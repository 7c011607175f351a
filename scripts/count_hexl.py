"""Count the vector instructions of the kernels that replace HEXL, and write the table of docs/guides/hexl.md.

``python scripts/count_hexl.py`` prints, for every class of ``templates/hexl/kernels.toml`` on AVX-512 IFMA, what the
compiled loop does per vector of eight elements or butterflies: the instructions that the formulas predict, those that
the loop has, those for moduli that are shorter than the class, and the cycles that two ports for 512-bit vectors need.
It needs gcc and objdump, but no CPU with IFMA; ``--write`` writes the table to the page.

``python scripts/count_hexl.py --hexl FOLDER`` counts instead the loops of HEXL's own functions in a checkout of HEXL
1.2.5, compiled by g++, beside the loops of our kernels for the same moduli, from 2^50 on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hexl_loops import HexlLoops
from machine_loops import ELSEWHERE, SLOTS
from page_table import arguments, deliver

from momagen.bench.x86.uops import Use
from momagen.bench.x86.work import Work, work
from momagen.data import folder
from momagen.emit import generate
from momagen.hexl.layer import CLASSED
from momagen.kernels.elementwise.products import adds_to_digit, digit_ranges, shoup_range
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.packages.package import DESCRIPTION
from momagen.runtime import find_compiler
from momagen.tables import read_toml

PAGE = Path(__file__).parents[1] / "docs" / "guides" / "hexl.md"
TARGET, LANES, DIGIT = "avx512ifma", 8, 52
ELEMENTS, POINTS = 1536, 8192
MOST = 8
"""The largest factor of HEXL's functions."""
PORTS = 2
"""Execution ports for 512-bit vectors on Intel's server cores."""
Row = dict[str, object]


def rows(others: Sequence[str] = ()) -> Iterator[Row]:
    """The classes of kernels that depend on the modulus, in their order, and the kernels of ``others`` kinds."""
    found = read_toml(folder("templates") / "hexl" / DESCRIPTION, "kernels", DESCRIPTION)["kernel"]
    assert isinstance(found, list)
    yield from (row for row in found if row["kind"] in (*CLASSED, "ntt", *others))


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
    return LANES * uops_of(done.uses)


def uops_of(uses: Mapping[Use, float]) -> float:
    """The uops of the ports for vectors."""
    vector = {use: count for use, count in uses.items() if use[1] == "zmm" and use[0] not in ELSEWHERE}
    return sum(count * SLOTS.get(name, 1) for (name, _), count in vector.items())


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
        case "axpy" if most := shoup_range(Arith(bits), DIGIT, taken):
            # the same product without its subtraction, the sum if it is one of words, and its reduction to below q
            added = not adds_to_digit(Arith(bits), DIGIT, taken)
            return 4 + 2 * (log - most.bit_length() + 1) + added + 2 * (taken + 1).bit_length()
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


class Peer(NamedTuple):
    """A function of HEXL beside the kernel that replaces it.

    Attributes:
        function: of HEXL. operands: their bound. bits: the bounds of moduli, 2^bits[0] <= q < 2^bits[1]. loop: the
            function of ``hexl_loops.cpp``, or the direction of a transform. kernel: the name of ours.
    """

    function: str
    operands: str
    bits: tuple[int, int]
    loop: str
    kernel: str


PEERS = (
    Peer("EltwiseMultMod, factor 1", "q", (50, 51), "mult", "mul51"),
    Peer("EltwiseMultMod, factor 1", "q", (51, 62), "mult", "mul63"),
    Peer("EltwiseMultMod, factor 4", "4q", (50, 51), "mult", "mul51x4"),
    Peer("EltwiseMultMod, factor 4", "4q", (51, 58), "mult", "mul60x4"),
    Peer("EltwiseMultMod, factor 4", "4q", (58, 61), "mult_4", "mul61x4"),
    Peer("EltwiseReduceMod", "2^64", (52, 62), "reduce_any", "reduce63"),
    Peer("EltwiseReduceMod, factor 2", "2q", (52, 62), "reduce_2", "reduce2"),
    Peer("EltwiseReduceMod, factor 4", "4q", (52, 62), "reduce_4", "reduce4"),
    Peer("EltwiseFMAMod without addend, factor 1", "q", (50, 51), "scale_52", "scal51"),
    Peer("EltwiseFMAMod without addend, factor 1", "q", (51, 61), "scale_64", "scal61x8"),
    Peer("EltwiseFMAMod without addend, factor 8", "8q", (51, 61), "scale_8_64", "scal61x8"),
    Peer("EltwiseFMAMod, factor 1", "q", (50, 51), "fma_52", "axpy51x2"),
    Peer("EltwiseFMAMod, factor 1", "q", (51, 61), "fma_64", "axpy61x8"),
    Peer("EltwiseFMAMod, factor 8", "8q", (50, 51), "fma_8_64", "axpy51x8"),
    Peer("EltwiseFMAMod, factor 8", "8q", (51, 61), "fma_8_64", "axpy61x8"),
    Peer("EltwiseAddMod", "q", (50, 62), "add_mod", "add63"),
    Peer("EltwiseSubMod", "q", (50, 62), "sub_mod", "sub63"),
    Peer("NTT::ComputeForward, factors 4 and 1", "4q", (50, 52), "forward", "forward52"),
    Peer("NTT::ComputeForward, factors 4 and 1", "4q", (52, 61), "forward", "forward61"),
    Peer("NTT::ComputeForward, factors 4 and 1", "4q", (61, 62), "forward", "forward62"),
    Peer("NTT::ComputeInverse, factors 2 and 1", "2q", (50, 52), "inverse", "inverse52"),
    Peer("NTT::ComputeInverse, factors 2 and 1", "2q", (52, 61), "inverse", "inverse61"),
    Peer("NTT::ComputeInverse, factors 2 and 1", "2q", (61, 62), "inverse", "inverse62"),
)
"""The functions that SEAL and OpenFHE call, by the ranges of moduli in which both libraries run the same loops."""


def peers(checkout: Path) -> Iterator[str]:
    """The lines of the table of HEXL's own loops, in a ``checkout`` of HEXL, beside ours."""
    loops, ours = HexlLoops(checkout, uops_of), {row["name"]: row for row in rows(("vadd", "vsub"))}
    yield "| function | operands below | moduli | HEXL | ours | HEXL / ours |"
    yield "|---|---|---|---|---|---|"
    for peer in PEERS:
        transforms = {"forward": loops.forward, "inverse": loops.inverse}
        theirs = transforms[peer.loop](POINTS) if peer.loop in transforms else loops.of(peer.loop)
        found = counted_if_shorter(ours[peer.kernel]) if peer.kernel in SHIFTING else uops(counted(ours[peer.kernel]))
        moduli = "2^{} to 2^{}".format(*peer.bits)
        yield f"| {peer.function} | {peer.operands} | {moduli} | {theirs:.1f} | {found:.1f} | {theirs / found:.2f} |"


SHIFTING = {"mul63", "mul60x4", "mul61x4"}
"""Kernels whose range in the table has moduli that are shorter than the class."""


if __name__ == "__main__":
    parser = arguments(__doc__, PAGE)
    parser.add_argument("--hexl", type=Path, metavar="FOLDER", help="count the loops of a checkout of HEXL")
    given = parser.parse_args()
    if given.hexl:
        deliver({"counts beside HEXL": peers(given.hexl)}, PAGE, given.write)
    else:
        deliver({"counts": table()}, PAGE, given.write)
