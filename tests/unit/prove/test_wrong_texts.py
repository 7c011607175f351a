"""Wrong C sources: each is a stated edit of a generated kernel, which is proven, and the edited one must not be."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import proofs

VSUB, VSUB2, VMUL, VMUL60 = ("vsub", 20), ("vsub", 66), ("vmul", 3), ("vmul", 60)
VADD64, VADD6 = ("vadd", 64), ("vadd", 381)
X, Y, STORE = "const uint64_t x_0 = x[0];\n", "const uint64_t y_0 = y[0];\n", "z[0] = t1;\n"
LOOP = "    for (size_t i = 0; i < n; i++) {\n"
ADVANCE = "        x++;\n        y++;\n        z++;\n    }\n"
SETUP = "            setup(plan->c, q);\n"
RUN = "    run(z, x, y, plan->c, n);\n"
CARRY = (
    "    uint64_t kept[1] = {0};\n" + LOOP + "        uint64_t extra = 0;\n"
    "        if (i == 5)\n            kept[0] = 1;\n        else\n            extra = kept[0];\n"
)
LEAVE = (
    "static size_t leaves(uint64_t *t, size_t m)\n{\n    for (size_t i = 0; i < m; i++) {\n"
    "        if (i == 3)\n            return 1;\n        t[i] = 1;\n    }\n    return 0;\n}\n#define WORDS 1"
)


WRONG: dict[str, tuple[tuple[str, int], tuple[tuple[str, str], ...]]] = {
    # Statements that only prefetch.
    "a prefetch under a secret condition": (VSUB, ((STORE, "z[0] = t1; if (x_0 & 1) __builtin_prefetch(x);\n"),)),
    "a prefetch under a condition outside an array": (
        VSUB,
        ((STORE, "z[0] = t1; if (c[99] & 1) __builtin_prefetch(x);\n"),),
    ),
    "a prefetch at an address from outside an array": (VSUB, ((STORE, "z[0] = t1; __builtin_prefetch(x + c[99]);\n"),)),
    "a prefetch at an address that is moved by a secret number": (
        VSUB,
        ((STORE, "z[0] = t1; __builtin_prefetch((const void *)((uintptr_t)(x) + 8 * (x_0)));\n"),),
    ),
    "a load from an address as a number": (VSUB, ((STORE, "z[0] = *(const uint64_t *)((uintptr_t)(x) + 8);\n"),)),
    "an address that depends on an operand": (
        VSUB,
        ((STORE, "uint64_t k[2]; k[x_0 & 1] = t1; z[0] = k[x_0 & 1];\n"),),
    ),
    "an address as a residue": (VSUB, ((STORE, "z[0] = (uint64_t)((uintptr_t)(x) + 8);\n"),)),
    "an address as a condition": (VSUB, ((STORE, "z[0] = t1; if ((uintptr_t)(x) + 8) z[0] = t1;\n"),)),
    "a product of an address": (
        VSUB,
        ((STORE, "z[0] = t1; __builtin_prefetch((const void *)((uintptr_t)(x) * 8));\n"),),
    ),
    # Types and conversions.
    "a quotient in 32 bits": (VMUL60, (("const uint64_t t6 = ", "const uint32_t t6 = "),)),
    "a product in 32 bits": (VMUL60, (("const uint64_t t5 = ", "const uint32_t t5 = "),)),
    "a cast to 32 bits": (VMUL60, (("(uint64_t)(t1", "(uint32_t)(t1"),)),
    "a word in 16 bits": (VSUB, ((X, "const uint16_t x_0 = x[0];\n"),)),
    "a signed word": (("vsub", 64), ((X, "const int64_t x_0 = x[0];\n"),)),
    "a shift by the width": (VMUL60, ((">> 60", ">> 64"),)),
    "a shift of a flag by the width": (VSUB, ((STORE, "z[0] = t1 + ((uint64_t)(x_0 < y_0) << 64);\n"),)),
    "a conditional expression of two types": (
        VSUB,
        ((STORE, "z[0] = t1 + (((n ? (uint32_t)0 : q_0) - 1) >> 31 >> 1);\n"),),
    ),
    "char, which may be unsigned": (VSUB, ((STORE, "{ char g = 0 - 1; z[0] = t1 + (g > 0); }\n"),)),
    "a variable named like a constant": (
        VSUB,
        (
            ("#define WORDS 1", "#define WORDS 1\nenum { extra = 0 };"),
            (STORE, "{ uint64_t extra = 1; z[0] = t1 + extra; }\n"),
        ),
    ),
    # Loops.
    "a loop from 1": (VSUB, ((LOOP, LOOP.replace("i = 0", "i = 1")),)),
    "a loop to 2n": (VSUB, ((LOOP, LOOP.replace("i < n", "i < 2 * n")),)),
    "a loop to n + 1": (VSUB, ((LOOP, LOOP.replace("i < n", "i < n + 1")),)),
    "a loop with <=": (VSUB, ((LOOP, LOOP.replace("i < n", "i <= n")),)),
    "a loop with step 2": (VSUB, ((LOOP, LOOP.replace("i++", "i += 2")),)),
    "a missing z++": (VSUB, (("        z++;\n", ""),)),
    "a missing x++": (VSUB, (("        x++;\n", ""),)),
    "z += 2": (VSUB, (("z++;", "z += 2;"),)),
    "x += 2": (VSUB, (("x++;", "x += 2;"),)),
    "pointers that are exchanged in each iteration": (
        VSUB,
        (("x++;\n        y++;\n", "const uint64_t *p = x;\n        x = y + 1;\n        y = p + 1;\n"),),
    ),
    "an array that one iteration changes": (VSUB, ((LOOP, CARRY), (STORE, "z[0] = t1 + extra;\n"))),
    "a variable that one iteration changes": (
        VSUB,
        (
            (LOOP, "    uint64_t extra = 0;\n" + LOOP),
            (STORE, "z[0] = t1 + extra;\n        if (i == 5)\n            extra = 1;\n"),
        ),
    ),
    "an iteration that is skipped": (VSUB, ((STORE, "if (i == 3)\n            continue;\n        z[0] = t1;\n"),)),
    "a loop that is left": (VSUB, ((STORE, "if (i == 3)\n            break;\n        z[0] = t1;\n"),)),
    "a function that is left": (VSUB, ((STORE, "if (i == 3)\n            return;\n        z[0] = t1;\n"),)),
    "a loop that returns": (
        VSUB,
        (
            ("#define WORDS 1", LEAVE),
            (
                LOOP,
                "    uint64_t t[8] = {0}, extra = 0;\n    if (n < 8 && leaves(t, n))\n        extra = t[1];\n" + LOOP,
            ),
            (STORE, "z[0] = t1 + extra;\n"),
        ),
    ),
    "a condition inside the bound": (
        VSUB,
        (
            (LOOP, LOOP.replace("i < n", "i < (i >= 5 ? n : n)")),
            (STORE, "if (i == 1)\n            t1++;\n        z[0] = t1;\n"),
        ),
    ),
    "a bound that is negative": (
        VSUB,
        (
            (
                ADVANCE,
                ADVANCE + "    for (size_t i = 0; i < (int64_t)n - (INT64_C(1) << 60); i++)\n        n = n + 0;\n",
            ),
        ),
    ),
    "a counter that is negative": (
        VSUB,
        ((ADVANCE, ADVANCE + "    for (int64_t i = (int64_t)n - (INT64_C(1) << 60); i != 0; i++)\n        ;\n"),),
    ),
    # Memory.
    "a load of the wrong word": (VSUB2, (("x_1 = x[1]", "x_1 = x[0]"),)),
    "x loaded from y": (VSUB, ((X, X.replace("x[0]", "y[0]")),)),
    "a word stored at the wrong place": (VSUB2, (("z[1] = t2;\n", "z[0] = t2;\n"),)),
    "a store before y is read": (VSUB, ((Y, "z[0] = x_0;\n        " + Y),)),
    "a store into x": (VSUB, ((STORE, STORE + "        ((uint64_t *)x)[0] = 0;\n"),)),
    "a store behind the end": (VSUB, ((STORE, STORE + "        z[1] = 0;\n"),)),
    "restrict": (
        VSUB,
        (("by_1(uint64_t *z, const uint64_t *x", "by_1(uint64_t *restrict z, const uint64_t *restrict x"),),
    ),
    "an uninitialised word": (VSUB, (("        mg_restore1(&t1, x_0, y_0, q_0);\n", ""),)),
    "a pointer to a variable that has ended": (
        VSUB,
        (
            (
                "#define WORDS 1",
                "#define WORDS 1\nstatic const uint64_t *own(uint64_t a)\n"
                "{\n    uint64_t b[1] = {0};\n    b[0] = a;\n    return b;\n}\n",
            ),
            (STORE, "z[0] = *own(t1);\n"),
        ),
    ),
    "a plan that is freed": (VSUB, ((SETUP, SETUP + "            free(plan);\n"),)),
    "x freed": (VSUB, ((RUN, RUN + "    free((void *)x);\n"),)),
    "a member freed": (VSUB, ((SETUP, SETUP + "            free(plan->c);\n"),)),
    "a plan freed twice": (VSUB, (("    free(plan);\n", "    free(plan);\n    free(plan);\n"),)),
    "a second plan": (VSUB, ((RUN, RUN.replace("plan->c", "(plan + 1)->c")),)),
    "a plan that is too short": (
        VSUB2,
        (("    uint64_t c[2];", "    uint64_t c[2];\n    u128 w;"), ("calloc(1, sizeof *plan)", "calloc(1, 24)")),
    ),
    # State that outlives a call.
    "a static counter": (
        VSUB,
        ((LOOP, "    static uint64_t calls = 0;\n    calls++;\n" + LOOP), (STORE, "z[0] = t1 + calls - 1;\n")),
    ),
    "a global variable": (
        VSUB,
        (
            ("#define WORDS 1", "#define WORDS 1\nstatic uint64_t bias = 0;"),
            (STORE, "z[0] = t1 + bias;\n"),
            ("    static const char *const texts[]", "    bias = 1;\n    static const char *const texts[]"),
        ),
    ),
    "execute changes the plan": (VSUB, ((RUN, RUN + "    ((uint64_t *)plan->c)[0] += 2;\n"),)),
    "a plan that keeps the caller's q": (
        VSUB,
        (
            ("    uint64_t c[1];", "    uint64_t c[1];\n    const uint64_t *q;\n"),
            (SETUP, SETUP + "            plan->q = q;\n"),
            (RUN, RUN.replace("plan->c", "plan->q")),
        ),
    ),
    "a bit-field": (
        VSUB,
        (
            ("    uint64_t c[1];", "    uint64_t c[1];\n    uint64_t w : 8;"),
            (SETUP, SETUP + "            plan->w = 256;\n"),
            (RUN, RUN.replace("n)", "plan->w == 256 ? n : 0)")),
        ),
    ),
    # Order of evaluation and what compilers define.
    "operands without an order": (VSUB, ((STORE, "{ size_t k = 0; const size_t m = k++ + k; z[0] = t1 + m - 1; }\n"),)),
    "arguments without an order": (
        VSUB,
        (
            (
                "#define WORDS 1",
                "#define WORDS 1\nstatic uint64_t set(uint64_t *a)\n{\n    *a = 0;\n    return 0;\n}\n"
                "static uint64_t sum(uint64_t a, uint64_t b)\n{\n    return a + b;\n}\n",
            ),
            (STORE, "{ uint64_t k = 1; z[0] = t1 + sum(set(&k), k); }\n"),
        ),
    ),
    "another text if the compiler optimises": (
        VSUB,
        ((STORE, "#ifdef __OPTIMIZE__\n        t1++;\n#endif\n        z[0] = t1;\n"),),
    ),
    "another text for another CPU": (
        VSUB,
        ((STORE, "#if defined(__aarch64__)\n        t1++;\n#endif\n        z[0] = t1;\n"),),
    ),
    "another text for another version of gcc": (
        VSUB,
        ((STORE, "#if __GNUC__ == 11\n        t1++;\n#endif\n        z[0] = t1;\n"),),
    ),
    "a trigraph": (VSUB, ((STORE, "// what is this ??/\n        z[0] = t1;\n        z[0] = t1;\n"),)),
    "a macro of the compiler's state": (VSUB, ((STORE, "z[0] = t1 + __COUNTER__;\n"),)),
    "a helper that is the same for flags only": (
        VSUB,
        (
            (
                "#define WORDS 1",
                "#define WORDS 1\nstatic inline uint64_t more(unsigned char c, uint64_t a)\n{\n"
                "#if defined(__GNUC__)\n    return a + c;\n#else\n    return a + (c & 1);\n#endif\n}\n",
            ),
            (STORE, "z[0] = more(2, t1) - 2;\n"),
        ),
    ),
    "a helper that is the same for different pointers only": (
        VSUB,
        (
            (
                "#define WORDS 1",
                "#define WORDS 1\nstatic inline void two(uint64_t *r, uint64_t *s, uint64_t a, uint64_t b)\n{\n"
                "#if defined(__GNUC__)\n    *r = a;\n    *s = b;\n#else\n    *s = b;\n    *r = a;\n#endif\n}\n",
            ),
            (STORE, "two(&t1, &t1, 0, t1);\n        z[0] = t1;\n"),
        ),
    ),
    "an operand of &= that is not evaluated": (
        VSUB,
        ((STORE, "{ uint64_t k = 0; k &= x[100]; z[0] = t1 + k; }\n"),),
    ),
    "another text for clang": (VSUB, ((STORE, "#ifdef __clang__\n        t1++;\n#endif\n        z[0] = t1;\n"),)),
    "an attribute that changes a type": (VSUB, (("uint64_t t1;", "uint64_t t1 __attribute__((mode(QI)));"),)),
    "a pragma that changes a layout": (VSUB, (("#define WORDS 1", "#pragma pack(1)\n#define WORDS 1"),)),
    # Assembly and helper functions.
    "an inverted choice in portable C": (VSUB, (("return b ^ ((a ^ b)", "return a ^ ((a ^ b)"),)),
    "an inverted choice in assembly": (
        VSUB,
        (
            ('"testb %[f], %[f]\\n\\tcmovnzq %[a], %[b]"', '"testb %[f], %[f]\\n\\tcmovzq %[a], %[b]"'),
            ("mg_restore1(&t1, x_0, y_0, q_0)", "t1 = mg_select(x_0 < y_0, x_0 - y_0 + q_0, x_0 - y_0)"),
        ),
    ),
    "a move on no carry": (VSUB, (("cmovcq %[t]", "cmovncq %[t]"),)),
    "a difference in the wrong order": (VSUB2, (("subq %[b0], %[a0]", "subq %[a0], %[b0]"),)),
    "a dropped borrow": (VSUB2, (("sbbq %[b1], %[a1]", "subq %[b1], %[a1]"),)),
    "a dropped carry": (VSUB2, (("adcq %[b1], %[a1]", "addq %[b1], %[a1]"),)),
    "an output without the mark of early change": (VSUB2, (('[a0] "+&r"(a0)', '[a0] "+r"(a0)'),)),
    "an output in memory": (VSUB2, (('[a0] "+&r"(a0)', '[a0] "+&rm"(a0)'),)),
    "a constant that is extended by its sign": (
        VSUB,
        (
            (
                STORE,
                '{ uint64_t e = 0, f = 0; __asm__("addq $-1, %[e]\\n\\tadcq $0, %[f]"'
                ' : [e] "+r"(e), [f] "+r"(f) : : "cc"); z[0] = t1 + f + 1; }\n',
            ),
        ),
    ),
    "a carry of 2": (
        VSUB2,
        (
            ("    uint64_t t1, t2;", "    uint64_t t1, t2, e;\n        mg_adc(2, x_0 - x_0, x_0 - x_0, &e);"),
            ("z[0] = t1;", "z[0] = t1 + e - 2;"),
        ),
    ),
    "a byte that borrows too much": (VADD64, (("sbbb $0", "sbbb $1"),)),
    "a move by the borrow of a word": (VADD64, (("sbbb $0, %[c]\\n\\tcmovcq", "cmovcq"),)),
    "a carry that is ignored in portable C": (VADD64, (("    c &= carry ^ 1;\n", ""),)),
    "a carry in the wrong byte": (VADD64, (('[c] "+&q"(carry)', '[c] "+q"(carry)'),)),
    "a choice among six words exchanged": (VADD6, (("&t24, t4, t14", "&t24, t14, t4"),)),
    "a borrow among six words dropped": (VADD6, (("mg_sbb(t15, t8, q_4", "mg_sbb(0, t8, q_4"),)),
    "a word of six that is chosen from another place": (VADD6, (("&t23, t8, t18", "&t23, t8, t14"),)),
    "operands exchanged": (VSUB, (("mg_restore1(&t1, x_0, y_0", "mg_restore1(&t1, y_0, x_0"),)),
    # Set-up and the public functions.
    "modulus_fits admits too much": (VSUB, (("q[0] >> 20", "q[0] >> 21"),)),
    "modulus_fits admits 1": (VSUB, (("q[0] > 1", "q[0] > 0"),)),
    "modulus_fits admits 0": (VSUB2, (("(q[0] > 1)", "(q[0] < 1)"),)),
    "modulus_fits admits long moduli": (VSUB2, ((" && q[1] >> 2 == 0", ""),)),
    "modulus_fits refuses 2": (VSUB, (("q[0] > 1", "q[0] > 2"),)),
    "modulus_fits refuses the longest": (VSUB, (("q[0] >> 20 == 0", "q[0] < 1048575"),)),
    "create acts differently if it reports": (
        VSUB,
        (
            (
                "    if (why)\n        *why = code;\n",
                "    if (why) {\n        *why = code;\n        if (plan)\n            plan->c[0] += 2;\n    }\n",
            ),
        ),
    ),
    "create reports success for a refusal": (VSUB, (("        code = VSUB_20B_C_BAD_MODULUS;", "        return 0;"),)),
    "another q in the plan": (VSUB, (("    memcpy(c, q, sizeof(uint64_t) * 1);", "    c[0] = q[0] + 1;"),)),
    "a copy of an array onto itself": (
        VSUB,
        (("    memcpy(c, q, sizeof(uint64_t) * 1);", "    memcpy(c, q, sizeof(uint64_t) * 1);\n    memcpy(c, c, 8);"),),
    ),
    "a copy of an operand into the result": (VSUB, ((STORE, "memcpy(z, x, sizeof(uint64_t)); z[0] = t1;\n"),)),
    "a Barrett constant of another length": (VMUL, (("(mu2, 1, 9,", "(mu2, 1, 10,"),)),
    "a result that is not shifted back": (VMUL, (("t8 >> missing_0", "t8"),)),
    "execute returns an error": (
        VSUB,
        (("    return VSUB_20B_C_OK;\n}\n\nconst", "    return VSUB_20B_C_NO_MEMORY;\n}\n\nconst"),),
    ),
    "a plan that is not checked": (VSUB, (("!plan || (n", "!plan && (n"),)),
    "an operand that is not checked": (VSUB, (("!(x && y && z)", "!(x && y || z)"),)),
    "q that is not checked": (VSUB, (("if (!q)\n        code = VSUB_20B_C_NULL_POINTER;\n    else ", ""),)),
    "no memory that is not reported": (VSUB, (("            code = VSUB_20B_C_NO_MEMORY;", "            ;"),)),
    "execute stops early": (VSUB, (("    if (!n)", "    if (n < 2)"),)),
    "n in 32 bits": (VSUB, (("const uint64_t *c, size_t n)", "const uint64_t *c, uint32_t n)"),)),
}
HARMLESS = {
    "a comment": (VSUB, ((STORE, "z[0] = t1; /* the result */\n"),)),
    "another counter": (VSUB, ((LOOP, LOOP.replace("i++", "++i")),)),
}


@pytest.mark.whole
@pytest.mark.parametrize("kernel", [VSUB, VSUB2, VMUL, VADD64, VADD6, pytest.param(VMUL60, marks=pytest.mark.slow)])
def test_the_generated_kernels_are_proven(kernel: tuple[str, int], tmp_path: Path) -> None:
    assert proofs.problem_of(*kernel, proofs.source(*kernel), tmp_path) == ""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_text_is_rejected(name: str, tmp_path: Path) -> None:
    kernel, edits = WRONG[name]
    assert proofs.problem_of(*kernel, proofs.edited(*kernel, *edits), tmp_path) != ""


def test_a_copy_of_an_operand_into_the_result_is_refused_with_the_reason(tmp_path: Path) -> None:
    kernel, edits = WRONG["a copy of an operand into the result"]
    problem = proofs.problem_of(*kernel, proofs.edited(*kernel, *edits), tmp_path)
    assert "memcpy copies x into the result, which may be the same array" in problem


@pytest.mark.parametrize("name", HARMLESS)
def test_a_harmless_edit_is_proven(name: str, tmp_path: Path) -> None:
    kernel, edits = HARMLESS[name]
    assert proofs.problem_of(*kernel, proofs.edited(*kernel, *edits), tmp_path) == ""
