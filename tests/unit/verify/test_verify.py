"""A corrupted kernel is reported, and an intact one is not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

import momagen as mg
from momagen.kinds.modular.lists import ANY_MODULUS
from momagen.verify import Report

pytestmark = pytest.mark.compiles

NTT: dict[str, Any] = {"n": 64, "bits": 128}


def mutated(kernel: mg.Kernel, pattern: str, replacement: str) -> mg.Kernel:
    """``kernel`` with the last match of ``pattern`` in its C text replaced."""
    matches = [*re.finditer(pattern, kernel.source)]
    assert matches, f"nothing to corrupt: {pattern}"
    match = matches[-1]
    text = kernel.source[: match.start()] + match.expand(replacement) + kernel.source[match.end() :]
    return mg.Kernel(replace(kernel.generated, source=text))


def demand_caught(kernel: mg.Kernel, pattern: str, replacement: str) -> Report:
    report = mutated(kernel, pattern, replacement).verify()
    assert not report.ok
    assert report.mismatch is not None and report.mismatch.expected != report.mismatch.got
    assert "FAIL" in str(report) and report.to_dict()["ok"] is False
    return report


CORRUPTIONS = {
    "a sum for a difference": (r"mg_sub2\((&t\d+, t\d+, t\d+)", r"mg_add2(\1"),
    "no final subtraction": (
        r"mg_reduce2\(&(t\d+), (t\d+), \w+, &(t\d+), (t\d+), \w+\);\n(?=\s+y0)", r"\1 = \2, \3 = \4;\n",
    ),
    "always a final subtraction": (r"mg_reduce2(?=\([^;]*;\n\s+y0)", "mg_sub2"),
    "another twiddle": (r"= tw\[4\]", "= tw[0]"),
    "a lost low product": (r"\* u3_0\)", "* u3_1)"),
    "results swapped": (r"(y0\[0\]) = (t\d+);", r"\1 = \2 ^ 1;"),
    "powers out of place": (r"powers \+ half \* 2, c", "powers + half / 2 * 2, c"),
    "a stage left out": (r"    pass_1\(y, y[^;]*;\n", ""),
    "one batch only": (r"b < batch;", "b < 1;"),
    "input overwritten": (r"(    transform\(y, x, [^;]*;)", r"\1 ((uint64_t *)x)[0] ^= 1;"),
    "memory beyond the end": (r"(    transform\(y, x, [^;]*;)", r"\1 y[128] = 0;"),
}  # fmt: skip


@pytest.mark.parametrize("what", CORRUPTIONS)
def test_corrupted_transform(what: str) -> None:
    report = demand_caught(mg.ntt(**NTT), *CORRUPTIONS[what])
    how = {"input overwritten": "input 0 kept", "memory beyond the end": "memory beside the output"}
    assert report.mismatch and report.mismatch.method == how.get(what, "definition")


def test_corrupted_larger_transform() -> None:
    """Where not every output is compared, one wrong word in one place is still seen."""
    kernel = mg.ntt(8192, bits=64)
    report = demand_caught(kernel, r"(    transform\(y, x[^;]*;\n)", r"\1    y[5555] ^= 1;\n")
    assert report.mismatch and report.mismatch.method == "inverse∘forward"


def test_wrong_inverse_transform() -> None:
    demand_caught(mg.ntt(64, bits=128, inverse=True), r"fill_tables\((.*), scale, c\);", r"fill_tables(\1, one, c);")


def test_wrong_only_for_another_modulus() -> None:
    """A build that is right for its own modulus alone."""
    kernel = mg.ntt(**NTT)
    own = hex(kernel.modulus & (2**64 - 1))
    report = demand_caught(kernel, r"const uint64_t t1 = ([^;]*);", rf"const uint64_t t1 = (\1) ^ (q_0 != {own}u);")
    assert report.mismatch and int(report.mismatch.modulus, 16) != kernel.modulus


def test_refused_modulus() -> None:
    report = demand_caught(mg.ntt(**NTT), r"return \(q\[0\] & 1\)", "return 0 && (q[0] & 1)")
    assert report.mismatch and (report.mismatch.method, report.mismatch.got) == ("create", "BAD_MODULUS")


@pytest.mark.parametrize(
    "make",
    [lambda: mg.ntt(8, bits=64, bake="yes"), lambda: mg.polymul(8, bits=128, bake="yes"),
     lambda: mg.blas("vmul", bits=64, bake="yes"), lambda: mg.blas("axpy", bits=128, target="c64", bake="yes")],
)  # fmt: skip
def test_a_baked_modulus_alone(make: Callable[[], mg.Kernel]) -> None:
    """The build serves no other: that is no mistake of the kernel's."""
    kernel = make()
    report = kernel.verify()
    assert report.ok, report
    assert report.moduli == (kernel.modulus,)


@pytest.mark.parametrize("kind", ANY_MODULUS)
def test_corrupted_blas(kind: str) -> None:
    kernel = mg.blas(kind, bits=128)
    demand_caught(kernel, r"z\[1\] = (t\d+);", r"z[1] = \1 & 0x7ffffffffffffff;")
    demand_caught(kernel, r"i < n;", "i + 1 < n;")


def test_corrupted_polymul() -> None:
    demand_caught(mg.polymul(64, bits=128), r"y0\[1\] = (t\d+);", r"y0[1] = \1 ^ 1;")
    demand_caught(mg.polymul(64, bits=128), r"b < batch;", "b < 1;")


def test_wrong_comparison() -> None:
    """> for ≥, and a bound that is never looked at, are seen by the edge residues."""
    for kind in ("cmpadd", "cmpsub"):
        strict, loose = (mg.blas(kind, bits=128, cmp=cmp) for cmp in ("nle", "nlt"))
        swapped = loose.source.replace(loose.name, strict.name).replace(loose.name.upper(), strict.name.upper())
        report = mg.Kernel(replace(strict.generated, source=swapped)).verify()
        assert not report.ok and report.mismatch and "bound = " in report.mismatch.vector
        demand_caught(strict, r"memcpy\(numbers \+ \d+, bound, [^;]*;", "memset(numbers, 0, 0);")


def relabelled(kernel: mg.Kernel, **factors: int) -> mg.Kernel:
    """``kernel`` with the promise of other ranges."""
    spec = replace(kernel.spec, options=replace(kernel.spec.options, **factors))
    return mg.Kernel(replace(kernel.generated, spec=spec))


MADE: list[Callable[..., mg.Kernel]] = [
    partial(mg.ntt, 64, bits=128), partial(mg.ntt, 64, bits=128, inverse=True), partial(mg.polymul, 16, bits=128),
    partial(mg.blas, "vmul", bits=128), partial(mg.blas, "vadd", bits=128), partial(mg.blas, "reduce", bits=128),
]  # fmt: skip


@pytest.mark.parametrize("make", MADE)
def test_results_beyond_their_range(make: Callable[..., mg.Kernel]) -> None:
    """A kernel that leaves 4q is wrong where q is promised, though congruent."""
    kernel = make(output_factor=4)
    assert kernel.verify().ok and not relabelled(kernel, output_factor=1).verify().ok


@pytest.mark.parametrize("kind", ["vadd", "vsub", "vmul", "vneg", "vadds", "axpy", "reduce", "cmpsub"])
def test_inputs_up_to_their_range(kind: str) -> None:
    """A kernel made for inputs below q is tried with 8q where that is promised. (Transforms bear it: they are lazy.)"""
    kernel = mg.blas(kind, bits=128, input_factor=1)
    assert kernel.verify().ok and not relabelled(kernel, input_factor=8).verify().ok


def test_report() -> None:
    parts: list[float] = []
    report = mg.ntt(1024, bits=64).verify(progress=lambda part, what: parts.append(part))
    assert report.ok and report.mismatch is None
    assert parts[0] == 0 and parts[-1] == 1 and parts == sorted(parts)
    assert {"all 0", "all q - 1", "words of all ones", "a single 1 at 0"} <= set(report.edges)
    assert set(report.methods) == {"definition", "in place", "inverse∘forward", "convolution theorem"}
    assert len(report.moduli) == 4 and report.emulated == () and report.elapsed > 0
    assert report.vectors > len(report.edges) and report.values == sum(report.methods.values())
    back = json.loads(json.dumps(report.to_dict()))
    assert back["ok"] and back["moduli"] == [hex(q) for q in report.moduli]
    assert str(report).startswith("ntt1024_60b_c: PASS: ")


def test_same_seed_same_report() -> None:
    kernel = mg.ntt(64, bits=64)
    first, again = kernel.verify(seed=7), kernel.verify(seed=7)
    assert (first.vectors, first.methods, first.moduli) == (again.vectors, again.methods, again.moduli)


def test_a_page_says_why_machine_code_fails() -> None:
    found = Report("k", 1, (), {}, (7,), (), 0.0, branches=2, compiler="cc 1")
    assert "2 conditional jumps depend on data: compiled by cc 1, its time may reveal secrets" in found._repr_html_()
    assert "conditional jump" not in replace(found, branches=0)._repr_html_()
