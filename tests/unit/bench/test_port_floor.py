"""The port floor: what an instruction keeps busy, how often a kernel runs it, and the bound that follows."""

from __future__ import annotations

import ctypes
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from momagen.bench.report.point import as_json
from momagen.bench.x86 import assembly, blocks, floor, issue
from momagen.bench.x86 import without_avx512 as blanked
from momagen.bench.x86.rates import Rates, read_rates, whole
from momagen.bench.x86.spills import spills
from momagen.bench.x86.uops import classes, groups, parse, uses
from momagen.bench.x86.work import Work, per_unit, work
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.runtime import Compiler, compile_shared, list_compilers, load, missing_features

pytestmark = pytest.mark.compiles

here = pytest.mark.skipif(
    bool(missing_features(["x86_64"])) or not assembly.disassembler() or not Path("/proc/self").exists(),
    reason="no x86-64 Linux with objdump",
)
each_compiler = pytest.mark.parametrize(
    "compiler", list_compilers(), ids=lambda compiler: " ".join(compiler.command[-2:])
)

# What an instruction keeps busy


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vpaddq %zmm1,%zmm2,%zmm3", {("vector", "zmm")}),
        ("vpaddq %ymm1, %ymm2, %ymm3", {("vector", "ymm")}),  # as LLVM prints it
        ("vpmuludq 0x40(%rsi){1to8},%zmm0,%zmm1", {("vector load", "zmm"), ("multiply", "zmm")}),
        ("vpmadd52luq (%rdi,%rax,8),%zmm0,%zmm1", {("vector load", "zmm"), ("multiply", "zmm")}),
        ("vpmullq %zmm1,%zmm2,%zmm3{%k1}{z}", {("low multiply", "zmm")}),
        ("vpsrlq $0x20,%zmm1,%zmm2", {("shift", "zmm")}),
        ("vpcmpltuq %zmm1,%zmm2,%k1", {("compare to mask", "zmm")}),
        ("vpcmpgtq %ymm1,%ymm2,%ymm3", {("compare", "ymm")}),
        ("vpminuq %zmm1,%zmm2,%zmm3", {("minimum", "zmm")}),
        ("vpermt2q %zmm1,%zmm2,%zmm3", {("shuffle", "zmm")}),
        ("vpbroadcastq %rax,%zmm1", {("shuffle", "zmm")}),
        ("vpbroadcastq 0x8(%rax),%zmm1", {("vector load", "zmm")}),
        ("vfmadd231pd %ymm1,%ymm2,%ymm3", {("float multiply", "ymm")}),
        ("vmovdqa64 %zmm1,%zmm2", set()),  # renamed
        ("vpxor %xmm1,%xmm1,%xmm1", set()),  # zeroed: renamed
        ("vpxord %zmm17,%zmm17,%zmm17", set()),
        ("vpxor %xmm1,%xmm2,%xmm2", {("vector", "xmm")}),
        ("vmovdqa64 %zmm1,%zmm2{%k1}", {("vector", "zmm")}),  # blended
        ("vmovdqu64 %zmm1,0x40(%rdi)", {("vector store", "zmm")}),
        ("vmovdqu64 0x40(%rdi),%zmm1", {("vector load", "zmm")}),
        ("korb %k1,%k2,%k3", {("mask", "zmm")}),
        ("mulx %rax,%rcx,%rdx", {("wide product", "r")}),
        ("mulq -0x58(%rsp)", {("load", "r"), ("wide product", "r")}),
        ("imul %rsi,%r12", {("product", "r")}),
        ("imul -0x50(%rsp),%r11", {("load", "r"), ("product", "r")}),
        ("adc $0x0,%r10", {("carry", "r")}),
        ("cmovb %r11,%rbx", {("on a flag", "r")}),
        ("shld $0x2,%rdx,%rcx", {("double shift", "r")}),
        ("sar $0x3f,%rax", {("scalar shift", "r")}),
        ("add %rax,0x8(%rdi)", {("load", "r"), ("store", "r"), ("scalar", "r")}),
        ("cmp %rax,0x8(%rdi)", {("load", "r"), ("scalar", "r")}),
        ("lea 0x8(%rdi,%rax,8),%rcx", {("scalar", "r")}),
        ("mov 0x8(%rdi),%rax", {("load", "r")}),
        ("mov %rax,0x8(%rdi)", {("store", "r")}),
        ("mov %rax,%rbx", set()),
        ("sete 0x8(%rdi)", {("store", "r"), ("on a flag", "r")}),
        ("data16 cs nopw 0x0(%rax,%rax,1)", set()),
        ("jne 11f0 <f+0x20>", set()),
        ("call 1200 <g>", set()),
        ("ret", set()),
    ],
)
def test_uses_of_an_instruction(text: str, expected: set[tuple[str, str]]) -> None:
    assert set(uses(text)) == expected and len(uses(text)) == len(expected)


def test_operands_and_prefixes() -> None:
    assert parse("bnd jmp 10") == ("jmp", ["10"])
    assert parse("vpaddq (%rdi,%rax,8),%zmm1,%zmm2  # 40 <x>") == ("vpaddq", ["(%rdi,%rax,8)", "%zmm1", "%zmm2"])


def test_every_sample_is_of_its_class() -> None:
    for row in classes().values():
        for registers in row.widths:
            if row.features(registers):
                sample = issue.lines([row.sample], registers)[0].split("; ")[-1]
                assert (row.name, registers) in uses(sample), sample
    assert all(name in classes() for group in groups() for name in group.classes)
    assert all(row.pool in ("", *classes()) for row in classes().values())


# What goes to the stack frame and back


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vmovups %zmm1,0x40(%rsp)", ("store",)),
        ("vmovdqu64 -0x38(%rsp), %zmm1", ("load",)),
        ("vpaddq (%rsp){1to8},%zmm2,%zmm3", ("load",)),
        ("mulx 0x10(%rsp),%rax,%rcx", ("load",)),
        ("adc %rax,0x10(%rsp)", ("load", "store")),
        ("mov %rax,-0x8(%rsp)", ("store",)),
        ("mov 0x8(%rsp,%rax,8),%rcx", ()),  # an array
        ("lea 0x8(%rsp),%rcx", ()),
        ("mov 0x8(%rdi),%rcx", ()),
        ("mov %rsp,%rbp", ()),
        ("ret", ()),
    ],
)
def test_spills_of_an_instruction(text: str, expected: tuple[str, ...]) -> None:
    assert spills(text) == expected


FRAMES = """
0000000000001000 <framed>:
    1000:	mov    %rsp,%rbp
    1003:	mov    -0x8(%rbp),%rax
    1007:	ret
0000000000001010 <free>:
    1010:	mov    0x8(%rbp),%rax
    1014:	ret
"""


def test_the_frames_register_has_one_name() -> None:
    found = {name: [spills(text) for block in blocks.blocks(body) for text in block.texts]
             for name, body in blocks.parse(FRAMES).items()}  # fmt: skip
    assert found == {"framed": [(), ("load",), ()], "free": [(), ()]}


# How often it runs

LISTING = """
0000000000001000 <f_execute>:
    1000:	incq   0x2e41(%rip)        # 4018 <marks>
    1007:	test   %r8,%r8
    100a:	je     1030 <f_execute+0x30>
    1010:	incq   0x2e29(%rip)        # 4020 <marks+0x8>
    1017:	mulx   (%rdx,%rcx,8),%r9,%r10
    101f:	mov    %r10,(%rdi,%rcx,8)
    1023:	inc    %rcx
    1026:	cmp    %rcx,%r8
    1029:	jne    1010 <f_execute+0x10>
    1030:	ret
"""


def test_blocks_of_a_listing() -> None:
    body = blocks.parse(LISTING)["f_execute"]
    assert [(block.texts, block.counters) for block in blocks.blocks(body)] == [
        (("test %r8,%r8", "je 1030 <f_execute+0x30>"), (0x4018,)),
        (("mulx (%rdx,%rcx,8),%r9,%r10", "mov %r10,(%rdi,%rcx,8)"), (0x4020,)),  # without what counts the rounds
        (("ret",), ()),
    ]
    llvm = LISTING.replace("# 40", "# 0x40")
    assert [block.counters for block in blocks.blocks(blocks.parse(llvm)["f_execute"])] == [(0x4018,), (0x4020,), ()]


KNOWN = f"""
#include <stddef.h>
#include <stdint.h>
void known_execute(uint64_t *z, const uint64_t *x, size_t n)
{{
    for (size_t i = 0; i < n; i++) {{ {blocks.MARK}
        z[i] = x[i] * x[i];
        for (size_t j = 0; j < i; j++) {{ {blocks.MARK}
            z[i] ^= (uint64_t)((unsigned __int128)x[j] * z[i] >> 64);
        }}
    }}
}}
"""


def loaded(text: str, compiler: Compiler) -> tuple[Any, blocks.Loaded]:
    """The function known_execute of a C file, and its library."""
    path = compile_shared(text, name="known", flags=["-std=gnu99", "-fno-tree-vectorize"], compiler=compiler)
    function = load(path)["known_execute"]
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    return function, blocks.Loaded.of(path, "known_execute", address)


@here
@each_compiler
def test_a_known_snippet_is_counted(compiler: Compiler) -> None:
    function, library = loaded(KNOWN, compiler)
    n = 40
    z, x = (ctypes.c_uint64 * n)(), (ctypes.c_uint64 * n)(*range(n))
    done = per_unit(blocks.by_text(blocks.executed(library, lambda: function(z, x, ctypes.c_size_t(n)))), 1).uses
    assert (done["product", "r"], done["wide product", "r"]) == (n, n * (n - 1) // 2)


@here
@each_compiler
@pytest.mark.parametrize("kind", ["vmul", "axpy", "vadd"])
def test_a_kernel_runs_the_products_of_its_codelet(kind: str, compiler: Compiler) -> None:
    source = generate(make_spec(kind, bits=128, target="c"))
    done = work(source, compiler, batch=100)
    products = sum(done.uses.get((name, "r"), 0) for name in ("product", "wide product"))
    assert products == sum(source.operations[name] for name in ("mul", "mulhi", "mullo"))


@here
@each_compiler
@pytest.mark.parametrize(("kind", "bits", "products"), [("axpy", 50, 3), ("vmul", 50, 5), ("vmul", 60, 15)])
def test_a_loop_that_asks_ahead_is_counted_whole(kind: str, bits: int, products: int, compiler: Compiler) -> None:
    """Its body is one block, before what only long vectors do."""
    source = generate(make_spec(kind, bits=bits + 4, target="avx512ifma"))
    assert work(source, compiler, batch=1024).uses["multiply", "zmm"] * 8 == products


@here
def test_a_transform_runs_all_its_butterflies() -> None:
    spec = make_spec("ntt", n=256, bits=64, target="avx512", options={"radix": "4"})
    uses = work(generate(spec), None, batch=1).uses  # where the CPU has no AVX-512, with that left out
    # a lazy Shoup product is one high product (three halves: its quotient is cut) and two low ones
    assert uses["low multiply", "zmm"] * 8 == pytest.approx(2, rel=0.05)
    assert uses["multiply", "zmm"] * 8 == pytest.approx(3, rel=0.05)


@here
@pytest.mark.thorough
def test_a_butterfly_after_a_loop_that_prefetches_is_counted() -> None:
    counts = [
        work(generate(make_spec("ntt", n=4096, bits=753, target="avx512ifma", options={"prefetch": prefetch})), None, 1)
        for prefetch in ("yes", "no")
    ]
    prefetching, plain = (each.uses["multiply", "zmm"] for each in counts)
    assert prefetching == plain > 0


SPILLING = f"""
#include <stddef.h>
void known_execute(size_t n)
{{
    for (size_t i = 0; i < n; i++) {{ {blocks.MARK}
        __asm__ volatile("lea -256(%%rsp), %%rsp\\n"
                         "vmovups %%xmm0, 0x40(%%rsp)\\n"
                         "mov 0x40(%%rsp), %%rax\\n"
                         "add %%rax, (%%rsp)\\n"
                         "lea 256(%%rsp), %%rsp\\n"
                         "xor %%eax, %%eax" ::: "rax", "memory");
    }}
}}
"""


@here
@each_compiler
def test_a_known_snippet_spills(compiler: Compiler) -> None:
    function, library = loaded(SPILLING, compiler)
    done = per_unit(blocks.by_text(blocks.executed(library, lambda: function(ctypes.c_size_t(30)))), 10)
    assert (done.stores, done.loads, done.spills) == (6, 6, 12)


@here
def test_a_scalar_product_of_many_words_spills_and_a_sum_of_one_does_not() -> None:
    one, many = (work(generate(make_spec(kind, bits=bits, target="c")), None, batch=100)
                 for kind, bits in (("vadd", 64), ("vmul", 512)))  # fmt: skip
    assert one.spills < 0.5 and many.stores > 1 and many.loads > 1  # 16 registers hold no 8 words of two operands


# Code for another CPU

FOREIGN = f"""
#include <stddef.h>
int known_execute(size_t n)
{{
    int sum = 0;
    for (size_t i = 0; i < n; i++) {{ {blocks.MARK}
        __asm__ volatile("vpaddq %%zmm1, %%zmm2, %%zmm3\\n"
                         "vpcmpuq $1, 64(%%rsp), %%zmm4, %%k1\\n"
                         "kxorb %%k1, %%k1, %%k2\\n"
                         "incl %0" : "+r"(sum));
    }}
    return sum;
}}
"""


@here
@each_compiler
def test_what_this_cpu_lacks_is_left_out_and_counted(compiler: Compiler) -> None:
    function, library = loaded(FOREIGN, compiler)
    blanked.blank(library)
    assert function(ctypes.c_size_t(0)) == 0
    ran = blocks.executed(library, lambda: function(ctypes.c_size_t(20)))  # it would end with SIGILL, or change %k2
    counts = blocks.by_text(ran)
    done = per_unit(counts, 10)
    assert (done.uses["vector", "zmm"], done.uses["compare to mask", "zmm"], done.uses["mask", "zmm"]) == (2, 2, 2)
    assert (done.stores, done.loads) == (0, 2)
    assert function(ctypes.c_size_t(7)) == 7  # the rest runs


@here
@pytest.mark.skipif(bool(missing_features(["avx512f", "avx512dq"])), reason="no AVX-512 F+DQ")
def test_a_kernel_is_counted_alike_with_and_without_what_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    source = generate(make_spec("ntt", n=64, bits=128, target="avx512"))
    run = work(source, None, batch=3)
    monkeypatch.setenv("MOMAGEN_DISABLE", "avx512f")
    assert work(source, None, batch=3) == run


def test_only_avx512_can_be_left_out() -> None:
    source = generate(make_spec("vadd", bits=64, target="avx2"))
    with pytest.raises(MomagenError, match="avx2: this CPU lacks avx2, which the target needs"):
        blanked.counted(source, None, 1, ["avx2"])


@here
def test_code_that_breaks_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    source = generate(make_spec("vadd", bits=64, target="avx512"))
    broken = replace(source, source=source.source.replace("_execute", "_run"))
    with pytest.raises(MomagenError, match="counting instructions without AVX-512 failed with exit code 1"):
        blanked.counted(broken, None, 1, ["avx512f"])


# What follows

STREAMS = {
    ("alone", "any", "r"): 6.0, ("alone", "vector", "zmm"): 1.99, ("alone", "shift", "zmm"): 1.0,
    ("alone", "low multiply", "zmm"): 0.66, ("mixed", "low multiply", "zmm"): 1.43, ("mixed", "shift", "zmm"): 2.0,
    ("alone", "compare to mask", "zmm"): 1.0, ("alone", "shuffle", "zmm"): 0.98,
    ("group", "compare or shuffle", "zmm"): 1.01, ("mixed", "compare to mask", "zmm"): 2.0,
    ("mixed", "shuffle", "zmm"): 2.0, ("alone", "vector load", "zmm"): 2.0,
}  # fmt: skip
RATES = Rates(STREAMS, "a CPU")


def test_rates_are_those_of_ports() -> None:
    assert [whole(x) for x in (1.99, 1.83, 2.04, 0.66, 0.98, 5.93, 4.7)] == [2, 2, 2, 2 / 3, 1, 6, 5]
    assert whole(1.2) == 1.2  # no ratio near: as it was measured


def test_slots_are_what_an_instruction_displaces() -> None:
    assert RATES.slots(("low multiply", "zmm")) == 3
    assert RATES.slots(("shift", "zmm")) == RATES.slots(("carry", "r")) == 1


def test_a_group_is_no_slower_than_its_fastest_class() -> None:
    assert RATES.group_rate("compare or shuffle", "zmm") == 1
    faster = Rates({**STREAMS, ("alone", "shuffle", "zmm"): 3.0})
    assert faster.group_rate("compare or shuffle", "zmm") == 3
    assert RATES.group_rate("flags", "r") is None


@pytest.mark.parametrize(
    ("uses", "instructions", "cycles", "by"),
    [
        ({"vector": 6, "shift": 2}, 8, 4.0, "vector uops 2/cycle"),
        ({"vector": 2, "shift": 3}, 5, 3.0, "shift 1/cycle"),
        ({"vector": 2, "low multiply": 2}, 4, 4.0, "vector uops 2/cycle"),  # of three uops each
        ({"compare to mask": 2, "shuffle": 2}, 4, 4.0, "compare or shuffle 1/cycle"),
        ({"vector": 2, "vector load": 5}, 7, 2.5, "vector load 2/cycle"),
        ({"vector": 2}, 30, 5.0, "instructions 6/cycle"),
    ],
)
def test_the_largest_bound_counts(uses: dict[str, float], instructions: float, cycles: float, by: str) -> None:
    found = floor.floor(Work({(name, "zmm"): float(n) for name, n in uses.items()}, instructions), RATES)
    assert (found.cycles, found.by) == (pytest.approx(cycles), by)


def test_per_unit_leaves_jumps_to_their_comparisons() -> None:
    counts = Counter({"vpaddq %zmm1,%zmm2,%zmm3": 40, "cmp %rax,%rbx": 10, "jne 10": 10})
    assert per_unit(counts, 10) == Work({("vector", "zmm"): 4.0, ("scalar", "r"): 1.0}, 5.0)


@here
@each_compiler
def test_streams_compile(compiler: Compiler) -> None:
    text = issue.FILE + issue.function("one", issue.lines(["clc; adc %rax, %{r}", "mov {o}(%rdi), %{r}"], "r"))
    assert text.count("adc") == 48
    compile_shared(text, name="one", flags=["-std=gnu99", "-Wall", "-Werror"], compiler=compiler)


@here
def test_what_this_cpu_issues() -> None:
    rates = issue.rates().streams
    assert rates[("alone", "any", "r")] > 0 and rates[("alone", "wide product", "r")] > 0
    assert all(value > 0 for value in rates.values())


def test_no_floor_without_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issue, "rates", Rates)
    with pytest.raises(MomagenError, match="the port floor needs an x86-64 CPU whose clock can be measured"):
        floor.port_floor(generate(make_spec("vadd", bits=64)), None, 1)


def test_without_rates_there_is_work_but_no_bound() -> None:
    found = floor.floor(Work({("vector", "zmm"): 6.0}, 8.0), Rates())
    assert (found.cycles, found.by, found.uops, found.work.instructions) == (None, "", 6.0, 8.0)


def test_rates_go_to_a_file_and_back(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    path.write_text(as_json({"cpu": "a CPU"}, RATES, []))
    assert read_rates(path) == RATES
    assert json.loads(path.read_text())["instructions_per_cycle"]["low multiply zmm"] == 2 / 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"the file is not a sweep\.json that a sweep wrote \(JSONDecodeError: Expecting property name"),
        ("[]", r"the file is not a sweep\.json that a sweep wrote \(TypeError: list indices must be integers or"),
        ('{"streams": {"alone": 1}, "machine": {"cpu": "x"}}', r"the file is not a sweep\.json that a sweep wrote"),
        ('{"streams": {}}', r"the file is not a sweep\.json that a sweep wrote \(KeyError: 'machine'\)"),
        (
            '{"streams": {"alone vector zmm": 0}, "machine": {"cpu": "x"}}',
            r"expected numbers of instructions per cycle above 0 and below 100, got 0\.0 for alone vector zmm",
        ),
        (
            '{"streams": {"alone vector zmm": NaN}, "machine": {"cpu": "x"}}',
            "expected numbers of instructions per cycle above 0 and below 100, got nan for alone vector zmm",
        ),
    ],
)
def test_files_without_rates_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(MomagenError, match=f"rates, {path}: {message}"):
        read_rates(path)


def test_no_file_of_rates_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MomagenError, match=r"the file cannot be read \(No such file or directory\)"):
        read_rates(tmp_path / "none.json")


@pytest.mark.thorough
@here
def test_a_kernel_for_another_cpu_has_the_floor_of_that_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOMAGEN_DISABLE", "avx512f")
    source = generate(make_spec("ntt", n=64, bits=64, target="avx512", options={"limbs": "full"}))
    plain, known = floor.port_floor(source, None, 1), floor.port_floor(source, None, 1, RATES)
    assert plain.cycles is None and plain.work == known.work
    uses = {use: n for use, n in known.work.uses.items() if (floor.pool(use), use[1]) == ("vector", "zmm")}
    full = sum(n * RATES.slots(use) for use, n in uses.items())
    assert (known.cycles, known.by) == (pytest.approx(full / 2), "vector uops 2/cycle")
    assert full <= known.uops == pytest.approx(full, rel=0.01)  # a compiler may take a few narrower registers
    assert known.uops > plain.uops  # a low product displaces three others there
