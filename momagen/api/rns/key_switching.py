"""The inner product of key switching, on the rows of NumPy arrays and lists."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from momagen.api.calls.integers import check_rows, integer_array
from momagen.api.calls.own_words import NATIVE
from momagen.api.moduli import bases_of
from momagen.api.numbers import count
from momagen.api.request import TargetName
from momagen.arguments import checked_arguments, checked_methods
from momagen.emit import Source
from momagen.errors import MomagenError
from momagen.kernels.matrices.keyswitch import MOST_DIGITS, MOST_OUTPUTS, KeySwitchSpec, check_keyswitch
from momagen.kernels.requests.threads import MOST
from momagen.lazy import on_call
from momagen.runtime.compiled import address, failed
from momagen.verify import Report
from momagen.verify.rns.keyswitch import verify_keyswitch

from .kernels import COUNT, POINTER, RowsKernel, kernel_of, rows_target

Rows = npt.NDArray[np.uint64]


@checked_methods
class KeySwitch(RowsKernel):
    """The sums z_o = Σ_j d_j·k_{j,o} modulo each modulus of an RNS basis; built by :func:`momagen.keyswitch`.

    Attributes:
        spec: The checked request.
        name: The base name of the kernel's files, and the prefix of its C functions.
        moduli: The RNS basis.
    """

    spec: KeySwitchSpec

    def __init__(self, spec: KeySwitchSpec, generated: Source | None = None) -> None:
        super().__init__(spec, generated)
        self._plans = dict[int, int]()

    def __call__(self, d: Any, k: Any, order: Any = None) -> Any:
        """Return the sums of products of digits and keys, element by element.

        Args:
            d: The digits: integers of shape (…, digits, moduli, n) below ``input_factor`` times their modulus.
            k: The keys: integers of shape (digits, outputs, moduli, n) below their modulus, the same for all leading
                axes of d.
            order: A permutation of the n elements of a row: element c of the result is computed from element order[c]
                of the digits and element c of the keys (default: no permutation).

        Returns:
            Residues of shape (…, outputs, moduli, n): a uint64 array if d is an array, otherwise lists.

        Raises:
            MomagenError: An operand has another shape, a number is out of its range, or the order is not a permutation.
        """
        outputs, moduli, factor = self.spec.outputs, len(self.moduli), self.spec.input_factor
        digits = self._read(d, "d", f"(…, digits, {moduli}, n)", 3, factor)
        number, n = count(digits.shape[-3], "digits", 1, MOST_DIGITS), digits.shape[-1]
        keys = self._read(k, "k", f"({number}, {outputs}, {moduli}, {n})", 4, 1)
        if keys.shape != (number, outputs, moduli, n):
            raise MomagenError(f"integers of shape ({number}, {outputs}, {moduli}, {n})", f"shape {keys.shape}", "k")
        result = np.empty((*digits.shape[:-3], outputs, moduli, n), np.uint64)
        self._run(result, digits, keys, None if order is None else permutation(order, n))
        return result if isinstance(d, np.ndarray) else result.tolist()

    def _run(self, result: Rows, digits: Rows, keys: Rows, columns: npt.NDArray[np.uintp] | None) -> None:
        """Write the sums to ``result``; the arguments have been checked."""
        plan, n = self._plan_for(digits.shape[-3]), digits.shape[-1]
        execute = self._function("execute", [POINTER] * 5 + [COUNT], ctypes.c_int)
        for at in np.ndindex(digits.shape[:-3]):
            code = execute(
                plan, address(result[at]), address(digits[at]), address(keys),
                None if columns is None else address(columns), n,
            )  # fmt: skip
            if code:
                raise failed(code)

    @property
    def _plan(self) -> int:
        return self._plan_for(self.spec.digits)

    def _plan_for(self, digits: int) -> int:
        """Return the address of the plan for a number of digits."""
        if digits not in self._plans:
            self._plans[digits] = self._created([self.moduli], (COUNT, digits))
        return self._plans[digits]

    def _read(self, x: Any, where: str, shape: str, axes: int, factor: int) -> Rows:
        """Return ``x`` as contiguous words, checked to be below ``factor`` times their modulus."""
        array = integer_array(x, f"integers of shape {shape}", where)
        if array.ndim < axes or array.shape[-2] != len(self.moduli):
            raise MomagenError(f"integers of shape {shape}", f"shape {array.shape}", where)
        check_rows(array, [factor * q for q in self.moduli], where)
        return np.require(array.astype(NATIVE, copy=False), NATIVE, ("C", "A"))

    def _compared(self, seed: int) -> Report:
        return verify_keyswitch(self.name, self, self.spec, seed)

    def __repr__(self) -> str:
        return f"<{self.name}: sums for {self.spec.outputs} outputs of {len(self.moduli)} rows>"


def permutation(order: Any, n: int) -> npt.NDArray[np.uintp]:
    """Return the columns that an order names, as an array of C's ``size_t``.

    Raises:
        MomagenError: The order is not a permutation of ``n`` columns.
    """
    expected = f"a permutation of 0 to {n - 1}"
    array = integer_array(order, expected, "order")
    if array.shape != (n,):
        raise MomagenError(expected, f"shape {array.shape}", "order")
    if not np.array_equal(np.sort(array), np.arange(n)):
        raise MomagenError(expected, "a list with repeated or missing columns", "order")
    return array.astype(np.uintp)


@checked_arguments
def keyswitch(
    moduli: Sequence[int] | int, *, modulus_bits: int | None = None, outputs: int = 2, input_factor: int = 1,
    digits: int = 3, target: TargetName = "c", threads: int | None = None,
) -> KeySwitch:  # fmt: skip
    """Build the inner product of key switching: z_o = Σ_j d_j·k_{j,o} modulo each of ``moduli``, element by element.

    The products of all digits are summed before they are reduced. The operands are rows of residues, in homomorphic
    encryption usually values of polynomials (after the NTT). With one output, the result is the sum of element-wise
    products.

    Args:
        moduli: The RNS basis: any numbers from 2 to 2^62, or the number of the largest primes of ``modulus_bits`` bits.
        modulus_bits: The width in bits of the primes, if a number of them was passed.
        outputs: The number of keys for each digit and of results, 1 to 4; key switching of a ciphertext has 2.
        input_factor: The range of the digits, which are below ``input_factor`` times their modulus: 1, 2 or 4.
        digits: The number of digits with which ``verify`` tests the kernel, 1 to 64; calls accept any such number.
        target: A C target with 64-bit words, "native" for the best of them on this CPU, or a CUDA target such as
            "cuda".
        threads: The number of threads that compute one call, in C; ``k.threads`` sets another number.

    Returns:
        The kernel. ``k(d, keys)`` maps digits of shape (…, digits, moduli, n) and keys of shape (digits, outputs,
        moduli, n) to sums of shape (…, outputs, moduli, n).

    Raises:
        MomagenError: The moduli or a number are out of range, or the target does not support the kernel or threads.

    Examples:
        >>> import momagen as mg
        >>> k = mg.keyswitch([97], outputs=1)
        >>> digits = [[[2, 3]], [[4, 5]]]  # two digits, one modulus, n = 2
        >>> keys = [[[[10, 10]]], [[[1, 1]]]]  # two digits, one output, one modulus, n = 2
        >>> k(digits, keys)
        [[[24, 35]]]
    """
    spec = keyswitch_spec(
        moduli, modulus_bits=modulus_bits, outputs=outputs, input_factor=input_factor, digits=digits, target=target,
        threads=threads,
    )  # fmt: skip
    return kernel_of(spec, KeySwitch, on_call("momagen.api.rns.on_device", "CudaKeySwitch"))


def keyswitch_spec(
    moduli: object, *, modulus_bits: object = None, outputs: object = 2, input_factor: object = 1, digits: object = 3,
    target: TargetName = "c", threads: object = None,
) -> KeySwitchSpec:  # fmt: skip
    """Return the checked request of :func:`keyswitch`; numbers may also be texts."""
    (basis,) = bases_of({"moduli": moduli}, modulus_bits)
    number = 0 if threads is None else count(threads, "threads", 1, MOST)
    return check_keyswitch(KeySwitchSpec(
        basis, rows_target(target), count(outputs, "outputs", 1, MOST_OUTPUTS), count(input_factor, "input_factor", 1),
        count(digits, "digits", 1, MOST_DIGITS), threads=number,
    ))  # fmt: skip
