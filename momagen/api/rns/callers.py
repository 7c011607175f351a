"""The callers of kernels on the rows of RNS bases, by the language of the target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from momagen.languages import COMPILED, CUDA, JAX
from momagen.lazy import on_call

if TYPE_CHECKING:
    from momagen.api.kernel import Kernel

UNARY: Mapping[str, Callable[..., Any]] = {
    COMPILED: on_call("momagen.api.rns.unary", "UnaryRowsCaller"),
    CUDA: on_call("momagen.api.rns.on_device", "CudaUnaryCaller"),
    JAX: on_call("momagen.api.matrices.caller", "MatrixCaller"),
}
KEY_SWITCHES: Mapping[str, Callable[..., Any]] = {
    COMPILED: on_call("momagen.api.rns.keyswitch", "KeySwitchCaller"),
    CUDA: on_call("momagen.api.rns.on_device", "CudaKeySwitchCaller"),
}


def unary_caller(kernel: Kernel) -> Callable[..., Any]:
    """Return the caller of a kernel with one operand."""
    return UNARY[kernel.target.syntax](kernel.spec, kernel.tables)  # type: ignore[no-any-return]


def keyswitch_caller(kernel: Kernel) -> Callable[..., Any]:
    """Return the caller of an inner product of key switching."""
    return KEY_SWITCHES[kernel.target.syntax](kernel.spec, kernel.tables)  # type: ignore[no-any-return]
