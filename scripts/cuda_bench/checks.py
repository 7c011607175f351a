"""Whether a kernel is right, by Python's integers alone: nothing here comes from the generator.

Of a transform F on dense random x: outputs by the definition, F⁻¹(F(x)) = x, and F(x′) - F(x) where x′ differs from x
in a few elements, whose transform the definition gives at any size. Of an element-wise kernel: elements by its formula.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .kernel import BenchKernel, Words32, numbers_of, words_of

SAMPLES, CHANGED, DENSE = 6, 16, 1 << 14
"""Outputs that are compared, elements that differ, and the longest transform whose definition is summed in full."""
FORMULAS: dict[str, Callable[[dict[str, int]], int]] = {
    "vadd": lambda v: v["x"] + v["y"], "vsub": lambda v: v["x"] - v["y"], "vmul": lambda v: v["x"] * v["y"],
    "axpy": lambda v: v["a"] * v["x"] + v["y"],
}  # fmt: skip


class Wrong(Exception):
    """A kernel gave another value than its definition."""


def residues(q: int, stride: int, count: int, seed: int) -> Words32:
    """Random residues below q, the first two of them q - 1 and 0: the leading word of each is below that of q."""
    made = np.random.default_rng(seed).integers(0, 1 << 32, (count, stride), np.uint32)
    top = (q.bit_length() - 1) // 32
    made[:, top + 1 :] = 0
    made[:, top] %= np.uint32(max(1, q >> 32 * top))
    edges = words_of([q - 1, 0], stride).reshape(2, stride)[:count]
    made[: len(edges)] = edges
    return made.reshape(-1)


def reversed_bits(j: int, n: int) -> int:
    return int(format(j, f"0{n.bit_length() - 1}b")[::-1], 2)


def check_transform(forward: BenchKernel, back: BenchKernel, count: int, seed: int = 0) -> int:
    """Values compared of ``count`` transforms and back.

    Raises:
        Wrong: one differs.
    """
    row, n, q = forward.row, forward.row.n, forward.row.modulus
    x = residues(q, row.stride, n * count, seed)
    y = _run(forward, [x], count)
    again = _run(back, [y], count)
    if not np.array_equal(again, x):
        at = int(np.argmax((again != x).reshape(-1, row.stride).any(axis=1)))
        raise Wrong(f"{row.name}: F⁻¹(F(x)) is not x at element {at}")
    spots = np.random.default_rng(seed + 1)
    places = sorted({int(i) for i in spots.integers(0, n, CHANGED)})
    other = x.reshape(count, n, row.stride).copy()
    other[-1, places] = residues(q, row.stride, len(places) + 2, seed + 2).reshape(-1, row.stride)[2:]
    z = _run(forward, [other.reshape(-1)], count)
    change = dict(zip(places, _less(other[-1, places], x.reshape(other.shape)[-1, places], row.stride, q), strict=True))
    outputs = sorted({0, 1, n - 1, *(int(j) for j in spots.integers(0, n, SAMPLES))})
    last, first = z.reshape(other.shape)[-1], y.reshape(other.shape)[-1]
    for j in outputs:
        point = pow(row.root, reversed_bits(j, n), q)
        expected = sum(s * pow(point, i, q) for i, s in change.items()) % q
        found = _less(last[[j]], first[[j]], row.stride, q)[0]
        _same(row.name, f"F(x′) - F(x) at {j}", found, expected)
    if n <= DENSE:
        _dense(forward, x.reshape(other.shape)[0], y.reshape(other.shape)[0], outputs)
    return x.size // row.stride + len(outputs) * (1 + (n <= DENSE))


def _dense(forward: BenchKernel, x: Words32, y: Words32, outputs: list[int]) -> None:
    """Outputs by Horner's rule."""
    row, q, numbers = forward.row, forward.row.modulus, numbers_of(x, forward.row.stride)
    for j in outputs:
        point, expected = pow(row.root, reversed_bits(j, row.n), q), 0
        for number in reversed(numbers):
            expected = (expected * point + number) % q
        _same(row.name, f"F(x) at {j}", numbers_of(y[[j]], row.stride)[0], expected)


def check_elements(kernel: BenchKernel, count: int, seed: int = 0) -> int:
    """Elements compared of an element-wise kernel: the first, the last, random ones.

    Raises:
        Wrong: one differs.
    """
    row = kernel.row
    names = [name for name in row.operands if name not in row.scalars]
    vectors = [residues(row.modulus, row.stride, count, seed + at) for at in range(len(names))]
    found = _run(kernel, vectors, count)
    spots = np.random.default_rng(seed).integers(0, count, 64)
    places = sorted({0, 1, count - 1, *(int(i) for i in spots)})
    for i in places:
        part = slice(i * row.stride, (i + 1) * row.stride)
        values = dict(zip(names, (numbers_of(vector[part], row.stride)[0] for vector in vectors), strict=True))
        expected = FORMULAS[row.kind](values | kernel.scalars) % row.modulus
        _same(row.name, f"element {i}", numbers_of(found[part], row.stride)[0], expected)
    return len(places)


def _run(kernel: BenchKernel, vectors: list[Words32], count: int) -> Words32:
    device = kernel.device
    given = [device.given(vector) for vector in vectors]
    result = device.zeros(len(vectors[0]))
    kernel.run(result, given, count, kernel.room(count))
    found: Words32 = device.taken(result)
    return found


def _less(a: Words32, b: Words32, stride: int, q: int) -> list[int]:
    return [(u - v) % q for u, v in zip(numbers_of(a, stride), numbers_of(b, stride), strict=True)]


def _same(name: str, what: str, found: int, expected: int) -> None:
    if found != expected:
        raise Wrong(f"{name}: {what}: expected {expected:#x}, got {found:#x}")


__all__: list[Any] = ["Wrong", "check_elements", "check_transform", "residues"]
