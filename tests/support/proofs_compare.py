"""Compare a compiled element-wise kernel with gmpy2, and exit with 1 if they differ."""

from __future__ import annotations

import ctypes
import json
import random
import sys
from collections.abc import Callable

from gmpy2 import mpz

FORMULAS: dict[str, Callable[..., int]] = {
    "vadd": lambda x, y: x + y,
    "vsub": lambda x, y: x - y,
    "vmul": lambda x, y: x * y,
    "vneg": lambda x: -x,
}
GUARD = 0x5A5A5A5A5A5A5A5A


def words(number: int, count: int) -> list[int]:
    """Return the words of a number, lowest first."""
    return [int(number >> 64 * i & (1 << 64) - 1) for i in range(count)]


def array(numbers: list[int], count: int) -> ctypes.Array[ctypes.c_uint64]:
    """Return numbers as words, with a guard behind them."""
    flat = [word for number in numbers for word in words(number, count)] + [GUARD] * 4
    return (ctypes.c_uint64 * len(flat))(*flat)


def moduli(bits: int, rng: random.Random) -> list[int]:
    """Return small moduli, moduli near powers of two, and random ones."""
    top = 1 << bits
    lengths = {
        *range(1, min(bits, 8)),
        bits // 2,
        63,
        64,
        65,
        bits - 1,
        bits,
        *(rng.randrange(1, bits) for _ in range(4)),
    }
    near = [(1 << b) + d for b in lengths for d in (-1, 0, 1)]
    return sorted({q for q in [*range(2, 34), *near, *(rng.randrange(2, top) for _ in range(12))] if 2 <= q < top})


def main(request: dict[str, str]) -> str:
    """Return the first difference."""
    bits, name, formula = int(request["bits"]), request["name"], FORMULAS[request["kind"]]
    count, rng = -(-bits // 64), random.Random(1)
    library = ctypes.CDLL(request["library"])
    create, execute = getattr(library, f"{name}_create"), getattr(library, f"{name}_execute")
    create.restype, execute.restype = ctypes.c_void_p, ctypes.c_int
    operands = formula.__code__.co_argcount
    for q in [0, 1, *range(1 << bits, (1 << bits) + 4), 1 << bits + 1, (1 << 64 * count) - 1]:
        fits = 2 <= q < 1 << bits
        if q < 1 << 64 * count and bool(create(array([q], count), None)) != fits:
            return f"create accepts {q}"
    for q in moduli(bits, rng):
        why = ctypes.c_int(77)
        plan = create(array([q], count), ctypes.byref(why))
        if not plan or why.value:
            return f"create refuses {q}"
        edges = [0, 1, q - 1, q // 2, max(q - 2, 0)]
        for n in (0, 1, 2, 3, 7, 70, 25):
            if n == 25:
                pairs = [[a, b][:operands] for a in edges for b in edges]
            else:
                pairs = [[rng.randrange(q) for _ in range(operands)] for _ in range(n)]
            expected = array([int(mpz(formula(*pair)) % q) for pair in pairs], count)
            for same in (None, *range(operands)):
                inputs = [array([pair[i] for pair in pairs], count) for i in range(operands)]
                result = array([0] * n, count) if same is None else inputs[same]
                code = execute(ctypes.c_void_p(plan), result, *inputs, ctypes.c_size_t(n))
                if code or list(result) != list(expected):
                    return f"q = {q}, n = {n}, z = {same}: wrong results"
    return ""


if __name__ == "__main__":
    difference = main(json.loads(sys.argv[1]))
    print(difference)
    sys.exit(bool(difference))
