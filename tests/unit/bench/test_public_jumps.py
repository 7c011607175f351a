"""Conditional jumps that public numbers decide, told from those on data: fixed listings of what gcc 12 makes."""

from __future__ import annotations

import pytest

from momagen.bench.x86.assembly import examine
from momagen.bench.x86.public.kinds import JOB, OPEN, ROWS

UNROLLED = """
0000000000001000 <f_execute>:
    1000:	mov    %rcx,%r8
    1003:	{given}
    1007:	shr    $0x2,%rcx
    100b:	call   1030 <by_16>
    1010:	{left}
    1013:	call   1050 <by_4>
    1018:	ret

0000000000001030 <by_16>:
    1030:	vmovdqu (%rsi),%ymm0
    1034:	vmovdqu %ymm0,(%rdi)
    1038:	add    $0x20,%rsi
    103c:	add    $0x20,%rdi
    1040:	dec    %rcx
    1043:	jne    1030 <by_16>
    1045:	ret

0000000000001050 <by_4>:
    1050:	test   %r8,%r8
    1053:	je     1080 <by_4+0x30>
    1055:	vmovdqu (%rsi),%ymm0
    1059:	vmovdqu %ymm0,(%rdi)
    105d:	{condition}
    1060:	je     1080 <by_4+0x30>
    1062:	vmovdqu 0x20(%rsi),%ymm0
    1067:	vmovdqu %ymm0,0x20(%rdi)
    106c:	vzeroupper
    1080:	ret
"""
"""A loop over the vectors that are left, at most three, of which the compiler has made straight-line code."""


def found(plan: str = OPEN, given: str = "nop", left: str = "and    $0x3,%r8d", condition: str = "cmp $1,%r8") -> int:
    return examine(UNROLLED.format(given=given, left=left, condition=condition), "f_execute", plan).branches


def test_ends_of_unrolled_remainders_are_public() -> None:
    """The compiler knows that the loop in between leaves r8 as it is."""
    assert found() == 0


@pytest.mark.parametrize(
    "changed",
    [
        {"left": "mov    (%rsi),%r8"},  # a word of a vector is given as the number
        {"left": "movzbl (%rsi),%r8d"},
        {"left": "vmovq  %xmm0,%r8"},
        {"left": "add    (%rsi),%r8"},
        {"left": "mov    (%rsi,%rdi,8),%r8"},
        {"left": "mov    %rax,%r8", "given": "mov    (%rdx),%rax"},
        {"left": "adc    $0x0,%r8", "given": "cmp    %rax,(%rdx)"},
    ],
)
def test_a_number_from_a_vector_is_data_in_what_is_called(changed: dict[str, str]) -> None:
    assert found(**changed) == 2


@pytest.mark.parametrize(
    ("condition", "leaks"),
    [
        ("cmp    $0x3,%r8", 0), ("cmp    %rdx,%r8", 0), ("test   $0x2,%r8b", 0), ("cmp    %r8,(%rsi)", 1),
        ("vptest %ymm0,%ymm0", 1), ("mulq   (%rsi)", 1), ("xadd   %rax,(%rsi)", 1),
    ],
)  # fmt: skip
def test_what_is_compared_in_what_is_called(condition: str, leaks: int) -> None:
    assert found(condition=condition) == leaks


@pytest.mark.parametrize(
    ("plan", "given", "left", "leaks"),
    [
        (OPEN, "mov    0x8(%rdi),%r8", "nop", 0),  # a number of the plan
        (OPEN, "mov    0x10(%rdi),%r9", "mov    (%r9),%r8", 2),  # what it points to may be memory of calls
        (ROWS, "mov    0x10(%rdi,%rax,8),%r9", "mov    0x18(%r9),%r8", 2),  # which row is data
        (ROWS, "mov    0x10(%rdi),%r9", "mov    0x18(%r9),%r8", 0),
        (JOB, "mov    (%rdi),%r9", "mov    0x8(%r9),%r8", 0),
        (JOB, "mov    0x8(%rdi),%r9", "mov    (%r9),%r8", 2),  # a vector of the call
        (OPEN, "mov    %r8,-0x8(%rsp)", "mov    -0x8(%rsp),%r8", 0),
        (OPEN, "vmovq  %r8,%xmm5", "vmovq  %xmm5,%r8", 0),
        (OPEN, "movl   $0x1,-0x8(%rsp)", "mov    -0x8(%rsp),%r8", 2),  # above it stands what was there
    ],
)
def test_what_a_plan_holds_is_public(plan: str, given: str, left: str, leaks: int) -> None:
    assert found(plan, given, left) == leaks


LOADED = """
0000000000001000 <f_execute>:
    1000:	mov    (%rsi),%rbx
    1003:	mov    (%rsi,%rcx,8),%rdx
    1006:	cmp    %rbx,%rcx
    1009:	jb     1010 <f_execute+0x10>
    100b:	add    %rdx,%rax
    1010:	inc    %rcx
    1013:	cmp    %r8,%rcx
    1016:	jne    1003 <f_execute+0x3>
    1018:	ret
"""


def test_a_word_loaded_in_front_of_a_loop_is_data_in_it() -> None:
    assert examine(LOADED, "f_execute").branches == 1


TABLE = """
0000000000001000 <f_execute>:
    1000:	mov    %rdx,%rcx
    1003:	lea    0x100(%rip),%rax
    100a:	movslq (%rax,%rdx,4),%rdx
    100e:	add    %rax,%rdx
    1011:	jmp    *%rdx
    1013:	call   1030 <by_1>
    1018:	jmp    1020 <f_execute+0x20>
    101a:	{other}
    101d:	call   1030 <by_1>
    1020:	ret

0000000000001030 <by_1>:
    1030:	cmp    $0x1,%rcx
    1033:	je     1035 <by_1+0x5>
    1035:	ret

0000000000001040 <g>:
    1040:	dec    %rcx
    1043:	jne    1040 <g>
"""


@pytest.mark.parametrize(("other", "leaks"), [("nop", 0), ("mov    (%rsi),%rcx", 1)])
def test_jumps_by_a_table_lead_to_all_that_nothing_else_leads_to(other: str, leaks: int) -> None:
    assert examine(TABLE.format(other=other), "f_execute").branches == leaks


def test_a_copy_of_the_entry_stands_for_it() -> None:
    renamed = UNROLLED.replace("f_execute", "part_of.constprop.0").format(given="nop", left="nop", condition="nop")
    assert examine(renamed, "part_of").functions[0] == "part_of.constprop.0"


ROWS_OF_WORDS = """
0000000000001000 <f_execute>:
    1000:	{rows}
    1003:	jmp    1010 <run>

0000000000001010 <run>:
    1010:	test   %rsi,%rsi
    1013:	je     1022 <run+0x12>
    1015:	mov    (%rsi,%rcx,8),%rdx
    1019:	{read}
    1022:	{index}
    1025:	lea    (%rdx,%rax,1),%r8
    1029:	vmovdqu (%rdx),%ymm0
    102d:	vmovdqu %ymm0,(%rdi)
    1031:	add    $0x20,%rdx
    1035:	cmp    %r8,%rdx
    1038:	je     1040 <run+0x30>
    103a:	jmp    1029 <run+0x19>
    1040:	ret
"""
"""A function on one row, whose address is in an array of addresses, or, where there is none, an argument."""


def branches_of_rows(
    rows: str = "nop", read: str = "nop", index: str = "lea 0x0(,%rcx,8),%rax", known: bool = True
) -> int:
    listing = ROWS_OF_WORDS.format(rows=rows, read=read, index=index)
    return examine(listing, "f_execute", arrays=[1] if known else []).branches


def test_addresses_in_an_array_are_public() -> None:
    assert branches_of_rows() == 0
    assert branches_of_rows("xor %esi,%esi", known=False) == 0  # there is no array, and nothing is read from one
    assert branches_of_rows("mov $0x0,%esi", known=False) == 0


def test_what_is_no_array_of_addresses_holds_data() -> None:
    assert branches_of_rows(known=False) > 0
    assert branches_of_rows(read="mov (%rdx),%rdx") > 0  # a word of a row
    assert branches_of_rows(index="lea 0x0(,%r10,8),%rax") > 0  # a number that nobody knows
    assert branches_of_rows("xor %esi,%ecx", known=False) > 0


NULL_POINTERS = """
0000000000001000 <f_execute>:
    1000:	{rows}
    1003:	call   1010 <run>
    1008:	ret

0000000000001010 <run>:
    1010:	test   %rdx,%rdx
    1013:	je     1030 <run+0x20>
    1015:	mov    (%rdx,%rcx,8),%r10
    1019:	test   %r10,%r10
    101c:	je     1030 <run+0x20>
    101e:	vmovdqu (%r10),%ymm0
    1030:	{inside}
    1033:	cmp    $0x1,%rcx
    1037:	je     1040 <run+0x30>
    1039:	vmovdqu %ymm0,(%rdi)
    1040:	{left}
    1045:	ret

0000000000001050 <g>:
    1050:	{outside}
    1055:	ret
"""
"""A function that reads through its third argument, unless that is a null pointer, and then tests what it read."""


def branches_of_null(
    rows: str = "xor %edx,%edx", inside: str = "xor %eax,%eax", left: str = "xor %eax,%eax", outside: str = "nop"
) -> int:
    listing = NULL_POINTERS.format(rows=rows, inside=inside, left=left, outside=outside)
    return examine(listing, "f_execute").branches


def test_code_that_a_null_pointer_keeps_from_running_has_no_branch_on_data() -> None:
    assert branches_of_null() == 0
    assert branches_of_null("nop") == 1  # the pointer may lead to data
    assert branches_of_null("mov (%rsi),%rdx") == 2  # it is data, and so is what it leads to


@pytest.mark.parametrize("inside", ["mov    (%rsi),%rcx", "add    %r10,%rcx", "vmovq  %xmm0,%rcx"])
def test_data_decide_branches_beside_code_that_does_not_run(inside: str) -> None:
    assert branches_of_null(inside=inside) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"left": "jmp    *%rax"},  # by a table
        {"left": "jmp    1012 <run+0x2>"},  # to what is no instruction of the listing
        {"left": "call   1050 <g>", "outside": "jmp    1015 <run+0x5>"},  # of another function
        {"left": "call   1050 <g>", "outside": "call   1015 <run+0x5>"},
    ],
)
def test_code_to_which_another_jump_may_lead_does_run(other: dict[str, str]) -> None:
    assert branches_of_null(**other) == 1


FRAMES = """
0000000000001000 <f_execute>:
    1000:	sub    $0x28,%rsp
    1004:	mov    {count},0x8(%rsp)
    1009:	{pointer}
    1013:	call   2000 <{called}@plt>
    1018:	mov    0x8(%rsp),%rcx
    101d:	call   1030 <run>
    1022:	add    $0x28,%rsp
    1026:	ret

0000000000001030 <run>:
    1030:	test   %rcx,%rcx
    1033:	je     1038 <run+0x8>
    1035:	vmovdqu %ymm0,(%rdi)
    1038:	ret
"""
"""A function that spills a number, copies data, and reloads the number."""


@pytest.mark.parametrize(
    ("count", "pointer", "called", "leaks"),
    [
        ("%rcx", "nop", "memcpy", 0),
        ("%rcx", "mov    %rsi,%rdi", "memcpy", 0),  # a copy of data to a vector
        ("%rax", "nop", "memcpy", 1),  # the number was data before
        ("%rcx", "lea    0x8(%rsp),%rdi", "memcpy", 1),  # a copy of data over the number
        ("%rcx", "lea    0x0(%rsp),%rdi", "memcpy", 1),  # its end may be over the number
        ("%rcx", "lea    (%rsp,%r8,8),%rdi", "memcpy", 1),  # anywhere in the frame
        ("%rcx", "lea    0x8(%rsp),%rsi", "memcpy", 0),  # the number is read only
        ("%rcx", "lea    0x8(%rsp),%rsi", "getline", 1),
        ("%rcx", "lea    0x8(%rsp),%rdi", "free", 0),
        ("%rcx", "vldmxcsr 0x8(%rsp)", "free", 0),  # a load
        ("%rcx", "vstmxcsr 0x10(%rsp)", "free", 0),  # a store of four bytes behind the number
        ("%rcx", "stmxcsr 0x4(%rsp)", "free", 0),  # and in front of it
        ("%rcx", "vstmxcsr 0x8(%rsp)", "free", 1),
        ("%rcx", "stmxcsr 0xc(%rsp)", "free", 1),
    ],
)
def test_a_call_may_write_to_the_frame_by_an_address_of_it(count: str, pointer: str, called: str, leaks: int) -> None:
    assert examine(FRAMES.format(count=count, pointer=pointer, called=called), "f_execute").branches == leaks


BYTES = """
0000000000001000 <f_execute>:
    1000:	call   1010 <run>
    1005:	ret

0000000000001010 <run>:
    1010:	cmp    $0x80,%rcx
    1014:	jae    1020 <run+0x10>
    1016:	xor    %eax,%eax
    1018:	jmp    1024 <run+0x14>
    1020:	{write}
    1024:	{condition}
    1028:	je     1030 <run+0x20>
    102a:	vmovdqu %ymm0,(%rdi)
    1030:	ret
"""
"""A function that keeps a condition in one byte of a register, and the whole register on another path."""


@pytest.mark.parametrize(
    ("write", "condition", "leaks"),
    [
        ("setae  %al", "test   %al,%al", 0),
        ("setae  %al", "test   %eax,%eax", 1),  # the other bytes hold data
        ("setae  %al", "test   %ah,%ah", 1),
        ("setae  %ah", "test   %al,%al", 1),
        ("setae  %r10b", "test   %al,%al", 1),
        ("mov    (%rsi),%al", "test   %al,%al", 1),
        ("mov    (%rsi),%eax", "test   %al,%al", 1),
    ],
)
def test_a_condition_in_one_byte_is_public(write: str, condition: str, leaks: int) -> None:
    assert examine(BYTES.format(write=write, condition=condition), "f_execute").branches == leaks
