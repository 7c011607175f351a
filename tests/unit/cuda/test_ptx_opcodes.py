"""Every opcode of the table, run through a kernel of its own, against what the PTX ISA says of it."""

from __future__ import annotations

import functools
import random
from typing import Any

import numpy as np
import pytest
from support.ptx_meanings import (
    SIZES,
    comparison,
    conversion,
    flag_result,
    real_result,
    word_result,
)

from momagen.cuda.ptx.run import PtxModule, load_ptx
from momagen.cuda.ptx.translate.opcodes import PtxOpcode, opcodes

pytestmark = pytest.mark.compiles

CASES = 64
NAMES = sorted(name for name in opcodes() if not name.startswith("cvta"))
"""cvta depends on where memory is: tests/run/test_ptx_run.py uses it."""
SOURCE = """.version 8.0
.target sm_90
.address_size 64
"""
KERNEL = """
.visible .entry k{number}(.param .u64 in, .param .u64 out)
{{
    .reg .pred p<8>;
    .reg .b16 h<8>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<20>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    mad.wide.u32 %rd1, %r1, 40, %rd1;
    mad.wide.u32 %rd2, %r1, 16, %rd2;
    ld.global.u64 %rd14, [%rd1+32];
    cvt.u32.u64 %r2, %rd14;
{loads}
    add.cc.u32 %r2, %r2, -1;
    {opcode} {result}, {operands};
    addc.u32 %r2, 0, 0;
    cvt.u64.u32 %rd15, %r2;
{keep}
    st.global.u64 [%rd2], %rd16;
    st.global.u64 [%rd2+8], %rd15;
    ret;
}}
"""
REGISTER = {1: "h", 2: "h", 4: "%r", 8: "%rd"}


def _bits(kind: str) -> int:
    return SIZES[kind]


def _register(kind: str, number: int) -> str:
    return f"p{number}" if kind == "pred" else f"{REGISTER[max(_bits(kind) // 8, 2)]}{number}"


def _load(kind: str, number: int) -> str:
    """An operand from the input, which has 64 bits of each."""
    at, register = f"    ld.global.u64 %rd{10 + number}, [%rd1+{8 * number}];", _register(kind, number + 4)
    if kind == "pred":
        return f"{at}\n    setp.ne.u64 {register}, %rd{10 + number}, 0;"
    size = max(_bits(kind), 16)
    return f"{at}\n    " + (f"mov.b64 {register}, %rd{10 + number};" if size == 64 else
                            f"cvt.u{size}.u64 {register}, %rd{10 + number};")  # fmt: skip


def _kernel(number: int, name: str, row: PtxOpcode) -> str:
    loads = "\n".join(_load(kind, i) for i, kind in enumerate(row.operands))
    operands = ", ".join(_register(kind, i + 4) for i, kind in enumerate(row.operands))
    whole = name.startswith("cvt.") and row.result[0] != "f"
    result = "%rd3" if whole else _register(row.result, 3)
    if row.second:
        keep = "    selp.b64 %rd16, 1, 0, p3;\n    selp.b64 %rd15, 1, 0, p2;"
        result = "p3|p2"
    elif row.result == "pred":
        keep = "    selp.b64 %rd16, 1, 0, p3;"
    elif whole or _bits(row.result) == 64:
        keep = "    mov.b64 %rd16, %rd3;"
    else:
        keep = f"    cvt.u64.u{_bits(row.result)} %rd16, {result};"
    return KERNEL.format(number=number, loads=loads, opcode=name, result=result, operands=operands, keep=keep)


@functools.cache
def _module() -> PtxModule:
    texts = [_kernel(i, name, opcodes()[name]) for i, name in enumerate(NAMES)]
    return load_ptx(SOURCE + "".join(texts))


def _word(random_: random.Random, kind: str) -> int:
    bits = _bits(kind)
    edges = [0, 1, 2, 3, (1 << bits) - 1, (1 << bits) - 2, 1 << (bits - 1), (1 << (bits - 1)) - 1]
    if kind[0] == "f":
        digits = 53 if bits == 64 else 24
        top = (1 << bits - digits) - 1
        power = random_.choice([1, top // 2, top // 2 + 1, top // 2 - 20, top // 2 + random_.randrange(70), top - 2])
        near = power << (digits - 1) | random_.choice([0, 1, random_.getrandbits(digits - 1)])
        edges += [top << digits - 1, top << digits - 1 | 1 << bits - 1, near, near | 1 << bits - 1, near, near]
    return random_.choice([*edges, random_.getrandbits(bits), random_.getrandbits(bits), random_.getrandbits(bits)])


def _amount(random_: random.Random) -> int:
    """Of a shift, a position or a length."""
    return random_.choice([0, 1, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 255, 256, 259, 2**32 - 1,
                           random_.randrange(64)])  # fmt: skip


def _inputs(name: str, row: PtxOpcode) -> list[list[int]]:
    """Cases of four operands and a flag."""
    random_, cases = random.Random(name), list[list[int]]()
    counted = name.startswith(("sh", "bf"))
    while len(cases) < CASES:
        words = [_word(random_, kind) if kind != "pred" else random_.getrandbits(1) for kind in row.operands]
        if counted:
            words = [_amount(random_) if kind == "u32" and i else word
                     for i, (kind, word) in enumerate(zip(row.operands, words, strict=True))]  # fmt: skip
        if name.startswith("shf"):
            words[2] = _amount(random_)
        if name.startswith(("div.u", "div.s", "rem")) and not words[1]:
            continue
        cases.append([*words, *[0] * (4 - len(words)), random_.getrandbits(1)])
    return cases


def _expected(name: str, row: PtxOpcode, case: list[int]) -> tuple[int, int]:
    words, flag = case[: len(row.operands)], case[4]
    parts, kind = name.split("."), name.rpartition(".")[2]
    if parts[0] == "setp":
        first, second = comparison(tuple(parts[1:-1]), kind, words[0], words[1], case[2])
        return int(first), int(second)
    if parts[0] == "cvt":
        base = ".".join(parts[:-2])
        return conversion(base, parts[-2], kind, words[0]) % (1 << 64), flag
    base = ".".join(parts[:-1])
    if "cc" in parts or parts[0] in ("addc", "subc", "madc"):
        total, carry = flag_result(base, kind, words, flag)
        return total % (1 << _bits(row.result)), carry if "cc" in parts else flag
    if kind[0] == "f":
        return real_result(base, kind, words), flag
    return word_result(base, kind, words) % (1 << _bits(row.result)), flag


def _run(name: str, cases: list[list[int]]) -> Any:
    given = np.array(cases, dtype=np.uint64)
    given.flags.writeable = False
    out = np.zeros((len(cases), 2), dtype=np.uint64)
    _module().launch(f"k{NAMES.index(name)}", grid=(2,), block=(len(cases) // 2,), args=[given, out])
    return out


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_an_opcode_does_what_the_isa_says(name: str) -> None:
    row = opcodes()[name]
    cases = _inputs(name, row)
    for case, got in zip(cases, _run(name, cases).tolist(), strict=True):
        want = _expected(name, row, case)
        assert tuple(got) == want, (name, [hex(x) for x in case], [hex(x) for x in got], [hex(x) for x in want])
