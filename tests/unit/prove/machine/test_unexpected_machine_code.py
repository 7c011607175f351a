"""Damaged shared objects and unexpected contents of registers are refused with a reason."""

from __future__ import annotations

import platform
from collections.abc import Callable

import pytest
from support.machine_code import VECTOR_FRAME, assembled, executed

from momagen.prove.checker import ProofError
from momagen.prove.machine.image import Image

pytestmark = [
    pytest.mark.compiles,
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the machine code is for x86-64"),
]
BODIES = {
    "register_of_caller": "vmovq %r12, %xmm1; vpaddq %xmm1, %xmm1, %xmm2",
    "return_address": "vmovq (%rsp), %xmm1; vpsrlq $1, %xmm1, %xmm2",
    "pointer": "vmovq %rsp, %xmm1; vpminuq %xmm1, %xmm1, %xmm2",
    "unknown": "vpaddq %xmm1, %xmm1, %xmm2",
}
SEGMENTS, SECTIONS, NUMBERS = slice(32, 40), slice(40, 48), slice(54, 64)
"""The bytes of the header of an ELF file: the offsets of two tables, and the sizes and numbers of their rows."""


def _with(at: slice, byte: bytes) -> Callable[[bytes], bytes]:
    """Return a function that replaces a field of the header by a byte that is repeated."""
    return lambda content: content[: at.start] + byte * (at.stop - at.start) + content[at.stop :]


DAMAGED: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda content: content[:64],
    "segments outside": _with(SEGMENTS, b"\xff"),
    "sections outside": _with(SECTIONS, b"\x7f"),
    "too many rows": _with(NUMBERS, b"\xff"),
    "a name that is no text": lambda content: content.replace(b"\0pointer\0", b"\0\xff\xfe\xfd\xfc\xfb\xfa\xf9\0"),
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return assembled(tmp_path_factory.mktemp("machine"), BODIES, frame=VECTOR_FRAME).read_bytes()


@pytest.mark.parametrize("name", BODIES)
def test_an_operation_on_something_else_than_a_number_is_refused(name: str, shared: bytes) -> None:
    with pytest.raises(ProofError, match="an operand of an operation on vectors is no known number"):
        [*executed(Image(shared), name, is_secret=True)]


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_shared_object_is_refused(damage: str, shared: bytes) -> None:
    assert Image(shared).function("pointer").size
    with pytest.raises(ProofError, match="the shared object is damaged"):
        Image(DAMAGED[damage](shared))
