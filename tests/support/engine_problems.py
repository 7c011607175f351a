"""Problems for the engine: an operation at some width, how to draw its inputs, and what gmpy2 says of its outputs."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import gmpy2
from gmpy2 import mpz

from momagen.ir import OPS, Block, Builder
from momagen.rewrite import COMPOSITES

assert OPS.keys() >= COMPOSITES.keys()  # with this import they are known
Inputs = dict[str, int]


def container(bits: int, word: int) -> int:
    """The least word·2^j that holds ``bits``."""
    width = word
    while width < bits:
        width *= 2
    return width


@dataclass(frozen=True)
class Problem:
    """A block, how to draw its inputs, what its outputs must be, and what rules derive of the inputs."""

    block: Block
    draw: Callable[[], Inputs]
    right: Callable[[Inputs, Inputs], bool]
    derived: Callable[[Inputs], Inputs] = lambda ins: {}


def block_of(op: str, width: int, tops: dict[str, int], k: int = 0) -> Block:
    """``op`` on inputs of these names, each at most its number; outputs r0, r1, …"""
    builder = Builder()
    kinds = ["flag" if kind == "f" else "word" for kind in OPS[op].args]
    args = [builder.input(name, 0, top, kind) for (name, top), kind in zip(tops.items(), kinds, strict=True)]
    for i, result in enumerate(builder.emit(op, width, *args, k=k)):
        builder.output(f"r{i}", result)
    return builder.block


def draw(rng: random.Random, lo: int, hi: int) -> int:
    """A number of [lo, hi]: an end, few bits set, near the top, or any."""
    way = rng.randrange(6)
    few = sum({1 << rng.randrange(hi.bit_length() + 1) for _ in range(4)})
    near = hi - rng.getrandbits(hi.bit_length() // 2 + 1)
    return max(lo, min(hi, (lo, hi, few, near, rng.randint(lo, hi), rng.randint(lo, hi))[way]))


def plain(op: str) -> Callable[[random.Random, int, int], Problem]:
    """Operations that gmpy2 answers directly, on any numbers of ``bits`` bits."""
    row = OPS[op]

    def problem(rng: random.Random, bits: int, word: int) -> Problem:
        width, top = container(bits, word), (1 << bits) - 1
        k = rng.randint(0, 2 * width + 3) if op in ("shl", "shr", "shrd", "low") else 0
        tops = {f"x{i}": 1 if kind == "f" else top for i, kind in enumerate(row.args)}

        def numbers() -> Inputs:
            found = {name: draw(rng, 0, limit) for name, limit in tops.items()}
            if row.args == "ww" and rng.random() < 0.2:  # nearly equal
                found["x1"] = min(top, max(0, found["x0"] + rng.randint(-1, 1)))
            return found

        def right(ins: Inputs, outs: Inputs) -> bool:
            return tuple(outs.values()) == tuple(map(int, PLAIN[op](mpz(1) << width, k, *map(mpz, ins.values()))))

        return Problem(block_of(op, width, tops, k), numbers, right)

    return problem


PLAIN: dict[str, Callable[..., tuple[object, ...]]] = {
    "add": lambda z, k, a, b: ((a + b) // z, (a + b) % z), "addlo": lambda z, k, a, b: ((a + b) % z,),
    "addc": lambda z, k, a, b, c: ((a + b + c) // z, (a + b + c) % z),
    "sub": lambda z, k, a, b: (a < b, (a - b) % z), "sublo": lambda z, k, a, b: ((a - b) % z,),
    "subb": lambda z, k, a, b, c: (a < b + c, (a - b - c) % z),
    "mul": lambda z, k, a, b: (a * b // z, a * b % z), "mulhi": lambda z, k, a, b: (a * b // z,),
    "mullo": lambda z, k, a, b: (a * b % z,),
    "lt": lambda z, k, a, b: (a < b,), "le": lambda z, k, a, b: (a <= b,), "eq": lambda z, k, a, b: (a == b,),
    "shr": lambda z, k, a: (a // mpz(2) ** k,), "shl": lambda z, k, a: (a * mpz(2) ** k % z,),
    "shrd": lambda z, k, a, b: ((a * z + b) // mpz(2) ** k % z,), "low": lambda z, k, a: (a % mpz(2) ** k,),
    "select": lambda z, k, f, a, b: (a if f else b,), "csub": lambda z, k, a, m: (a - m if a >= m else a,),
}  # fmt: skip


def sums(op: str) -> Callable[[random.Random, int, int], Problem]:
    def problem(rng: random.Random, bits: int, word: int) -> Problem:
        top = (1 << bits) - 1

        def numbers() -> Inputs:
            q = draw(rng, 1, top)
            return {"x": draw(rng, 0, q - 1), "y": draw(rng, 0, q - 1), "q": q}

        def right(ins: Inputs, outs: Inputs) -> bool:
            x, y, q = map(mpz, ins.values())
            return outs["r0"] == (x + y if op == "addmod" else x - y) % q

        return Problem(block_of(op, container(bits, word), {"x": top, "y": top, "q": top}), numbers, right)

    return problem


def barrett(rng: random.Random, bits: int, word: int) -> Problem:
    top = (1 << bits) - 1

    def numbers() -> Inputs:
        q = draw(rng, (1 << bits - 1) + 1, top)
        return {"x": draw(rng, 0, q - 1), "y": draw(rng, 0, q - 1), "q": q, "mu": (1 << 2 * bits + 3) // q}

    tops = {"x": top, "y": top, "q": top, "mu": (1 << bits + 4) - 1}
    return Problem(block_of("barrett", container(bits + 4, word), tops, bits), numbers,
                   lambda ins, outs: outs["r0"] == mpz(ins["x"]) * ins["y"] % ins["q"])  # fmt: skip


def inverse_power(k: int, q: int) -> mpz:
    return gmpy2.invert(mpz(2) ** k, q) if q > 1 else mpz(0)


def montgomery(rng: random.Random, bits: int, word: int) -> Problem:
    top, k = (1 << bits) - 1, -(-bits // word) * word

    def numbers() -> Inputs:
        q = draw(rng, 0, top) | 1
        return {"x": draw(rng, 0, q - 1), "y": draw(rng, 0, q - 1), "q": q, "qi": int(gmpy2.invert(q, mpz(2) ** k))}

    def right(ins: Inputs, outs: Inputs) -> bool:
        return outs["r0"] == mpz(ins["x"]) * ins["y"] * inverse_power(k, ins["q"]) % ins["q"]

    tops = {"x": top, "y": top, "q": top, "qi": (1 << k) - 1}
    return Problem(block_of("montgomery", container(bits, word), tops, k), numbers, right)


def montgomery_butterfly(op: str) -> Callable[[random.Random, int, int], Problem]:
    def problem(rng: random.Random, bits: int, word: int) -> Problem:
        top, k = (1 << bits) - 1, -(-bits // word) * word

        def numbers() -> Inputs:
            q = draw(rng, 0, top) | 1
            return {**{name: draw(rng, 0, q - 1) for name in "xyv"}, "q": q}

        def right(ins: Inputs, outs: Inputs) -> bool:
            x, y, v, q = map(mpz, ins.values())
            wanted = (x + v * y, x - v * y) if op == "butterfly_full" else (x + y, (x - y) * v)
            return tuple(outs.values()) == tuple(int(r % q) for r in wanted)

        def derived(ins: Inputs) -> Inputs:
            return {"v": (ins["v"] << k) % ins["q"], "qi": int(gmpy2.invert(ins["q"], mpz(2) ** k))}

        tops = {"x": top, "y": top, "v": top, "q": top}
        return Problem(block_of(op, container(bits, word), tops, k), numbers, right, derived)

    return problem


def congruent(q: int, pairs: list[tuple[int, mpz, int]]) -> bool:
    """Each result is congruent to what is wanted and at most its top."""
    return all((got - wanted) % q == 0 and got <= top for got, wanted, top in pairs)


def quotient(bits: int, word: int) -> Callable[[Inputs], Inputs]:
    """⌊v·2^h/q⌋ for the h bits of the words that hold v."""
    held = -(-bits // word) * word
    return lambda ins: {"u": (ins["v"] << held) // ins["q"]}


def lazy(op: str) -> Callable[[random.Random, int, int], Problem]:
    """Shoup's product and the lazy butterflies, with the exact quotient or with one short by 2(k - 1)."""

    def problem(rng: random.Random, bits: int, word: int) -> Problem:
        k = max(1, container(bits + 4, word) // word) if rng.random() < 0.5 else 1
        width, top = container(bits + 4 + k.bit_length(), word), (1 << bits) - 1
        k = width // word if k > 1 else 1
        full = (1 << width) - 1
        if op != "shoup":  # the words that hold v hold x + c
            held, k = -(-bits // word) * word, 1
            top, full = (1 << max(1, min(bits, held - 3))) - 1, (1 << held) - 1
            bits = top.bit_length()
        c = 2 * k * top

        def numbers() -> Inputs:
            q = draw(rng, 1, top)
            v = draw(rng, 0, q - 1)
            if op == "shoup":
                return {"y": draw(rng, 0, full), "v": v, "vq": (v << width) // q, "q": q}
            y = draw(rng, 0, full if op == "butterfly" else 2 * k * q - 1)
            return {"x": draw(rng, 0, 2 * k * q - 1), "y": y, "v": v, "q": q, "c": 2 * k * q}

        def right(ins: Inputs, outs: Inputs) -> bool:
            q, vy, x = ins["q"], mpz(ins["v"]) * ins["y"], ins.get("x", 0)
            if op == "shoup":
                return congruent(q, [(outs["r0"], vy, 2 * k * q - 1)])
            if op == "butterfly":
                return congruent(q, [(outs["r0"], x + vy, x + 2 * k * q - 1), (outs["r1"], x - vy, x + ins["c"])])
            wanted = mpz(x - ins["y"]) * ins["v"]
            return congruent(q, [(outs["r0"], mpz(x + ins["y"]), x + ins["y"]), (outs["r1"], wanted, 2 * k * q - 1)])

        if op == "shoup":
            return Problem(block_of(op, width, {"y": full, "v": top, "vq": full, "q": top}, k), numbers, right)
        tops = {"x": c, "y": full if op == "butterfly" else c, "v": top, "q": top, "c": c}
        return Problem(block_of(op, width, tops, k), numbers, right, quotient(bits, word))

    return problem


def tight(op: str) -> Callable[[random.Random, int, int], Problem]:
    def problem(rng: random.Random, bits: int, word: int) -> Problem:
        bits -= bits % word == 0
        width, top = container(bits + 1, word), (1 << bits) - 1
        full = (1 << -(-bits // word) * word) - 1

        def numbers() -> Inputs:
            q = draw(rng, 1, top)
            v = draw(rng, 0, q - 1)
            y = draw(rng, 0, full if op == "butterfly_tight" else 2 * q - 1)
            return {"x": draw(rng, 0, 2 * q - 1), "y": y, "v": v, "q": q}

        def right(ins: Inputs, outs: Inputs) -> bool:
            x, y, v, q = map(mpz, ins.values())
            wanted = (x + v * y, x - v * y) if op == "butterfly_tight" else (x + y, (x - y) * v)
            return congruent(int(q), [(outs[f"r{i}"], w, 2 * int(q) - 1) for i, w in enumerate(wanted)])

        tops = {"x": 2 * top, "y": full if op == "butterfly_tight" else 2 * top, "v": top, "q": top}
        return Problem(block_of(op, width, tops, 1), numbers, right, quotient(bits, word))

    return problem


PROBLEMS: dict[str, Callable[[random.Random, int, int], Problem]] = {
    **{op: plain(op) for op in PLAIN},
    **{op: sums(op) for op in ("addmod", "submod")},
    "barrett": barrett, "montgomery": montgomery,
    **{op: lazy(op) for op in ("shoup", "butterfly", "inverse_butterfly")},
    **{op: tight(op) for op in ("butterfly_tight", "inverse_butterfly_tight")},
    **{op: montgomery_butterfly(op) for op in ("butterfly_full", "inverse_butterfly_full")},
}  # fmt: skip
