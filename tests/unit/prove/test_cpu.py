"""The meaning of instructions, built-in functions and C operators, compared with the code that gcc makes of them."""

from __future__ import annotations

import ctypes
import itertools
import platform
import random
from pathlib import Path

import pytest
from support.concrete import Numbers
from support.proofs_functions import EDGES, HEAD, compiled, executed

pytestmark = [
    pytest.mark.compiles,
    pytest.mark.whole,
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the inline assembly is for x86-64"),
]
BODIES = {
    # Inline assembly.
    "addq": '__asm__("addq %[b], %[a]" : [a] "+r"(a) : [b] "rme"(b) : "cc"); r[0] = a;',
    "adcq": (
        '__asm__("addq %[b], %[a]\\n\\tadcq $0, %[t]" : [a] "+&r"(a), [t] "+r"(t) : [b] "r"(b) : "cc"); '
        "r[0] = a; r[1] = t;"
    ),
    "adcq twice": (
        '__asm__("addq %[b], %[a]\\n\\tadcq %[b], %[t]\\n\\tadcq $5, %[b]" : [a] "+&r"(a), [t] "+&r"(t), '
        '[b] "+&r"(b) : : "cc"); r[0] = a; r[1] = t; r[2] = b;'
    ),
    "subq": '__asm__("subq %[b], %[a]" : [a] "+r"(a) : [b] "r"(b) : "cc"); r[0] = a;',
    "sbbq": (
        '__asm__("subq %[b], %[a]\\n\\tsbbq %[a], %[t]" : [a] "+&r"(a), [t] "+r"(t) : [b] "r"(b) : "cc"); '
        "r[0] = a; r[1] = t;"
    ),
    "sbbb": (
        '__asm__("subq %[b], %[a]\\n\\tsbbb $0, %[c]\\n\\tsbbq %[t], %[a]" : [a] "+&r"(a), [c] "+&q"(c) '
        ': [b] "r"(b), [t] "r"(t) : "cc"); r[0] = a; r[1] = c;'
    ),
    "sbbb with a byte": (
        'unsigned char d = 1; __asm__("subq %[b], %[a]\\n\\tsbbb %[c], %[d]\\n\\tsbbq %[t], %[a]" : [a] "+&r"(a), '
        '[d] "+&q"(d) : [b] "r"(b), [t] "r"(t), [c] "q"(c) : "cc"); r[0] = a; r[1] = d;'
    ),
    "cmovcq": '__asm__("subq %[b], %[a]\\n\\tcmovcq %[b], %[a]" : [a] "+&r"(a) : [b] "r"(b) : "cc"); r[0] = a;',
    "cmovnzq": (
        '__asm__("testb %[c], %[c]\\n\\tcmovnzq %[a], %[b]" : [b] "+r"(b) : [a] "r"(a), [c] "q"(c) : "cc"); r[0] = b;'
    ),
    "cmovnzw": (
        'uint16_t d = (uint16_t)a, e = (uint16_t)b; __asm__("testb %[c], %[c]\\n\\tcmovnzw %[d], %[e]" : [e] "+r"(e) '
        ': [d] "r"(d), [c] "q"(c) : "cc"); r[0] = e;'
    ),
    "testb clears the carry": (
        '__asm__("addq %[b], %[a]\\n\\ttestb %[c], %[c]\\n\\tadcq %[b], %[t]" : [a] "+&r"(a), '
        '[t] "+&r"(t) : [b] "r"(b), [c] "q"(c) : "cc"); r[0] = t;'
    ),
    "leaq keeps the carry": (
        '__asm__("addq %[b], %[a]\\n\\tleaq (%[a],%[b]), %[t]\\n\\tadcq $7, %[t]" : [a] "+&r"(a), '
        '[t] "=&r"(t) : [b] "r"(b) : "cc"); r[0] = a; r[1] = t;'
    ),
    "movl keeps the carry": (
        '__asm__("addq %[b], %[a]\\n\\tmovl $3, %k[b]\\n\\tadcq %[b], %[a]" : [a] "+&r"(a), [b] "+&r"(b) : '
        ': "cc"); r[0] = a; r[1] = b;'
    ),
    "the carry as an output": (
        'unsigned char o; __asm__("addq %[b], %[a]" : [a] "+r"(a), "=@ccc"(o) : [b] "r"(b)); r[0] = a; r[1] = o;'
    ),
    "the borrow as an output": (
        'unsigned char o; __asm__("subq %[b], %[a]" : [a] "+r"(a), "=@ccc"(o) : [b] "r"(b)); r[0] = a; r[1] = o;'
    ),
    "an empty statement": 'unsigned g = c; __asm__("" : "+r"(g)); r[0] = b ^ ((a ^ b) & (0 - (uint64_t)g));',
    # Built-in functions.
    "addcarryx": "unsigned long long o; c = __builtin_ia32_addcarryx_u64(c, a, b, &o); r[0] = o; r[1] = c;",
    "sbb": "unsigned long long o; c = __builtin_ia32_sbb_u64(c, a, b, &o); r[0] = o; r[1] = c;",
    # Operators of C.
    "sums wrap": "r[0] = a + b; r[1] = a - b; r[2] = (uint32_t)a + (uint32_t)b; r[3] = (uint32_t)a - (uint32_t)b;",
    "products": (
        "const u128 p = (u128)a * b; r[0] = (uint64_t)p; r[1] = (uint64_t)(p >> 64); r[2] = a * b; "
        "r[3] = (uint64_t)(p >> 58);"
    ),
    "narrow products": (
        "const uint32_t p = (uint32_t)a * (uint32_t)b; r[0] = p; r[1] = (uint64_t)(uint32_t)a * (uint32_t)b;"
    ),
    "bytes": (
        "const unsigned char x = (unsigned char)a, y = (unsigned char)b; r[0] = x + y; "
        "r[1] = (unsigned char)(x + y); r[2] = x * y;"
    ),
    "wide sums": "const u128 s = (u128)a + b + c; r[0] = (uint64_t)s; r[1] = (unsigned char)(s >> 64);",
    "wide differences": (
        "const u128 s = (u128)a - b - c; r[0] = (uint64_t)s; r[1] = (unsigned char)(s >> 64) & 1; "
        "r[2] = (uint64_t)(s >> 64); r[3] = (uint64_t)(s >> 60);"
    ),
    "shifts": "r[0] = a << 7; r[1] = a >> 63; r[2] = (a >> 3) >> 5; r[3] = (a << 60) >> 60;",
    "narrow shifts": "r[0] = (uint32_t)a << 7; r[1] = (uint32_t)a >> 31; r[2] = (uint64_t)(uint32_t)a << 40;",
    "joined words": (
        "r[0] = (uint64_t)((((u128)a << 64) | b) >> 58); r[1] = (a >> 60) | (b << 4); r[2] = (a << 32) | (uint32_t)b;"
    ),
    "masks": "r[0] = a & 255; r[1] = a & UINT64_C(0xffffffff); r[2] = a % 16; r[3] = a / 16;",
    "comparisons": "r[0] = (a < b) + 2 * (a <= b); r[1] = (a > b) + 2 * (a >= b); r[2] = (a == 5) + 2 * (a != 5);",
    "comparisons of sums": (
        "const uint64_t s = a + b, d = a - b; r[0] = (s < a) + 2 * (s < b) + 4 * (d > a) + 8 * (a < d); "
        "r[1] = (a < b) + 2 * (d <= a) + 4 * (s >= a); r[2] = s - a - (s < b); "
        "r[3] = ((a + c) < a) + 2 * ((a - c) > a);"
    ),
    "comparisons of half words": (
        "const uint32_t x = (uint32_t)a, y = (uint32_t)b, s = x + y; r[0] = (s < x) + 2 * (x < y) + 4 * (s <= y); "
        "r[1] = x - y; r[2] = (uint64_t)x < y; r[3] = (uint64_t)x - y;"
    ),
    "differences of half words": (
        "const uint32_t x = (uint32_t)a, y = (uint32_t)b; const uint64_t d = (uint64_t)x - y, e = d - c, "
        "f = (uint64_t)x - y - c; r[0] = d >> 63; r[1] = (uint32_t)e; r[2] = (e >> 63) + 2 * (f >> 32); "
        "r[3] = (uint64_t)(uint32_t)f * 3 + (d & 255);"
    ),
    "signs of short sums": (
        "const uint64_t x = a >> 4, y = b >> 3, d = x - y, e = d - c; r[0] = (d >> 63) + 2 * (e >> 63); r[1] = e; "
        "r[2] = (x + y - a) >> 63; r[3] = ((uint32_t)((uint32_t)x - (uint32_t)(y >> 33)) >> 31) + (d >> 62);"
    ),
    "masks of flags": (
        "const uint64_t m = 0 - (uint64_t)(a < b); r[0] = a + m; r[1] = a - m; r[2] = (a - b - m) >> 63; "
        "r[3] = m >> 40;"
    ),
    "signed comparisons": (
        "const int x = (unsigned char)a, y = (unsigned char)b; r[0] = x - y < 3; "
        "r[1] = (x - y < 3U) + 0; r[2] = (int64_t)x - y < 0;"
    ),
    "flags": "const unsigned char f = a < b; r[0] = f & c; r[1] = f | c; r[2] = f ^ 1; r[3] = 0 - (uint64_t)f;",
    "negation": "r[0] = 0 - a; r[1] = ~a; r[2] = -a; r[3] = (uint32_t)~(uint32_t)b;",
    "signed to unsigned": (
        "const int x = (unsigned char)a; r[0] = (uint64_t)(x - 300); r[1] = (uint32_t)(x - 300); "
        "r[2] = (uint64_t)(int64_t)(x - 300);"
    ),
    "choices": "r[0] = c ? a : b; r[1] = a < b ? 1 : 2; r[2] = c ? (uint32_t)a : b; r[3] = (c ? (uint32_t)0 : b) - 1;",
    "steps": (
        "size_t k = 3; k++; r[0] = k; ++k; k += 4; k -= 2; k <<= 3; k >>= 1; k |= 64; k &= 127; k ^= 1; "
        "r[1] = k; k--; r[2] = k;"
    ),
    "loops": (
        "for (size_t i = 0; i < 4; i++) { if (i == 1) continue; if (i == 3) break; r[i] = a + i; "
        "} r[1] = 0; size_t w = 4; while (w-- > 3) r[w] = w;"
    ),
    "logic": "r[0] = (a < b && c) + 2 * (a < b || c) + 4 * !c; r[1] = !a; r[2] = (a, b);",
    "arrays": (
        "uint64_t v[4] = {1, 2}; v[2] = a; const uint64_t *p = v + 1; p++; r[0] = *p; r[1] = p[-1]; "
        "r[2] = v[0] + v[3]; r[3] = sizeof(uint32_t);"
    ),
}


def _source(name: str) -> str:
    parameters = "uint64_t *r, uint64_t a, uint64_t b, unsigned char c"
    return f"{HEAD}void f({parameters})\n{{\n    uint64_t t = 9;\n    (void)t;\n    {BODIES[name]}\n}}\n"


@pytest.mark.parametrize("name", BODIES)
def test_a_meaning_is_what_the_cpu_computes(name: str, tmp_path: Path) -> None:
    rng = random.Random(name)
    library, runs = compiled(tmp_path, _source(name)), executed(tmp_path / "f.c")
    operands = [*EDGES, *(rng.randrange(1 << 64) for _ in range(4))]
    for a, b in rng.sample(list(itertools.product(operands, repeat=2)), 60):
        c = rng.randrange(2)
        results = (ctypes.c_uint64 * 4)()
        library.f(results, ctypes.c_uint64(a), ctypes.c_uint64(b), ctypes.c_ubyte(c))
        taken = 0
        for facts, found in runs:
            numbers = Numbers(facts, 2, lambda what, given={"a": a, "b": b, "c": c}: given[what])
            if all(numbers.value(condition) == 0 for condition in facts.conditions):
                taken += 1
                assert numbers.problems() == []
                assert [numbers.value(number.value.polynomial) for number in found] == list(results), (a, b, c)
        assert taken == 1
