"""B512: words against Table I, text and files there and back, and what is refused."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from momagen.errors import MomagenError
from momagen.rpu.isa.assembly import assemble, disassemble, line_of
from momagen.rpu.isa.instruction import RpuInstruction, check, decode, encode, instruction
from momagen.rpu.isa.intrinsics import intrinsics, read_intrinsics
from momagen.rpu.isa.program import Area, RpuProgram, read_program, write_program
from momagen.rpu.isa.table import b512


def drawn(rng: random.Random) -> RpuInstruction:
    """Any instruction with any fields that it may have."""
    while True:
        opcode = rng.choice([*b512().opcodes.values()])
        fields = {each.name: rng.randrange(1 << each.bits) for each in opcode.operands}
        if opcode.mode:
            mode = rng.choice([*b512().modes.values()])
            fields |= {"MODE": mode.number, "VALUE": rng.randint(mode.least, mode.most)}
        found = RpuInstruction(opcode, fields)
        try:
            check(found, "drawn")
        except MomagenError:
            continue
        return found


def test_there_are_seventeen() -> None:
    table = b512()
    assert len(table.opcodes) == 17 and {each.number for each in table.opcodes.values()} == {*range(16)}
    assert [name for name, each in table.opcodes.items() if each.bfly] == ["bfly"]
    assert table.machine["im_bytes"] == 512 << 10 and table.machine["vdm_bytes"] == 32 << 20


WORDS = {  # the bits of Table I: [60:55] VD1, [54:49] VT1, [48] BFLY, [47:44] opcode, [43:24] address, [23:18] VD, ...
    "vload v60, a1[8192], strided 2": 0 << 44 | 8192 << 24 | 60 << 18 | 1 << 12 | 2 << 6 | 1,
    "vstore v21, a2[16], skip 3": 1 << 44 | 16 << 24 | 21 << 18 | 2 << 12 | 3 << 6 | 2,
    "vbroadcast v19, a3[1]": 2 << 44 | 1 << 24 | 19 << 18 | 3,
    "sload s63, 1048575": 3 << 44 | 1048575 << 24 | 63 << 6,
    "mload m1, 2": 4 << 44 | 2 << 24 | 1 << 6,
    "aload a5, 7": 5 << 44 | 7 << 24 | 5 << 6,
    "vadd v58, v60, v59, m1": 6 << 44 | 58 << 18 | 60 << 12 | 59 << 6 | 1,
    "vsub v57, v60, v59, m1": 7 << 44 | 57 << 18 | 60 << 12 | 59 << 6 | 1,
    "vmul v59, v20, v19, m1": 8 << 44 | 59 << 18 | 20 << 12 | 19 << 6 | 1,
    "bfly v1, v2, v3, v4, v5, m6": 2 << 55 | 5 << 49 | 1 << 48 | 8 << 44 | 1 << 18 | 3 << 12 | 4 << 6 | 6,
    "vsadd v1, v2, s3, m4": 9 << 44 | 1 << 18 | 2 << 12 | 3 << 6 | 4,
    "unpklo v56, v58, v57": 12 << 44 | 56 << 18 | 58 << 12 | 57 << 6,
    "pkhi v1, v2, v3": 15 << 44 | 1 << 18 | 2 << 12 | 3 << 6,
}


@pytest.mark.parametrize("text", WORDS)
def test_words_are_those_of_table_1(text: str) -> None:
    (found,) = assemble(text)
    assert encode(found) == WORDS[text]
    assert line_of(decode(WORDS[text])) == text


def test_there_and_back() -> None:
    rng = random.Random(1)
    program = [drawn(rng) for _ in range(2000)]
    words = [encode(each) for each in program]
    assert [encode(each) for each in assemble(disassemble(program))] == words
    assert [encode(decode(word)) for word in words] == words
    area = {"x": Area(5, 7), "two words": Area(1 << 20, 1)}
    given = RpuProgram(program, {3: [2**128 - 1, 0]}, {0: [1], 77: [5, 6]}, area)
    found = read_program(write_program(given))
    assert [encode(each) for each in found.instructions] == words
    assert (found.sdm, found.vdm, found.areas) == (given.sdm, given.vdm, given.areas)


def test_fields_do_not_overlap() -> None:
    for opcode in b512().opcodes.values():
        names = [each.name for each in opcode.operands] + ["MODE", "VALUE"] * opcode.mode + ["OPCODE", "BFLY"]
        fields = [b512().fields[name] for name in names]
        taken = [bit for each in fields for bit in range(each.low, each.high + 1)]
        assert len(taken) == len(set(taken)), opcode.name
        assert {*opcode.writes, *opcode.reads} <= set(names)


BAD = [
    ("vload v0", 9, "`,`"), ("vload v64, a1[0]", 7, "a register from v0 to v63"),
    ("vload s1, a1[0]", 7, "a register from v0"),
    ("foo v1", 1, "one of the instructions"), ("vload v0, a1[0], strid 2", 18, r"strided\? Expected"),
    ("vadd v1, v2, v3", 16, "`,`"), ("unpklo v1, v2, v3, v4", 18, "the end of the line"),
    ("vload v0, a1[1048576]", 14, "an address from 0 to 1048575"), ("vload v0, a1(0)", 13, "`\\[`"),
    ("vstore v1, a1[0], repeated 2", 1, "which maps several elements to one word"),
    ("bfly v1, v1, v2, v3, v4, m0", 1, "different registers"),
    ("vload v0, a1[0], strided 21", 1, "a value from 0 to 20"), ("vadd v1 v2, v3, m1", 9, "`,`"),
    ("vload v0, a1[0], strided", 25, "a value from 0 to 20"), ("sload s1, 0x1g", 14, "the end of the line"),
    ("vadd v1, v2, v3, m1 extra", 21, "the end of the line"), ("17", 1, "an instruction"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "column", "expected"), BAD)
def test_a_line_that_is_no_instruction_says_where_and_what(text: str, column: int, expected: str) -> None:
    with pytest.raises(MomagenError, match=rf"my.s, line 3, column {column}: .*{expected}"):
        assemble(f"# a comment\n\n{text}  # another\nvadd v1, v2, v3, m1\n", "my.s")


@pytest.mark.parametrize(("word", "expected"), [
    (1 << 48 | 6 << 44, "no instruction has OPCODE 6 and BFLY 1"),
    (1 << 63 | 6 << 44, "0 in all bits outside the fields of vadd"),
    (12 << 44 | 1, "0 in all bits outside the fields of unpklo"), (4 << 12, "an address mode from 0 to 3"),
    (2 << 12 | 9 << 6, "to 8 for the address mode skip"),
    (1 << 64, "a word of 64 bits"), (8 << 44 | 1 << 48, "different registers"),
])  # fmt: skip
def test_words_that_are_no_instruction_are_refused(word: int, expected: str) -> None:
    with pytest.raises(MomagenError, match=expected):
        decode(word)


def test_fields_that_do_not_fit_are_refused() -> None:
    for fields in ({"VD": 64}, {"VD": -1}, {"ADDRESS": 1}, {"nothing": 1}):
        with pytest.raises(MomagenError, match=r"from 0 to 63 in the field VD|only the fields of vadd: VD, "):
            instruction("vadd", fields)


def test_a_program_is_no_longer_than_its_memory() -> None:
    one = assemble("vadd v1, v2, v3, m1")
    assert RpuProgram(one * 65536)
    with pytest.raises(MomagenError, match="takes 524296 bytes, and the instruction memory has 524288"):
        RpuProgram(one * 65537)


def test_files_that_are_no_program_are_refused() -> None:
    data = write_program(RpuProgram(assemble("vadd v1, v2, v3, m1"), {0: [7]}, {}, {"x": Area(0, 1)}))
    files = [(b"", "begins with the bytes B512"), (b"ELF?" + data[4:], "B512"),
             (data[:-1], "only 0 of the section's 1 bytes"), (data[:12], "inside the header of a section"),
             (data.replace(b"INST", b"JUMP"), "the tag INST, SDM"),
             (data[:4] + b"\x02" + data[5:], "version 1"), (data[:6], "and a version, got b'B512"),
             (data[:16] + b"\x01" + data[17:], "begins at number 0, got 1")]  # fmt: skip
    for bad, expected in files:
        with pytest.raises(MomagenError, match=expected):
            read_program(bad, "a file")
    with pytest.raises(MomagenError, match="a file, instruction 0"):
        read_program(data[:32] + b"\xff" * 8 + data[40:], "a file")


def test_modes_are_what_their_texts_say() -> None:
    for mode in b512().modes.values():
        formula = re.sub(r"\bdiv\b", "//", re.sub(r"\bmod\b", "%", mode.element)).replace("^", "**")
        for v in range(mode.least, mode.most + 1):
            assert all(mode.place(i, v) == eval(formula, {"i": i, "v": v}) for i in range(512)), mode.name


LISTING = """
    enter(OP_DEFAULT);
    _vload_512x128i(REG_V60, REG_A1, 0);
    _vload_512x128i(REG_V20, REG_A1, 8192);
    _vimulmod_512x128i(REG_V59, REG_V20, REG_V19, REG_M1);
    _vaddmod_512x128i(REG_V58, REG_V60, REG_V59, REG_M1);
    _vsubmod_512x128i(REG_V57, REG_V60, REG_V59, REG_M1);
    _vunpacklo_512x128i(REG_V56, REG_V58, REG_V57);
    _vstores_512x128i(REG_A2, 16, REG_V21, 2);
    leave(OP_DEFAULT);
"""
"""Lines of the paper's Listing 1."""


def test_the_paper_s_listing_is_read() -> None:
    assert disassemble(read_intrinsics(LISTING)).splitlines() == [
        "vload v60, a1[0]", "vload v20, a1[512]", "vmul v59, v20, v19, m1", "vadd v58, v60, v59, m1",
        "vsub v57, v60, v59, m1", "unpklo v56, v58, v57", "vstore v21, a2[1], strided 1",
    ]  # fmt: skip


@pytest.mark.compiles
def test_intrinsics_there_and_back(tmp_path: Path) -> None:
    rng = random.Random(2)
    program = RpuProgram([drawn(rng) for _ in range(500)], {0: [97, 2**128 - 1]}, {64: [1, 2, 3]},
                         {"x": Area(0, 4), "y": Area(4, 4)})  # fmt: skip
    text = intrinsics(program, "some")
    assert [encode(each) for each in read_intrinsics(text)] == [encode(each) for each in program.instructions]
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    names = sorted(set(re.findall(r"REG_[VSAM]\d+", text)))
    calls = sorted(set(re.findall(r"\b(_v?\w+_(?:512x)?128i)\(", text)))
    header = [f"enum {{ OP_DEFAULT, {', '.join(names)} }};", "void enter(int), leave(int), rpu_launch(void (*)());"]
    header += ["void rpu_write_sdm(int, const uint64_t (*)[2], int), rpu_write_vdm(int, const uint64_t (*)[2], int);"]
    header += ["void rpu_read_vdm(uint64_t (*)[2], int, int);", *(f"void {name}();" for name in calls)]
    (tmp_path / "rpu.h").write_text("\n".join([*header, ""]), encoding="utf-8")
    (tmp_path / "some.c").write_text(text, encoding="utf-8")
    command = [compiler, "-std=c11", "-fsyntax-only", "-I.", "-Wall", "some.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr


@pytest.mark.parametrize(("line", "expected"), [
    ("_vaddmod_512x128i(REG_V1, REG_V2);", "4 arguments"), ("vadd v1, v2, v3, m1", "a call of an intrinsic, such as"),
    ("_vload_512x128i(REG_V1, REG_A1, 8);", "a multiple of 16 bytes"),
    ("_vadmod_512x128i(REG_V1);", r"_vaddmod_512x128i\? Expected"),
    ("_vloads_512x128i(REG_V1, REG_A1, 16, 3);", "a power of two"),
    ("_vstorer_512x128i(REG_A1, 0, REG_V1, 2);", "which maps several elements to one word"),
    ("_vaddmod_512x128i(REG_V1, REG_V2, REG_S3, REG_M1);", "REG_V0 to REG_V63"),
    ("_sload_128i(REG_S1, x);", "an integer"),
    ("_vaddmod_512x128i(REG_V64, REG_V2, REG_V3, REG_M1);", "from 0 to 63 in the field VD"),
])  # fmt: skip
def test_c_that_is_no_intrinsic_says_where(line: str, expected: str) -> None:
    with pytest.raises(MomagenError, match=f"my.c, line 3: .*{expected}"):
        read_intrinsics(f"// C\nenter(OP_DEFAULT);\n{line}\nleave(OP_DEFAULT);\n", "my.c")
