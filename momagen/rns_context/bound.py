"""The functions of a context's C library, called from Python on NumPy arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from momagen.errors import MomagenError

Words = np.ndarray[Any, np.dtype[np.uint64]]
U64 = ctypes.POINTER(ctypes.c_uint64)


class BoundContext:
    """A context of the C library ``library``, whose functions begin with ``name``.

    Polynomials are uint64 arrays of shape (rows, n); extended polynomials have the rows of the auxiliary moduli last.
    Methods raise a MomagenError with the text of the code if the library returns a code other than OK.

    Attributes:
        n: The number of coefficients.
        q: The moduli.
        p: The auxiliary moduli.
    """

    def __init__(
        self, library: ctypes.CDLL, name: str, n: int, q: Sequence[int], p: Sequence[int] = (), digits: int = 1,
        roots: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        self.n, self.q, self.p, self._library, self._name = n, tuple(q), tuple(p), library, name
        code = ctypes.c_int()
        self._context = self._bind("create", ctypes.c_void_p)(
            ctypes.c_size_t(n), ctypes.c_size_t(len(q)), _pack(q), ctypes.c_size_t(len(p)), _pack(p),
            ctypes.c_size_t(digits), _pack(roots) if roots else None, ctypes.byref(code),
        )  # fmt: skip
        self._demand(code.value)

    def __del__(self) -> None:
        if context := getattr(self, "_context", None):
            self._bind("destroy", None)(ctypes.c_void_p(context))

    @property
    def roots(self) -> list[int]:
        """The roots of all moduli."""
        count, root = len(self.q) + len(self.p), self._bind("root", ctypes.c_uint64)
        return [root(ctypes.c_void_p(self._context), ctypes.c_size_t(i)) for i in range(count)]

    def count_rows(self, level: int, extended: bool = False) -> int:
        """Return the number of rows of a polynomial."""
        return level + len(self.p) * extended

    def apply(
        self, operation: str, *operands: Words, level: int, extended: bool = False, g: int | None = None
    ) -> Words:
        """Return the result of an operation on whole polynomials, such as ``ntt``, ``mul`` or ``automorphism``."""
        result = np.empty((self.count_rows(level, extended), self.n), np.uint64)
        element = [] if g is None else [ctypes.c_size_t(g)]
        self._call(operation, result, *operands, *element, ctypes.c_size_t(level), ctypes.c_int(extended))
        return result

    def dot(self, x: Sequence[Words], y: Sequence[Words], level: int, extended: bool = False) -> Words:
        """Return the sum of the products x[k]·y[k]."""
        result = np.empty((self.count_rows(level, extended), self.n), np.uint64)
        numbers = ctypes.c_size_t(len(x)), ctypes.c_size_t(level), ctypes.c_int(extended)
        self._call("dot", result, _collect_addresses(x), _collect_addresses(y), *numbers)
        return result

    def rescale(self, x: Words, level: int) -> Words:
        """Return x divided by its last modulus."""
        result = np.empty((level - 1, self.n), np.uint64)
        self._call("rescale", result, x, ctypes.c_size_t(level))
        return result

    def mod_down(self, x: Words, level: int) -> Words:
        """Return the extended polynomial x divided by P."""
        result = np.empty((level, self.n), np.uint64)
        self._call("mod_down", result, x, ctypes.c_size_t(level))
        return result

    def decompose(self, x: Words, level: int) -> Words:
        """Return the digits of x, an array of shape (digits, rows, n)."""
        digits = self._bind("digits", ctypes.c_size_t)(ctypes.c_void_p(self._context), ctypes.c_size_t(level))
        result = np.empty((digits, self.count_rows(level, True), self.n), np.uint64)
        self._call("decompose", result, x, ctypes.c_size_t(level))
        return result

    def keyswitch(self, x: Words, key: Words, level: int) -> Words:
        """Return the pair of x switched to a key, an array of shape (2, level, n); the key has (digits, 2, rows, n)."""
        result = np.empty((2, level, self.n), np.uint64)
        self._call("keyswitch", result[0], result[1], x, key, ctypes.c_size_t(level))
        return result

    def keyswitch_digits(self, digits: Words, g: int, key: Words, level: int) -> Words:
        """Return the pair of x(X^g) switched to a key, for the digits of x."""
        result, element = np.empty((2, level, self.n), np.uint64), ctypes.c_size_t(g)
        self._call("keyswitch_digits", result[0], result[1], digits, element, key, ctypes.c_size_t(level))
        return result

    def _call(self, operation: str, *arguments: Any) -> None:
        """Call an operation of the library on arrays and numbers.

        Raises:
            MomagenError: The library returns a code other than OK.
        """
        given = [_point(each) if isinstance(each, np.ndarray) else each for each in arguments]
        self._demand(self._bind(operation, ctypes.c_int)(ctypes.c_void_p(self._context), *given))

    def _demand(self, code: int) -> None:
        """Raise the error for ``code``, unless it is OK.

        Raises:
            MomagenError: The code is not OK.
        """
        if code:
            text = self._bind("error_text", ctypes.c_char_p)(ctypes.c_int(code))
            raise MomagenError("arguments that the context supports", text.decode(), self._name)

    def _bind(self, verb: str, result: Any) -> Any:
        """Return the C function whose name ends with ``verb``."""
        found = self._library[f"{self._name}_{verb}"]
        found.restype = result
        return found


def _pack(numbers: Sequence[int]) -> Any:
    """Return numbers as a C array, which has at least one element."""
    return (ctypes.c_uint64 * max(len(numbers), 1))(*numbers)


def _point(array: Words) -> Any:
    """Return the address of a contiguous uint64 array."""
    assert array.dtype == np.uint64
    assert array.flags.c_contiguous
    return array.ctypes.data_as(U64)


def _collect_addresses(arrays: Sequence[Words]) -> Any:
    """Return the addresses of arrays as a C array."""
    return (U64 * len(arrays))(*map(_point, arrays))
