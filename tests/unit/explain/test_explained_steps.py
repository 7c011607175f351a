"""Explanations are true: every step, run as the program that it is, computes what was asked; so does the code."""

from __future__ import annotations

import ctypes
import random
import re
from collections.abc import Callable
from itertools import product

import gmpy2
import pytest

import momagen as mg
from momagen.api.native import resolved
from momagen.emit import generate
from momagen.explain import ELEMENTS, OPERATIONS, applied, applied_rules, element, kernel_text, operation
from momagen.explain.naming import Power, Symbol
from momagen.explain.notation import NOTATION, Line
from momagen.explain.steps import RewriteStep
from momagen.ir import OPS
from momagen.kinds.modular.make_spec import make_spec
from momagen.runtime import compile_shared, load
from momagen.targets import load_target
from momagen.targets.declared import ROWS

Env = dict[str, int]

PYTHON = {
    "·": "*", "∨": "|", "∧": "&", "=?": "==", "≤": "<=", "≥": ">=", "¬": "1 - ", "otherwise": "else", " (mod ": " % (",
    " mod ": " % ", "⌊": "(", "⌋": ")", " / ": " // ", "[": "J(", "]": ")",
}  # fmt: skip
"""The notation as Python; J joins digits."""

OPAQUE = {"montgomery", "ct", "gs"}
"""Lines that no expression of their operands gives: their steps are left to the next one."""


def written(line: Line) -> tuple[str, str]:
    """Both sides, names as identifiers, runs of digits written out, without what a product is computed by."""
    texts = (
        t.code if isinstance(t, Symbol) else f"2**{t.exponent}" if isinstance(t, Power) else t for t in line.tokens
    )
    text = re.sub(r"(\w+_)(\d+), …, \w+_(\d+)", _run, "".join(texts))
    left, _, right = re.sub(", by .*", "", text).replace(" ≡ ", " = ").replace(" ≈ ", " = ").partition(" = ")
    for ours, python in PYTHON.items():
        right = right.replace(ours, python)
    return left, right


def _run(found: re.Match[str]) -> str:
    return ", ".join(f"{found[1]}{i}" for i in range(int(found[2]), int(found[3]) + 1))


def execute(step: RewriteStep, env: Env) -> None:
    """Run one step; a carry is what overflows the words beside it, a borrow what goes below zero.

    A digit that nobody needs stands as _ and may have any value.
    """

    def join(*digits: int) -> int:
        total = 0
        for digit in digits:
            total = (total << step.level) + digit
        return total

    for line in step.lines:
        left, right = written(line)
        told = {t.code: t.bits for t in line.tokens if isinstance(t, Symbol) and t.bits}
        value = int(eval(right, {"J": join, "umin": min, "_": random.getrandbits(step.level)}, env))
        for name in reversed(left.strip("[]").split(", ")):
            bits = 1 if name.startswith("delta") else told.get(name, step.level)
            env[name] = value & ((1 << bits) - 1)
            value >>= bits


def put(env: Env, letter: str, number: int, bits: int, level: int) -> None:
    """``number`` as digits, numbered from the high part."""
    count = -(-bits // level)
    for i in range(count):
        env[f"{letter}_{count - 1 - i}" if count > 1 else letter] = number >> level * i & ((1 << level) - 1)


def get(env: Env, letter: str, level: int) -> int:
    if letter == "delta":
        return env.get("delta_0", env.get("delta", -1))
    digits = [env[letter]] if letter in env else []
    while f"{letter}_{len(digits)}" in env:
        digits.append(env[f"{letter}_{len(digits)}"])
    return sum(digit << level * i for i, digit in enumerate(reversed(digits)))


def numbers(op: str, bits: int, rng: random.Random) -> tuple[dict[str, int], int, str]:
    """Inputs by letter, the right answer, and the letter it stands under."""
    top = 1 << bits
    a, b = (rng.choice([0, 1, top - 1, rng.randrange(top), rng.randrange(top)]) for _ in "ab")
    q = int(gmpy2.next_prime(rng.randrange(top // 2, top * 3 // 4)))
    if op in ("addmod", "submod"):
        a, b = a % q, b % q
        return {"a": a, "b": b, "q": q}, (a + b if op == "addmod" else a - b) % q, "c"
    if op in ("barrett", "montgomery"):
        k = bits - 4 if op == "barrett" else -(-bits // 64) * 64
        q = q >> (4 if op == "barrett" else 0) | 1
        last = ("mu", (1 << 2 * k + 3) // q) if op == "barrett" else ("qp", pow(q, -1, 1 << k))
        a, b = a % q, b % q
        return {"a": a, "b": b, "q": q, last[0]: last[1]}, a * b * (1 if op == "barrett" else pow(2, -k, q)) % q, "c"
    plain: dict[str, Callable[[], tuple[int, str]]] = {
        "mul": lambda: (a * b, "c"), "lt": lambda: (int(a < b), "delta"), "mulhi": lambda: (a * b >> bits, "c"),
        "mullo": lambda: (a * b % top, "c"), "eq": lambda: (int(a == b), "delta"),
    }  # fmt: skip
    return {"a": a, "b": b}, *plain[op]()


CASES = [
    (op, bits, target, options)
    for op, bits in [
        ("addmod", 128), ("addmod", 381), ("addmod", 60), ("submod", 256), ("mul", 128), ("mul", 256), ("mullo", 256),
        ("mulhi", 128), ("lt", 256), ("eq", 192), ("barrett", 128), ("barrett", 256), ("montgomery", 192),
    ]
    for target, options in [
        ("c", {}), ("c64", {"compare": "less"}), ("avx2", {}), ("avx512", {"multiply": "karatsuba"}),
    ]
]  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("op", "bits", "target", "options"), CASES)
def test_every_step_is_a_right_program(op: str, bits: int, target: str, options: dict[str, str]) -> None:
    full = bits if op in ("addmod", "submod", "montgomery") else None
    told, rng = operation(op, bits, load_target(target), options, full), random.Random(f"{op}{bits}{target}")
    run = [step for step in told.steps if not any(line.op in OPAQUE for line in step.lines)]
    assert len(run) >= len(told.steps) - 2
    for step in run:
        for _ in range(20):
            inputs, expected, letter = numbers(op, bits, rng)
            env: Env = {}
            for name, number in inputs.items():
                put(env, name, number, max(bits, number.bit_length()), step.level)
            execute(step, env)
            assert get(env, letter, step.level) == expected, (step.title or step.rules_applied, inputs)


FORMS = {
    "2^61 - 1": 2**61 - 1, "2^255 - 19": 2**255 - 19, "2^64 - 2^32 + 1": 2**64 - 2**32 + 1,
    "2^192 - 2^64 - 1": 2**192 - 2**64 - 1,
    "2^256 - 2^224 + 2^192 + 2^96 - 1": 2**256 - 2**224 + 2**192 + 2**96 - 1,
}  # fmt: skip


@pytest.mark.parametrize("target", ["c", "avx2"])
@pytest.mark.parametrize("form", FORMS)
def test_every_step_of_an_element_is_a_right_program(form: str, target: str) -> None:
    """Modulo numbers that are known by their form, which is told; q stands for the number."""
    q, rng = FORMS[form], random.Random(form)
    spec = resolved("vmul", modulus=q, target=target, bake="yes")
    told = element(spec)
    for step in told.steps:
        for _ in range(20):
            x, y = (rng.choice([0, 1, q - 1, rng.randrange(q), rng.randrange(q)]) for _ in "xy")
            env: Env = {"q": q}
            for letter, number in (("x", x), ("y", y)):
                put(env, letter, number, q.bit_length(), step.level)
            execute(step, env)
            assert get(env, "z", step.level) == int(gmpy2.mpz(x) * y % q), (step.title or step.rules_applied, x, y)
    assert told.form == form and form in told.by_form.values()
    assert f"q = {form}" in told.text() and f"q = {form}" in told.html()
    assert told.command() == f"momagen explain vmul --modulus {q:#x} --target {target}"
    assert f"q = {form}, baked in" in kernel_text(generate(spec))


@pytest.mark.parametrize("kind", ELEMENTS)
def test_every_element_can_be_explained(kind: str) -> None:
    told = element(resolved(kind, modulus_bits=124, target="c64"))
    assert told.form == "" and told.by_form == {} and told.modulus_bits == 124
    assert sum(told.operations.values()) == len(told.steps[-1].lines)


def test_what_no_element_explains_is_refused() -> None:
    with pytest.raises(mg.MomagenError, match="a kernel with a single modulus, one of"):
        element(resolved("ntt", n=8, bits=64))
    with pytest.raises(mg.MomagenError, match="operations are rewritten to words"):
        element(resolved("vmul", bits=64, target="b512"))


@pytest.mark.compiles
def test_code_computes_the_sum() -> None:
    """The statements beside the steps, as the body of a C function."""
    told = operation("addmod", 192, load_target("c64"), {"compare": "less"}, modulus_bits=192)
    loads = [f"const uint64_t {n}_{2 - i} = {n}[{i}];" for n in "abq" for i in range(3)]
    stores = [f"c[{i}] = c_{2 - i};" for i in range(3)]
    body = "\n".join([*loads, *(line.text for line in told.code), *stores])
    words = ", ".join(f"const uint64_t *{n}" for n in "abq")
    target = load_target("c64")
    prelude = "".join(target.prelude.values())
    text = f"#include <stdint.h>\n{prelude}\nvoid f(uint64_t *c, {words}) {{\n{body}\n}}"
    library = load(compile_shared(text, name="told", flags=["-std=c99"]))
    rng = random.Random(7)
    for _ in range(200):
        inputs, expected, _ = numbers("addmod", 192, rng)
        arrays = [(ctypes.c_uint64 * 3)(*(inputs[n] >> 64 * i & (2**64 - 1) for i in range(3))) for n in "abq"]
        result = (ctypes.c_uint64 * 3)()
        library.f(result, *arrays)
        assert sum(word << 64 * i for i, word in enumerate(result)) == expected


def test_lines_of_code_know_where_they_come_from() -> None:
    told = operation("ct", 128, load_target("c"))
    assert all(any(step.path.startswith(line.path) for step in told.steps[-1].lines) for line in told.code)
    assert {line.path.split(".")[0] for line in told.code} == {str(i) for i in range(len(told.steps[1].lines))}


def test_every_operation_has_a_notation() -> None:
    assert set(NOTATION) == set(OPS) - {"perm2"} - set(ROWS)


@pytest.mark.parametrize("op", OPERATIONS)
def test_every_operation_can_be_explained(op: str) -> None:
    told = operation(op, 128, load_target("c64"))
    assert "_" not in {token for step in told.steps for line in step.lines for token in line.tokens}
    assert sum(told.operations.values()) == len(told.steps[-1].lines)
    text, page = told.text(), told.html()
    assert all(
        rule.label in text and rule.why.replace("<", "&lt;").replace("'", "&#39;") in page
        for rule, _ in told.rules_applied
    )


@pytest.mark.parametrize("target", ["cuda", "cuda_words64"])
@pytest.mark.parametrize("op", ["add", "sub", "mul", "mulmod", "montgomery", "butterfly"])
def test_operations_are_explained_with_code_for_gpus(op: str, target: str) -> None:
    told = operation(op, 128, load_target(target))
    code = "\n".join(line.text for line in told.code)
    results = {name for line in told.steps[-1].lines for name in line.defines}
    assert ("asm(" in code) == (target == "cuda") and len(told.code) >= 1
    assert all(re.search(rf"\b{name}\b", code) for name in results if name.startswith("c_"))


def test_a_modulus_has_four_bits_less_than_its_container_unless_its_length_is_given() -> None:
    """Without the top bit a sum of residues has no carry."""
    target = load_target("c64")
    usual, full = operation("addmod", 128, target), operation("addmod", 128, target, modulus_bits=128)
    assert usual.widths == "128-bit container, 124-bit modulus" and full.widths == "128-bit container, 128-bit modulus"
    assert sum(usual.operations.values()) < sum(full.operations.values())
    assert "--modulus-bits" not in usual.command() and "--modulus-bits 128" in full.command()


@pytest.mark.thorough
def test_the_first_line_says_where_kernels_are_made_of_digits() -> None:
    """By the note of a kernel that is generated, for every target at every class of widths."""
    ops = {"ct": ("ntt", {"n": 256}), "gs": ("ntt", {"n": 256, "inverse": True}), "mulmod": ("vmul", {})}
    for target, bits, op in product(("c", "avx2", "avx512", "avx512ifma"), (31, 60, 64, 124), ops):
        kind, shape = ops[op]
        source = generate(resolved(kind, modulus_bits=bits, target=target, **shape))
        notes = [note for note in source.notes if note.startswith("limbs: ")]
        told = operation(op, -(-(bits + 4) // 64) * 64, load_target(target), modulus_bits=bits)
        shorter = str(source.spec.target) != target
        other = any("full-radix limbs" not in note for note in notes)
        assert bool(told.aside) == (shorter or other), (op, target, bits)
        assert (str(source.spec.target) in told.aside) >= shorter
        if told.aside:
            assert told.text().splitlines()[0] == told.aside and told.aside in told.html()


def test_the_page_needs_nothing_else() -> None:
    page = operation("addmod", 128, load_target("c64")).html()
    assert not re.search(r"https?://|src=|<link|@import|url\(", page)
    assert "prefers-color-scheme: dark" in page


def test_kernel_text_counts_rules_in_table_order() -> None:
    source = generate(make_spec("ntt", n=16, bits=128))
    text = kernel_text(source)
    listed = re.findall(r"^ +(\d+) × (.{32})", text.split("\n\n")[1], re.MULTILINE)
    order = [rule.label for rule, _ in applied_rules(source.rules_applied)]
    found = [(label.strip(), int(count)) for count, label in listed]
    assert found == [(label, source.rules_applied[label]) for label in order]
    assert f"{sum(source.operations.values())}" in text
    assert "2 words of 64 bits" in text


def test_products_in_doubles_are_told_as_the_rules_that_they_are() -> None:
    source = mg.ntt(64, bits=128, target="avx2").generated
    counts = {rule.name: count for rule, count in applied(source.rules_applied)}
    assert counts["shoup_to_nearest"] == 3 and counts["residue_to_nearest"] == 1
    assert sum(counts.values()) == sum(source.rules_applied.values())
    assert "and rounding by little more than 1/2" in kernel_text(source)
