"""PTX text to its parts, and registers that share variables of C."""

from __future__ import annotations

import pytest

from momagen.cuda.ptx.barriers import barrier_lines, without_barrier
from momagen.cuda.ptx.launch.symbols import make_symbols
from momagen.cuda.ptx.syntax.parts import PtxInstruction, PtxRegister, PtxTarget
from momagen.cuda.ptx.syntax.reader import read_statements
from momagen.cuda.ptx.syntax.unit import read_unit
from momagen.cuda.ptx.translate.registers import share_registers
from momagen.cuda.ptx.translate.source import write_source
from momagen.errors import MomagenError

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
SCOPES = HEAD + """
// .globl f
.extern .func (.param .b32 func_retval0) vprintf
(
    .param .b64 a
)
;
.const .align 8 .b8 table[32] = {1, 2, 0, 0,
    5}; /* ; { */
.visible .entry f(.param .u64 .ptr .align 1 f_param_0, .param .align 8 .b8 plan[24])
.maxntid 128, 1, 1
.minnctapersm 2
{
    .reg .b32 %r<4>;
    .reg .pred %p<2>;
$L__BB0_1:
    { .reg .u32 t; mov.u32 t, 1; add.u32 %r1, %r1, t; again: bra again; }
    { .reg .u32 t; mov.u32 t, 2; mov.b64 {%r2, _}, 5;
      again: @!%p1 bra again;
    }
    ret;
}
"""


def test_statements_have_their_lines_and_blocks() -> None:
    found = list(read_statements("a:\n b: x.u32 %r1, {1,\n 2}; // no;\n\n{ y; }\n"))
    assert [(each.kind, each.text, each.line) for each in found] == [
        ("label", "a", 1), ("label", "b", 2), ("text", "x.u32 %r1, {1, 2}", 2), ("open", "{", 5), ("text", "y", 5),
        ("close", "}", 5),
    ]  # fmt: skip


def test_registers_and_labels_of_blocks_are_their_own() -> None:
    unit = read_unit(SCOPES)
    (function,) = unit.functions
    assert (function.name, function.entry, [each.bytes for each in function.parameters]) == ("f", True, [8, 24])
    body = [each for each in function.body if isinstance(each, PtxInstruction)]
    moved = [each.operands[0] for each in body if each.opcode == "mov.u32"]
    assert len({each.name for each in moved if isinstance(each, PtxRegister)}) == 2
    labels = [each.name for each in function.body if isinstance(each, PtxTarget)]
    assert len(set(labels)) == 3
    targets = [each.operands[0] for each in body if each.opcode == "bra"]
    assert [each.name for each in targets if isinstance(each, PtxTarget)] == labels[1:]
    assert [each.line for each in body] == [20, 20, 20, 21, 21, 22, 24]


def test_variables_are_filled_up_with_zeros_and_may_hold_addresses() -> None:
    more = "\n.global .align 8 .u64 p[2] = {generic(table)+8, table};\n.global .f64 d = 0d3FF0000000000000;\n"
    arrays = make_symbols(read_unit(SCOPES + more).variables)
    assert arrays["table"].tolist() == [1, 2, 0, 0, 5] + 27 * [0] and arrays["d"].tolist() == [1.0]
    start = arrays["table"].ctypes.data
    assert arrays["p"].tolist() == [start + 8, start]
    with pytest.raises(MomagenError, match="an initial value"):
        make_symbols(read_unit(HEAD + ".global .u32 x = y;").variables)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".visible .entry f() { ret; ", "expected the closing brace of a function, got the end of the file"),
        (".visible .entry f() { ret", "expected a complete statement that ends with a semicolon, got ret"),
        (".visible .entry f() { } }", r"expected a directive that is valid outside functions, got \}"),
        (".surfref s;", r"expected a directive that is valid outside functions, got \.surfref s"),
        (".global .b128 x;", "a declaration of a variable"),
        (".global .u32 x[1] = {1, 2};", "at most 1 initial values"),
        (".entry f() { .reg .b128 %q<2>; }", "expected one of the register types pred, b8, b16, b32, b64, u8, u16"),
        (".entry f() { .reg .b32 %r<2>; mov.u32 %r2, 1; }", "a declared name"),
        (".entry f() { .reg .b32 %r<2>; @%r1 ret; }", "expected a predicate register after @, got %r1"),
        (".entry f() { .reg .b32 %r<2>; mov.u32 %r1, [%r1]; }", "an operand of type u32"),
        (".entry f(.param .u32 a) { .reg .b64 %r<2>; ld.param.u64 %r1, [a]; }", "expected 8 bytes inside the"),
        (".func f() { call.uni g, (); ret; } .func g() { call.uni f, (); ret; }", "recursive functions are not"),
    ],
)
def test_what_is_not_ptx_or_not_known_is_refused(text: str, expected: str) -> None:
    with pytest.raises(MomagenError, match=expected):
        write_source(read_unit(HEAD + text))


LIVES = HEAD + """.visible .entry f(.param .u64 x) {
    .reg .b32 %r<20>; .reg .b64 %rd<4>; .reg .pred %p<4>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, 1;
    add.u32 %r2, %r1, 1;
    add.u32 %r3, %r2, 1;
    add.u32 %r4, %r3, 1;
    st.global.u32 [%rd1], %r4;
    mov.u32 %r5, 0;
L:  add.u32 %r5, %r5, 1;
    add.u32 %r6, %r7, 1;
    mov.u32 %r7, %r6;
    setp.lt.u32 %p1, %r5, 9;
    @%p1 mov.u32 %r8, 3;
    st.global.u32 [%rd1], %r8;
    @%p1 bra L;
    ret;
}
"""


def test_dead_registers_share_a_variable_and_others_keep_theirs() -> None:
    """r1 … r4 live one after another, two at a time; r5 over a label; r7 around the loop; r8 is not always written."""
    (function,) = read_unit(LIVES).functions
    shared = share_registers(function)
    names = {kind: {name for name, each in shared.registers.items() if each == kind} for kind in ("b32", "b64", "pred")}
    kept = {name for name in names["b32"] if name.startswith("v")}
    assert kept == {"v_r5", "v_r7", "v_r8"} and len(names["b32"] - kept) == 2
    assert names["b64"] == {"v_rd1"} and len(names["pred"]) == 1


def test_barriers_are_found_but_not_in_comments() -> None:
    text = "bar.sync 0;\n// bar.sync 1;\n@%p1 barrier.sync.aligned 2,\n 64; x; bar.warp.sync -1; shfl.sync.idx.b32 a;\n"
    assert barrier_lines(text) == [1, 3, 4]
    assert without_barrier(text, 1).splitlines() == [
        "bar.sync 0;", "// bar.sync 1;", "", " x; bar.warp.sync -1; shfl.sync.idx.b32 a;",
    ]  # fmt: skip
