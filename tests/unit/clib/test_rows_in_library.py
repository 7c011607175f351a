"""Kernels on the rows of an RNS basis in libraries: requests, known answers, names, and the one line that refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

import pytest

import momagen as mg
from momagen.clib.known_answers import FILLS, Answer, digest, made
from momagen.clib.request import parse, wish
from momagen.clib.rows_answers import ARITH, LENGTH, moduli_of, rows_answers
from momagen.errors import MomagenError
from momagen.kinds.rns.basis import RowsSpec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.kinds.rns.keyswitch import KeySwitchSpec
from momagen.kinds.rns.moddown import ModDownSpec
from momagen.kinds.rns.rescale import RescaleSpec
from momagen.targets import load_target

BASES = "moduli=3,modulus_bits=50"
KERNELS = [
    f"rescale:{BASES}", f"keyswitch:{BASES},input_factor=4,outputs=3,digits=2", f"convert:{BASES},to=2",
    f"convert:{BASES},to=2,method=corrected,positive", f"convert:{BASES},to=2,method=fast,name=fast",
    f"convert:{BASES},to=2,method=shenoy-kumaresan,name=redundant",
    f"convert:{BASES},to=2,method=montgomery,positive", f"convert:{BASES},to=1,method=corrected,scaled",
]  # fmt: skip
NAMES = ["rescale3_50b", "keyswitch3_50b_3outputs_below4q", "convert3to2_50b", "convert3to2_50b_corrected_positive",
         "fast", "redundant", "convert3to2_50b_montgomery_positive", "convert3to1_50b_corrected_scaled"]  # fmt: skip


def asked(kernel: str | dict[str, object]) -> RowsSpec:
    spec = wish("a", "1.0.0", None, [kernel]).kernels[0].spec
    assert isinstance(spec, ConversionSpec | RescaleSpec | KeySwitchSpec | ModDownSpec)
    return spec


@pytest.mark.parametrize("kernel", [
    *KERNELS, f"moddown:{BASES},drop=2,plaintext_modulus=65537", f"moddown:{BASES},method=fast",
    f"moddown:{BASES},drop=2,scale=65537",
])  # fmt: skip
def test_texts_and_tables_ask_for_what_python_makes(kernel: str) -> None:
    row = {**parse(kernel)}
    name, kind = row.pop("name", None), row.pop("kind")
    numbers = {key: int(value) if str(value).isdigit() else value for key, value in row.items()}
    assert asked(kernel) == asked({**numbers, "kind": kind}) == getattr(mg, str(kind))(**numbers).spec
    assert name in (None, *NAMES)


def test_names_are_those_of_files_without_the_target() -> None:
    assert [kernel.name for kernel in wish("a", "1.0.0", None, KERNELS).kernels] == NAMES


def test_a_list_of_moduli() -> None:
    spec = asked({"kind": "convert", "moduli": ["2^31-1", 97], "to": [64], "method": "fast", "positive": "no"})
    assert spec == ConversionSpec((2**31 - 1, 97), (64,), load_target("c"), "fast")


REFUSED: dict[str, tuple[Sequence[str | dict[str, object]], dict[str, object], str]] = {
    "a key of another kind": (
        [f"rescale:{BASES},outputs=2"], {},
        f"kernel rescale:{BASES},outputs=2, keys: expected only the keys of rescale: moduli, rounding, modulus_bits",
    ),
    "a key with a slip": (
        [f"keyswitch:{BASES},output=2"], {}, f"kernel keyswitch:{BASES},output=2, keys: did you mean outputs? Expected",
    ),
    "a switch of another kind": (
        [f"convert:{BASES},to=2,inverse"], {}, f"kernel convert:{BASES},to=2,inverse: expected KEY=VALUE, or one of",
    ),
    "a switch of conversions": (
        ["vadd:bits=64,positive"], {}, "kernel vadd:bits=64,positive: expected KEY=VALUE, got positive",
    ),
    "no moduli": (["rescale"], {}, "kernel rescale, moduli: `moduli` is missing; specify `moduli`"),
    "no target moduli": ([f"convert:{BASES}"], {}, f"kernel convert:{BASES}, to: `to` is missing"),
    "no width": (["rescale:moduli=3"], {}, "kernel rescale:moduli=3, moduli: `moduli` is a number of primes"),
    "one modulus": (["rescale:moduli=1,modulus_bits=50"], {},
                    "kernel rescale:moduli=1,modulus_bits=50, moduli: expected at least two moduli, got 1"),
    "another method": ([f"convert:{BASES},to=2,method=quick"], {},
                       f"kernel convert:{BASES},to=2,method=quick, method: expected one of exact, corrected, "),
    "neither yes nor no": ([f"convert:{BASES},to=2,positive=2"], {},
                           f"kernel convert:{BASES},to=2,positive=2, positive: expected yes or no, got 2"),
    "positive without need": ([f"convert:{BASES},to=2,method=fast,positive"], {},
                              f"kernel convert:{BASES},to=2,method=fast,positive, positive: `positive=True` cannot"),
    "threads": ([f"rescale:{BASES},threads=2"], {}, f"kernel rescale:{BASES},threads=2, threads: a library"),
    "too many outputs": ([f"keyswitch:{BASES},outputs=5"], {},
                         f"kernel keyswitch:{BASES},outputs=5, outputs: expected from 1 to 4, got 5"),
    "a layout of short words": ([{"kind": "rescale", "moduli": [97, 193], "name": "a"}], {"layout": "u32"},
                                "kernel a, target: expected a target in C with words of 64 bits, or a target in CUDA"),
    "a GPU": ([f"rescale:{BASES},name=a"], {"targets": ["c", "cuda"]},
              "kernel a, targets: the kernel is not available on cuda; give it targets in C, with targets = ["),
    "an extension on a GPU": (["lde:n=8,blowup=2,bits=64,name=a"], {"targets": ["c", "cuda"]},
                              "kernel a, targets: the kernel is not available on cuda; give it targets in C, with"),
    "no extension": (["lde:n=8,bits=64"], {}, "kernel lde:n=8,bits=64, blowup: `blowup` is missing; specify `blowup`"),
    "one name twice": (KERNELS[:1] * 2, {}, "kernels: two kernels have the name rescale3_50b; rename one with name=…"),
    "the name of another's variant": (
        [f"rescale:{BASES},name=a", f"keyswitch:{BASES},name=a_c"], {"targets": ["c"]},
        "kernels: the name a_c of a kernel is also the name of a file that the library needs; rename the kernel with",
    ),
    "a constant of another kernel": (
        ["ntt:n=any,max_n=8,bits=64,name=a", "ntt:n=4,bits=64,name=a_max"], {"targets": ["c"]},
        "kernels: two kernels have a constant with the same name, LIB_A_MAX_N; rename one with name=…",
    ),
    "an unknown kind": (["rescal:moduli=3"], {}, "kernel rescal:moduli=3, kernel: did you mean rescale? Expected one"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_one_line_refuses(case: str) -> None:
    kernels, more, message = REFUSED[case]
    with pytest.raises(MomagenError) as caught:
        mg.library("lib", kernels, **more)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


def test_a_kernel_with_targets_of_its_own_stands_beside_one_for_gpus(tmp_path: Path) -> None:
    row = {**parse(KERNELS[0]), "targets": ["c"]}
    found = mg.library("lib", [row, "vadd:bits=64"], targets=["c", "c64", "cuda"])
    assert [each.name for each in found.gpus] == ["vadd_60b"]
    assert [variant.name for variant in found.members[0].variants] == ["c"]
    (tmp_path / "lib.toml").write_text(found.files["lib.toml"], encoding="utf-8")
    assert mg.library(tmp_path / "lib.toml").files == found.files


def test_a_description_keeps_every_key(tmp_path: Path) -> None:
    """Also the coset of a transform, and all of an extension."""
    more = ["lde:n=8,blowup=4,coset=7,columns=3,bits=64,input_order=bitrev,order=natural", "ntt:n=8,coset=5,bits=64"]
    found = mg.library("lib", [*KERNELS, *more], targets=["c"])
    (tmp_path / "lib.toml").write_text(found.files["lib.toml"], encoding="utf-8")
    again = mg.library(tmp_path / "lib.toml")
    assert again.files == found.files
    assert [member.name for member in again.members[: len(NAMES)]] == NAMES


def test_a_variant_is_the_kernel_that_stands_alone_and_its_parts() -> None:
    member = mg.library("lib", [f"rescale:{BASES},name=divide"], targets=["c64"]).members[0]
    (source,), alone = member.sources, mg.rescale(3, modulus_bits=50, target="c64").generated
    part = source.source.partition("int lib_divide_c64_part(")[2].partition("}\n\n")
    assert "return run_part(plan, z, z_rows, x, x_rows, n, part, parts);" in part[0]
    rest = source.source.replace(f"int lib_divide_c64_part({part[0]}{part[1]}", "")
    renamed = rest.replace(source.name, alone.name).replace(source.name.upper(), alone.name.upper())
    assert renamed.partition("*/")[2] == alone.source.partition("*/")[2]


def number(residues: Sequence[int], moduli: Sequence[int]) -> int:
    """The number from 0 to Q - 1 with these residues, digit by digit in mixed radices."""
    found, step = 0, 1
    for x, q in zip(residues, moduli, strict=True):
        found += (x - found) * pow(step, -1, q) % q * step
        step *= q
    return found


def right(spec: RowsSpec, column: Sequence[int], answer: Answer, got: list[int]) -> None:
    """Check the residues that are known of one column; -1 stands for an unknown one."""
    moduli, count = answer.moduli, len(spec.moduli)
    if isinstance(spec, KeySwitchSpec):
        d, k = column[: spec.digits * count], column[spec.digits * count :]
        values = [sum(d[j * count + i] * k[(j * spec.outputs + o) * count + i] for j in range(spec.digits)) % moduli[i]
                  for o in range(spec.outputs) for i in range(count)]  # fmt: skip
        accepted = [values]
    elif isinstance(spec, RescaleSpec):
        *others, d = moduli
        half = d // 2 if spec.rounding == "nearest" else 0
        accepted = [[(number(column, moduli) + half) // d % q for q in others]]
    else:
        first, goals = moduli[:count], moduli[count:]
        a, whole = number(column, first), prod(first)
        if spec.scaled:
            a = (2 * prod(goals) * a + whole) // (2 * whole)
        a -= whole * (spec.method != "fast" and not spec.positive and not spec.scaled and 2 * a > whole)
        multiples = range(count) if spec.method == "fast" else range(1)
        accepted = [[(a + u * whole) % p for p in goals] for u in multiples]
    assert any(all(x in (-1, y) for x, y in zip(got, values, strict=True)) for values in accepted)


FURTHER = ["rescale:moduli=2,modulus_bits=63", f"rescale:{BASES},rounding=floor", f"convert:{BASES},to=3,positive"]


@pytest.mark.parametrize("kernel", [*KERNELS, *FURTHER])
def test_known_answers_are_right(kernel: str) -> None:
    spec = asked(kernel)
    found = list(rows_answers(spec))
    assert {answer.fill for answer in found} >= {"RANDOM", "EXTREMES"}
    assert len({answer.moduli for answer in found}) == (2 if spec.bits < 63 else 1)
    for answer in found:
        assert len(answer.largest) == sum(map(len, spec.kind.tops(spec)))
        rows = [made(answer.fill, LENGTH, ARITH, top, answer.seed + at) for at, top in enumerate(answer.largest)]
        assert len(answer.outputs) >= 2
        for at in {place % LENGTH for place in answer.outputs}:
            got = [answer.outputs.get(row * LENGTH + at, -1) for row in range(len(spec.goals))]
            right(spec, [row[at] for row in rows], answer, got)
        assert (answer.digest != 0) == (answer.fill == "RANDOM")


def test_the_digest_is_that_of_all_rows() -> None:
    """Of a division by 3 of the numbers below 15: by the table of all of them."""
    spec = RescaleSpec((5, 3), load_target("c"))
    answer = next(rows_answers(spec))
    rows = [made(answer.fill, LENGTH, ARITH, q - 1, answer.seed + at) for at, q in enumerate(spec.moduli)]
    table = {(a % 5, a % 3): round(a / 3) % 5 for a in range(15)}
    assert answer.digest == digest([table[x, y] for x, y in zip(*rows, strict=True)], ARITH)


def test_columns_that_no_method_promises_are_not_known() -> None:
    """Near Q/2 the corrected method may be off by Q, and where numbers are positive below Q; the exact one is not."""
    spec = ConversionSpec((2**50 - 27, 2**50 - 29), (97,), load_target("c"), "corrected")
    unsure = [answer for answer in rows_answers(spec) if answer.fill == "EXTREMES"]
    fill = unsure[0]
    rows = [made(fill.fill, LENGTH, ARITH, top, fill.seed + at) for at, top in enumerate(fill.largest)]
    whole = prod(spec.moduli)
    near = [at for at in range(LENGTH) if abs(2 * number([row[at] for row in rows], spec.moduli) - whole) < whole >> 39]
    assert near and not {*near} & {place % LENGTH for place in fill.outputs}
    assert "LARGEST" not in {answer.fill for answer in rows_answers(replace(spec, positive=True))}
    exact = replace(spec, method="exact")
    assert [answer.fill for answer in rows_answers(exact)] == [*FILLS, "RANDOM"]
    assert moduli_of(exact) == (*exact.moduli, 97)


@pytest.mark.compiles
def test_python_verifies_and_says_what_was_emulated() -> None:
    made = mg.library("lib", [KERNELS[0], "lde:n=8,blowup=2,bits=64"], targets=["c", "avx512"])
    reports = made.verify()
    assert all(reports) and [report.kernel for report in reports] == [source.name for source in made.sources]
    emulated = [kernel.compiled.missing for kernel in made.kernels()]
    assert [report.emulated for report in reports] == emulated
