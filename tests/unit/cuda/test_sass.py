"""SASS: lines are read, kernels counted as by hand, and floors follow from the counts."""

from __future__ import annotations

import pytest

from momagen.cuda.devices import gpu_names, load_gpu
from momagen.cuda.floor import gpu_floor
from momagen.cuda.nvrtc import compile_cuda, nvrtc_version
from momagen.cuda.places import program
from momagen.cuda.sass.classes import class_of, sass_classes
from momagen.cuda.sass.counts import butterfly_of, instructions_of, parts_of
from momagen.cuda.sass.line import SassLine, read_line
from momagen.cuda.sass.listing import SassFunction, disassemble, read_listing
from momagen.cuda.sass.resources import read_resources
from momagen.cuda.sass.survey import survey
from momagen.errors import MomagenError


@pytest.fixture
def tools() -> None:
    if nvrtc_version() is None:
        pytest.skip("no NVRTC (python3 -m pip install nvidia-cuda-nvrtc)")
    if program("nvdisasm") is None:
        pytest.skip("no nvdisasm (python3 -m pip install nvidia-cuda-nvdisasm)")


LINES = {  # text: writes, reads, addresses, by hand
    "IMAD.WIDE.U32.X R6, P0, R10, R15, R6, P0": ("R6 R7 P0", "R10 R15 R6 R7 P0", ""),
    "IMAD.HI.U32 R0, P2, R12, R13, R2": ("R0 P2", "R12 R13 R2 R3", ""),
    "IMAD.WIDE.U32 R6, R2, -0x6543210b, RZ": ("R6 R7", "R2", ""),
    "IMAD.X R15, RZ, RZ, R13, P2": ("R15", "R13 P2", ""),
    "IADD3.X R11, P0, P1, R7, R8, R11, P1, P0": ("R11 P0 P1", "R7 R8 R11 P1 P0", ""),
    "IADD3 RZ, P0, R4, R9, RZ": ("P0", "R4 R9", ""),
    "@!P1 IADD3.X R9, R9.reuse, ~R10, RZ, P3, !PT": ("R9", "R9 R10 P3 P1", ""),
    "ISETP.GE.U32.AND.EX P0, PT, R3, R5, PT, P2": ("P0", "R3 R5 P2", ""),
    "SEL R8, RZ, 0x1, !P0": ("R8", "P0", ""),
    "LDG.E.128.CONSTANT R8, desc[UR4][R2.64+0x80]": ("R8 R9 R10 R11", "UR4 UR5 R2 R3", "UR4 UR5 R2 R3"),
    "STG.E.64 [R2.64], R6": ("", "R2 R3 R6 R7", "R2 R3"),
    "STS [R5+UR4+0x10], R0": ("", "R5 UR4 R0", "R5 UR4"),
    "LDC.64 R2, c[0x0][0x210]": ("R2 R3", "", ""),
    "DFMA R4, R6, R8, -R10": ("R4 R5", "R6 R7 R8 R9 R10 R11", ""),
    "I2F.F64.U32 R2, R4": ("R2 R3", "R4", ""),
    "F2I.U32.F64.TRUNC R4, R2": ("R4", "R2 R3", ""),
    "LOP3.LUT P0, RZ, R2, 0x1, RZ, 0xc0, !PT": ("P0", "R2", ""),
    "SHFL.IDX PT, R4, R5, R6, 0x1f": ("R4", "R5 R6", ""),
    "CS2R R2, SRZ": ("R2 R3", "", ""),
    "EXIT": ("", "", ""),
}


@pytest.mark.parametrize("text", LINES)
def test_a_line_reads_and_writes_what_its_operands_say(text: str) -> None:
    line = read_line(text)
    assert line is not None
    assert tuple(map(_named, (line.writes, line.reads, line.addresses))) == tuple(
        _named(set(names.split())) for names in LINES[text]
    )


def _named(names: set[str] | frozenset[str]) -> str:
    return " ".join(sorted(names))


CODELET = """
.text.codelet:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   S2R R9, SR_TID.X ;
        /*0020*/                   LDC.64 R2, c[0x0][0x210] ;
        /*0030*/                   ISETP.GE.U32.AND P0, PT, R9, 0x400, PT ;
        /*0040*/              @P0  EXIT ;
        /*0050*/                   IMAD.WIDE.U32 R2, R9, 0x4, R2 ;
        /*0060*/                   LDG.E R4, desc[UR4][R2.64] ;
        /*0070*/                   LDG.E R5, desc[UR4][R2.64+0x80] ;
        /*0080*/                   IADD3 R6, R4, R5, RZ ;
        /*0090*/                   IADD3 R7, P1, R4, -R5, RZ ;
        /*00a0*/                   IMAD.X R8, RZ, RZ, -0x1, P1 ;
        /*00b0*/                   LOP3.LUT R8, R8, 0x61, RZ, 0xc0, !PT ;
        /*00c0*/                   IADD3 R7, R7, R8, RZ ;
        /*00d0*/                   IADD3 R2, P2, R2, 0x1000, RZ ;
        /*00e0*/                   IADD3.X R3, RZ, R3, RZ, P2, !PT ;
        /*00f0*/                   STG.E desc[UR4][R2.64], R6 ;
        /*0100*/                   STG.E desc[UR4][R2.64+0x80], R7 ;
        /*0110*/                   EXIT ;
.L_x_0:
        /*0120*/                   BRA `(.L_x_0);
        /*0130*/                   NOP;
"""


def _codelet(text: str = CODELET) -> SassFunction:
    return read_listing(text)["codelet"]


def test_a_codelet_is_told_apart_from_its_addresses_and_its_control() -> None:
    parts = parts_of(_codelet())
    assert [line.base for line in parts.arithmetic] == ["IADD3", "IADD3", "IMAD", "LOP3", "IADD3"]
    assert [line.base for line in parts.addresses] == ["ISETP", "IMAD", "IADD3", "IADD3"]
    assert [line.base for line in parts.memory] == ["LDC", "S2R", "LDC", "LDG", "LDG", "STG", "STG"]
    assert [line.base for line in parts.control] == ["EXIT", "EXIT"]


def test_what_feeds_both_an_address_and_a_value_is_arithmetic() -> None:
    both = CODELET.replace("[R2.64], R6", "[R2.64], R2")
    assert "IADD3 R2, P2, R2, 0x1000, RZ" in [str(line) for line in parts_of(_codelet(both)).arithmetic]


def test_under_a_predicate_the_old_value_counts_too() -> None:
    guarded = CODELET.replace("   IADD3 R7, R7, R8, RZ", "@P1 IADD3 R7, R4, R8, RZ")
    assert butterfly_of(_codelet(guarded)).total == 5


def test_the_stack_pointer_is_an_address() -> None:
    assert parts_of(_codelet(CODELET.replace("LDC R1, c", "MOV R1, c"))).addresses[0].base == "MOV"


def test_counts_by_mnemonic_and_class() -> None:
    count = butterfly_of(_codelet())
    assert count.total == 5 and count.mnemonics == {"IADD3": 3, "IMAD.X": 1, "LOP3.LUT": 1}
    assert count.classes == {"add": 3, "add on the multiplier": 1, "logic": 1}
    assert instructions_of(_codelet()).total == 18


def test_a_loop_has_no_butterfly() -> None:
    loop = CODELET.replace("        /*0060*/", ".L_x_1:\n        /*0060*/").replace(
        "STG.E desc[UR4][R2.64+0x80], R7", "@P2 BRA `(.L_x_1)"
    )
    with pytest.raises(MomagenError, match=r"without loops and calls, got @P2 BRA `\(\.L_x_1\)"):
        butterfly_of(_codelet(loop))


def test_a_line_that_is_no_instruction_is_refused() -> None:
    with pytest.raises(MomagenError, match="expected a SASS instruction, got 12 monkeys"):
        read_listing(".text.k:\n  /*0000*/   12 monkeys ;")


CLASSES = {
    "IMAD.WIDE.U32.X": "wide multiply",
    "IMAD.HI.U32": "high multiply",
    "IMAD": "multiply",
    "IMAD.U32": "multiply",
    "IMAD.MOV.U32": "constant move",
    "HFMA2.MMA": "constant move",
    "IMAD.SHL.U32": "add on the multiplier",
    "IADD3": "add",
    "IADD3.X": "add with carry",
    "VIADDMNMX.U32": "add and minimum",
    "P2R": "predicate pack",
    "DFMA": "double",
    "LDG.E.128.CONSTANT": "global load",
    "STG.E": "global store",
    "LDS.64": "shared load",
    "LDL": "spill load",
    "STL.64": "spill store",
    "LDC.64": "constant",
    "ULDC": "constant",
    "LDCU.64": "constant",
    "S2UR": "constant",
    "BAR.SYNC.DEFER_BLOCKING": "barrier",
    "EXIT": "branch",
    "ULEA": "uniform",
    "UIADD3": "uniform",
    "SHF.R.U32.HI": "shift",
    "HGMMA": "other",
}


@pytest.mark.parametrize("mnemonic", CLASSES)
def test_classes_of_instructions(mnemonic: str) -> None:
    assert class_of(mnemonic).name == CLASSES[mnemonic]


LOG = """ptxas info    : 0 bytes gmem, 256 bytes cmem[3]
ptxas info    : Compiling entry function 'b' for 'sm_80'
ptxas info    : Function properties for b
ptxas         .     192 bytes stack frame, 368 bytes spill stores, 396 bytes spill loads
ptxas info    : Used 64 registers, used 0 barriers, 192 bytes cumulative stack size, 364 bytes cmem[0]
ptxas info    : Compiling entry function 'a' for 'sm_80'
ptxas info    : Function properties for a
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 1 barriers, 512 bytes smem, 360 bytes cmem[0]
"""


def test_resources_of_two_kernels_of_one_log() -> None:
    found = read_resources(LOG)
    b, a = found["b"], found["a"]
    assert (b.registers, b.stack, b.spill_stores, b.spill_loads) == (64, 192, 368, 396)
    assert (a.registers, a.shared, a.constant, a.barriers) == (12, 512, 360, 1)
    assert b.spills and not a.spills and a.arch == "sm_80"


BUTTERFLY = """extern "C" __global__ void k(const unsigned* p, unsigned* z, unsigned q) {
    unsigned i = threadIdx.x, x = p[i], y = p[i + 32], w = p[i + 64], v = p[i + 96], t, s = min(x, x - q);
    t = y * w - __umulhi(y, v) * q;
    t = min(t, t - q);
    z[i] = s + t;
    z[i + 32] = s - t + q;
}
"""
"""Shoup's product of y and w for q below 2^31, v its quotient, and a butterfly on [0, 2q): by hand, on sm_90, three
multiplications, two minima with their sums, an addition, and a sum of three."""


@pytest.mark.compiles
@pytest.mark.parametrize("arch", ["sm_90", "sm_100"])
def test_a_shoup_butterfly_of_31_bits_takes_seven_instructions(arch: str, tools: None) -> None:
    made = compile_cuda(BUTTERFLY, arch)
    count = butterfly_of(disassemble(made.cubin)["k"])
    assert count.total == 7
    assert count.classes == {"multiply": 2, "high multiply": 1, "add and minimum": 2, "add": 2}
    assert not read_resources(made.log)["k"].spills


def _row(words: int) -> str:
    """One row of a product, x_0 by y_0, y_2, …, on an accumulator; a pair of mad and madc is one wide multiply."""
    rows, x = [], f"%{words}"
    for low in range(0, words, 2):
        y, c = f"%{words + 1 + low // 2}", "c" if low else ""
        rows += [f"mad{c}.lo.cc.u32 %{low}, {x}, {y}, %{low};", f"madc.hi.cc.u32 %{low + 1}, {x}, {y}, %{low + 1};"]
    outs = ", ".join(f'"+r"(z[{j}])' for j in range(words))
    ins = ", ".join(f'"r"(x[{j}])' for j in range(words // 2 + 1))
    return f"""extern "C" __global__ void k(unsigned* p) {{
        unsigned x[{words}], z[{words}];
        p += threadIdx.x;
        for (int j = 0; j < {words}; j++) {{ x[j] = p[j * 32]; z[j] = p[(j + {words}) * 32]; }}
        asm volatile("{" ".join(rows)}" : {outs} : {ins});
        for (int j = 0; j < {words}; j++) p[j * 32] = z[j];
    }}"""


@pytest.mark.compiles
@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100"])
@pytest.mark.parametrize("words", [4, 8])
def test_a_pair_of_multiply_adds_is_one_wide_multiply(words: int, arch: str, tools: None) -> None:
    count = butterfly_of(disassemble(compile_cuda(_row(words), arch).cubin)["k"])
    assert count.classes == {"wide multiply": words // 2}


TWO = (
    BUTTERFLY
    + """extern "C" __global__ void loop(unsigned* x, unsigned n) {
    #pragma unroll 1
    for (unsigned i = 0; i < n; i++) x[threadIdx.x + i * 32] *= x[threadIdx.x];
}
"""
)


@pytest.mark.compiles
def test_a_survey_has_every_kernel_and_no_arithmetic_of_one_with_a_loop(tools: None) -> None:
    found = survey(compile_cuda(TWO, "sm_90"))
    assert set(found) == {"k", "loop"} and found["loop"].arithmetic is None
    row = found["k"].row()
    assert row["arithmetic"] == 7 and row["spill_bytes"] == 0 and row["arch"] == "sm_90"
    with pytest.raises(MomagenError, match="architecture: expected an architecture such as sm_90, for which NVRTC"):
        survey(compile_cuda(BUTTERFLY, "compute_90"))


def test_what_is_no_machine_code_is_refused(tools: None) -> None:
    with pytest.raises(MomagenError, match=r"nvdisasm cannot read the machine code of 7 bytes \(nvdisasm fatal"):
        disassemble(b"no ELF!")


def test_without_the_disassembler_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("momagen.cuda.sass.listing.program", lambda name: None)
    with pytest.raises(MomagenError, match="pip install nvidia-cuda-nvdisasm"):
        disassemble(b"")


def test_the_floor_of_a_butterfly_on_an_h100() -> None:
    gpu, counts = load_gpu("h100-sxm"), {"wide multiply": 22, "multiply": 8, "add": 20, "constant move": 9}
    found = gpu_floor(counts, gpu, bytes_moved=3.35)
    cycle = 1e3 / (132 * 1.98)  # picoseconds that all multiprocessors together take for one cycle of each
    assert found.pipes == pytest.approx({"fmaheavy": (22 / 32 + 8 / 64) * cycle, "alu": 20 / 64 * cycle})
    assert found.issue == pytest.approx((22 * 4 + 37) / 128 * cycle) and found.memory == pytest.approx(1.0)
    assert found.bound == "issue" and found.unknown == ("constant move",)
    other, cycle = load_gpu("b200"), 1e3 / (148 * 1.965)
    assert gpu_floor(counts, other, lanes={"wide": 32}).picoseconds == pytest.approx((22 / 32 + 8 / 64) * cycle)
    assert gpu_floor(counts, other).issue == pytest.approx(59 / 128 * cycle)


def test_wide_products_issue_at_half_the_rate_where_that_was_measured() -> None:
    """A warp's 32 products on one multiprocessor: a cycle on sm_90, half of one where the full rate is assumed."""
    for name, lanes in (("h100-sxm", 32), ("h200-sxm", 32), ("a100-sxm", 64), ("b200", 64), ("rtx-4090", 64)):
        gpu = load_gpu(name)
        for each in ("wide multiply", "high multiply"):
            assert gpu_floor({each: 1}, gpu).pipes["fmaheavy"] == pytest.approx(1e3 / (lanes * gpu.sms * gpu.ghz))
        assert gpu_floor({"multiply": 1}, gpu).pipes["fmaheavy"] == pytest.approx(1e3 / (64 * gpu.sms * gpu.ghz))
        assert ("wide and slots: measured" in gpu.core.source) == (lanes == 32)
        assert gpu.core.slots == ({"wide": 4} if lanes == 32 else {})


def test_memory_may_be_the_floor() -> None:
    assert gpu_floor({"add": 1}, load_gpu("a100-sxm"), bytes_moved=2039).picoseconds == pytest.approx(1e3)


def test_every_gpu_has_a_rate_for_the_multiplier_and_a_known_pipe() -> None:
    pipes = {row.lanes for row in sass_classes().values()}
    for name in gpu_names():
        lanes = set(load_gpu(name).core.lanes)
        assert lanes <= pipes and {"fmaheavy", "wide", "alu", "fp64"} <= lanes


@pytest.mark.parametrize(("counts", "given"), [({"no class": 1}, {}), ({}, {"lanes": {"tensor": 1}}),
                                                ({}, {"lanes": {"wide": 0}}), ({}, {"bytes_moved": -1})])  # fmt: skip
def test_a_floor_of_what_is_not_known_is_refused(counts: dict[str, int], given: dict[str, float]) -> None:
    with pytest.raises(MomagenError):
        gpu_floor(counts, load_gpu("b200"), **given)  # type: ignore[arg-type]
    with pytest.raises(MomagenError, match="one of the GPUs h100-sxm"):
        load_gpu("gtx-480")


def test_a_line_prints_as_it_was_read() -> None:
    assert str(SassLine("!P0", "IADD3", ("R1", "R2", "R3", "RZ"))) == "@!P0 IADD3 R1, R2, R3, RZ"
