/* Stand-ins for AVX-512 (F, DQ, IFMA, VBMI2) intrinsics on eight 64-bit lanes: plain C, bit-identical to the real ones.
 * Include this file INSTEAD OF <immintrin.h> if the processor, or a tool such as valgrind, does not support AVX-512.
 *
 * Each macro defines an intrinsic by its operation on one lane, together with the write-masked form (_mask_: a lane whose
 * mask bit is clear keeps src) and the zero-masked form (_maskz_). Lanes are selected by masks, never by branches, as in the
 * hardware; only masked memory accesses branch, because a lane whose mask bit is clear must not access memory.
 * Semantics: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2. */
#ifndef MOMAGEN_STANDINS_AVX512_H
#define MOMAGEN_STANDINS_AVX512_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct { uint64_t w[8]; } __attribute__((may_alias)) __m512i;
typedef struct { uint64_t w[4]; } __attribute__((may_alias)) __m256i;
typedef uint8_t __mmask8;
__extension__ typedef unsigned __int128 standin_u128;

typedef struct { uint64_t w[8]; } __attribute__((may_alias)) __m512d; /* eight doubles as bit patterns */

/* Intrinsics are not inlined: otherwise a codelet with 1600 of them takes a minute to compile. A call takes 8 ns. */
#define STANDIN static __attribute__((noinline, unused))
#define STANDIN_LANE static inline __attribute__((always_inline, unused))
#define EACH_LANE for (int i = 0; i < 8; i++)

/* ---- One lane. Shifts are defined for every count. ---- */

#define STANDIN_LOW52 0xFFFFFFFFFFFFFull
#define STANDIN_BIT(mask, i) ((mask) >> (i) & 1)

STANDIN_LANE uint64_t standin_select(int condition, uint64_t yes, uint64_t no) {
  return (yes & -(uint64_t)condition) | (no & ((uint64_t)condition - 1));
}
STANDIN_LANE int standin_less(uint64_t x, uint64_t y) { return x < y; }
STANDIN_LANE int standin_less_signed(uint64_t x, uint64_t y) { return (x ^ 1ull << 63) < (y ^ 1ull << 63); }

/* A count of 64 or more gives 0, or copies of the sign for an arithmetic right shift. */
STANDIN_LANE uint64_t standin_srl(uint64_t x, uint64_t n) { return standin_select(n < 64, x >> (n & 63), 0); }
STANDIN_LANE uint64_t standin_sll(uint64_t x, uint64_t n) { return standin_select(n < 64, x << (n & 63), 0); }
STANDIN_LANE uint64_t standin_sra(uint64_t x, uint64_t n) { return standin_srl(x ^ -(x >> 63), n) ^ -(x >> 63); }

/* Funnel shifts take the count modulo 64. y << 1 << (63 - n) is y << (64 - n), and 0 if n = 0. */
STANDIN_LANE uint64_t standin_shrd(uint64_t x, uint64_t y, uint64_t n) { return x >> (n & 63) | y << 1 << (~n & 63); }
STANDIN_LANE uint64_t standin_shld(uint64_t x, uint64_t y, uint64_t n) { return x << (n & 63) | y >> 1 >> (~n & 63); }

STANDIN_LANE uint64_t standin_lo52(uint64_t x, uint64_t y) {
  return (x & STANDIN_LOW52) * (y & STANDIN_LOW52) & STANDIN_LOW52;
}
STANDIN_LANE uint64_t standin_hi52(uint64_t x, uint64_t y) {
  return (uint64_t)((standin_u128)(x & STANDIN_LOW52) * (y & STANDIN_LOW52) >> 52);
}
STANDIN_LANE uint64_t standin_sign32(uint64_t x) { return (x & 0xFFFFFFFFu) - ((x & 0x80000000u) << 1); }

/* Evaluates a truth table for all 64 bit positions: the result is bit 4x + 2y + z of the table. */
STANDIN_LANE uint64_t standin_ternary(uint64_t x, uint64_t y, uint64_t z, int table) {
  uint64_t r = 0;
  for (int row = 0; row < 8; row++)
    r |= (row & 4 ? x : ~x) & (row & 2 ? y : ~y) & (row & 1 ? z : ~z) & -(uint64_t)STANDIN_BIT(table, row);
  return r;
}

/* Comparison predicates, with the numbers of <immintrin.h>; predicate p + 4 is the negation of p. */
enum {
  _MM_CMPINT_EQ, _MM_CMPINT_LT, _MM_CMPINT_LE, _MM_CMPINT_UNUSED,
  _MM_CMPINT_NE, _MM_CMPINT_NLT, _MM_CMPINT_NLE,
  _MM_CMPINT_GE = _MM_CMPINT_NLT, _MM_CMPINT_GT = _MM_CMPINT_NLE
};
STANDIN_LANE int standin_compare(int less, int equal, int p) {
  return ((p % 4 % 3 ? less : 0) | (p % 2 ? 0 : equal)) ^ (p >> 2 & 1);
}

/* ---- Constants and masks ---- */

STANDIN __m512i _mm512_setr_epi64(long long a, long long b, long long c, long long d, long long e, long long f,
                                  long long g, long long h) {
  long long words[8] = {a, b, c, d, e, f, g, h};
  __m512i r;
  EACH_LANE r.w[i] = (uint64_t)words[i];
  return r;
}
STANDIN __m512i _mm512_set_epi64(long long h, long long g, long long f, long long e, long long d, long long c,
                                 long long b, long long a) {
  return _mm512_setr_epi64(a, b, c, d, e, f, g, h);
}
STANDIN __m512i _mm512_set1_epi64(long long a) { return _mm512_setr_epi64(a, a, a, a, a, a, a, a); }
STANDIN __m512i _mm512_setzero_si512(void) { return _mm512_set1_epi64(0); }
STANDIN __m512i _mm512_mask_blend_epi64(__mmask8 k, __m512i a, __m512i b) {
  __m512i r;
  EACH_LANE r.w[i] = standin_select(STANDIN_BIT(k, i), b.w[i], a.w[i]);
  return r;
}
STANDIN __m512i _mm512_mask_mov_epi64(__m512i src, __mmask8 k, __m512i a) { return _mm512_mask_blend_epi64(k, src, a); }
STANDIN __m512i _mm512_maskz_mov_epi64(__mmask8 k, __m512i a) {
  return _mm512_mask_mov_epi64(_mm512_setzero_si512(), k, a);
}
STANDIN __m512i _mm512_mask_set1_epi64(__m512i src, __mmask8 k, long long a) {
  return _mm512_mask_mov_epi64(src, k, _mm512_set1_epi64(a));
}
STANDIN __m512i _mm512_maskz_set1_epi64(__mmask8 k, long long a) {
  return _mm512_maskz_mov_epi64(k, _mm512_set1_epi64(a));
}
STANDIN __m512i _mm512_movm_epi64(__mmask8 k) { return _mm512_maskz_set1_epi64(k, -1); }

#define MASK2(name, expression) \
  STANDIN __mmask8 name(__mmask8 a, __mmask8 b) { return (__mmask8)(expression); }
MASK2(_kand_mask8, a & b)
MASK2(_kandn_mask8, ~a & b)
MASK2(_kor_mask8, a | b)
MASK2(_kxor_mask8, a ^ b)
MASK2(_kxnor_mask8, ~(a ^ b))
MASK2(_kadd_mask8, a + b)
STANDIN __mmask8 _knot_mask8(__mmask8 a) { return (__mmask8)~a; }
STANDIN __mmask8 _kshiftli_mask8(__mmask8 a, unsigned n) { return (__mmask8)standin_sll(a, n); }
STANDIN __mmask8 _kshiftri_mask8(__mmask8 a, unsigned n) { return (__mmask8)standin_srl(a, n); }
STANDIN unsigned char _kortestz_mask8_u8(__mmask8 a, __mmask8 b) { return (a | b) == 0; }
STANDIN unsigned char _kortestc_mask8_u8(__mmask8 a, __mmask8 b) { return (a | b) == 0xFF; }
STANDIN unsigned _cvtmask8_u32(__mmask8 a) { return a; }
STANDIN __mmask8 _cvtu32_mask8(unsigned a) { return (__mmask8)a; }

/* ---- Operations on single lanes. In an expression, x, y and z are the words of the lane, and n is the immediate. ---- */

#define MASKED(name, parameters, ...) /* both masked forms of an intrinsic with a separate parameter src */ \
  STANDIN __m512i _mm512_mask_##name(__m512i src, __mmask8 k, STANDIN_UNPACK parameters) { \
    return _mm512_mask_mov_epi64(src, k, _mm512_##name(__VA_ARGS__)); \
  } \
  STANDIN __m512i _mm512_maskz_##name(__mmask8 k, STANDIN_UNPACK parameters) { \
    return _mm512_maskz_mov_epi64(k, _mm512_##name(__VA_ARGS__)); \
  }
#define STANDIN_UNPACK(...) __VA_ARGS__

#define MAP2(name, expression) \
  STANDIN __m512i _mm512_##name(__m512i a, __m512i b) { \
    __m512i r; \
    EACH_LANE { uint64_t x = a.w[i], y = b.w[i]; r.w[i] = (expression); } \
    return r; \
  }
#define LANES2(name, expression) MAP2(name, expression) MASKED(name, (__m512i a, __m512i b), a, b)
#define SHIFT(name, expression) \
  STANDIN __m512i _mm512_##name(__m512i a, unsigned n) { \
    __m512i r; \
    EACH_LANE { uint64_t x = a.w[i]; r.w[i] = (expression); } \
    return r; \
  } \
  MASKED(name, (__m512i a, unsigned n), a, n)
#define FUNNEL(name, expression) \
  STANDIN __m512i _mm512_##name(__m512i a, __m512i b, int n) { \
    __m512i r; \
    EACH_LANE { uint64_t x = a.w[i], y = b.w[i]; r.w[i] = (expression); } \
    return r; \
  } \
  MASKED(name, (__m512i a, __m512i b, int n), a, b, n)
#define LANES3(name, expression) /* the write-masked form keeps a */ \
  STANDIN __m512i _mm512_##name(__m512i a, __m512i b, __m512i c) { \
    __m512i r; \
    EACH_LANE { uint64_t x = a.w[i], y = b.w[i], z = c.w[i]; r.w[i] = (expression); } \
    return r; \
  } \
  STANDIN __m512i _mm512_mask_##name(__m512i a, __mmask8 k, __m512i b, __m512i c) { \
    return _mm512_mask_mov_epi64(a, k, _mm512_##name(a, b, c)); \
  } \
  STANDIN __m512i _mm512_maskz_##name(__mmask8 k, __m512i a, __m512i b, __m512i c) { \
    return _mm512_maskz_mov_epi64(k, _mm512_##name(a, b, c)); \
  }

LANES2(add_epi64, x + y)
LANES2(sub_epi64, x - y)
LANES2(and_epi64, x & y)
LANES2(andnot_epi64, ~x & y)
LANES2(or_epi64, x | y)
LANES2(xor_epi64, x ^ y)
MAP2(and_si512, x & y)
MAP2(andnot_si512, ~x & y)
MAP2(or_si512, x | y)
MAP2(xor_si512, x ^ y)
LANES2(min_epu64, standin_select(standin_less(x, y), x, y))
LANES2(max_epu64, standin_select(standin_less(x, y), y, x))
LANES2(min_epi64, standin_select(standin_less_signed(x, y), x, y))
LANES2(max_epi64, standin_select(standin_less_signed(x, y), y, x))
LANES2(mul_epu32, (x & 0xFFFFFFFFu) * (y & 0xFFFFFFFFu))
LANES2(mul_epi32, standin_sign32(x) * standin_sign32(y))
LANES2(mullo_epi64, x * y)
LANES3(madd52lo_epu64, x + standin_lo52(y, z))
LANES3(madd52hi_epu64, x + standin_hi52(y, z))

SHIFT(slli_epi64, standin_sll(x, n))
SHIFT(srli_epi64, standin_srl(x, n))
SHIFT(srai_epi64, standin_sra(x, n))
SHIFT(rol_epi64, standin_shld(x, x, n))
SHIFT(ror_epi64, standin_shrd(x, x, n))
LANES2(sllv_epi64, standin_sll(x, y))
LANES2(srlv_epi64, standin_srl(x, y))
LANES2(srav_epi64, standin_sra(x, y))
LANES2(rolv_epi64, standin_shld(x, x, y))
LANES2(rorv_epi64, standin_shrd(x, x, y))
FUNNEL(shldi_epi64, standin_shld(x, y, (unsigned)n))
FUNNEL(shrdi_epi64, standin_shrd(x, y, (unsigned)n))
LANES3(shldv_epi64, standin_shld(x, y, z))
LANES3(shrdv_epi64, standin_shrd(x, y, z))

STANDIN __m512i _mm512_ternarylogic_epi64(__m512i a, __m512i b, __m512i c, int n) {
  __m512i r;
  EACH_LANE r.w[i] = standin_ternary(a.w[i], b.w[i], c.w[i], n);
  return r;
}
STANDIN __m512i _mm512_mask_ternarylogic_epi64(__m512i a, __mmask8 k, __m512i b, __m512i c, int n) {
  return _mm512_mask_mov_epi64(a, k, _mm512_ternarylogic_epi64(a, b, c, n));
}
STANDIN __m512i _mm512_maskz_ternarylogic_epi64(__mmask8 k, __m512i a, __m512i b, __m512i c, int n) {
  return _mm512_maskz_mov_epi64(k, _mm512_ternarylogic_epi64(a, b, c, n));
}

/* ---- Comparisons, whose result is a mask. Bits that are clear in a mask k are clear in the result. ---- */

#define TEST(name, expression) \
  STANDIN __mmask8 _mm512_##name##_mask(__m512i a, __m512i b) { \
    __mmask8 r = 0; \
    EACH_LANE { uint64_t x = a.w[i], y = b.w[i]; r |= (__mmask8)((expression) << i); } \
    return r; \
  } \
  STANDIN __mmask8 _mm512_mask_##name##_mask(__mmask8 k, __m512i a, __m512i b) { \
    return k & _mm512_##name##_mask(a, b); \
  }
#define COMPARISONS(type, less) \
  TEST(cmpeq_##type, x == y) \
  TEST(cmpneq_##type, x != y) \
  TEST(cmplt_##type, less(x, y)) \
  TEST(cmple_##type, !less(y, x)) \
  TEST(cmpgt_##type, less(y, x)) \
  TEST(cmpge_##type, !less(x, y)) \
  STANDIN __mmask8 _mm512_cmp_##type##_mask(__m512i a, __m512i b, int p) { \
    __mmask8 r = 0; \
    EACH_LANE r |= (__mmask8)(standin_compare(less(a.w[i], b.w[i]), a.w[i] == b.w[i], p) << i); \
    return r; \
  } \
  STANDIN __mmask8 _mm512_mask_cmp_##type##_mask(__mmask8 k, __m512i a, __m512i b, int p) { \
    return k & _mm512_cmp_##type##_mask(a, b, p); \
  }
COMPARISONS(epu64, standin_less)
COMPARISONS(epi64, standin_less_signed)
TEST(test_epi64, (x & y) != 0)
TEST(testn_epi64, (x & y) == 0)
STANDIN __mmask8 _mm512_movepi64_mask(__m512i a) { return _mm512_cmplt_epi64_mask(a, _mm512_setzero_si512()); }

/* ---- Permutations of lanes. An expression gives lane i of the result. ---- */

#define MOVE2(name, expression) \
  STANDIN __m512i _mm512_##name(__m512i a, __m512i b) { \
    __m512i r; \
    EACH_LANE r.w[i] = (expression); \
    return r; \
  } \
  MASKED(name, (__m512i a, __m512i b), a, b)
#define MOVE2N(name, expression) \
  STANDIN __m512i _mm512_##name(__m512i a, __m512i b, int n) { \
    __m512i r; \
    EACH_LANE r.w[i] = (expression); \
    return r; \
  } \
  MASKED(name, (__m512i a, __m512i b, int n), a, b, n)

MOVE2(unpacklo_epi64, (i % 2 ? b : a).w[i & 6])
MOVE2(unpackhi_epi64, (i % 2 ? b : a).w[i | 1])
MOVE2(permutexvar_epi64, b.w[a.w[i] & 7])
MOVE2N(alignr_epi64, (n & 7) + i < 8 ? b.w[(n & 7) + i] : a.w[((n & 7) + i) & 7])
MOVE2N(shuffle_i64x2, (i < 4 ? a : b).w[(n >> i / 2 * 2 & 3) * 2 + i % 2])

STANDIN __m512i _mm512_permutex_epi64(__m512i a, int n) {
  __m512i r;
  EACH_LANE r.w[i] = a.w[(i & 4) | (n >> i % 4 * 2 & 3)];
  return r;
}
MASKED(permutex_epi64, (__m512i a, int n), a, n)

STANDIN __m512i _mm512_permutex2var_epi64(__m512i a, __m512i index, __m512i b) {
  __m512i r;
  EACH_LANE r.w[i] = standin_select(STANDIN_BIT(index.w[i], 3), b.w[index.w[i] & 7], a.w[index.w[i] & 7]);
  return r;
}
STANDIN __m512i _mm512_mask_permutex2var_epi64(__m512i a, __mmask8 k, __m512i index, __m512i b) {
  return _mm512_mask_mov_epi64(a, k, _mm512_permutex2var_epi64(a, index, b));
}
STANDIN __m512i _mm512_mask2_permutex2var_epi64(__m512i a, __m512i index, __mmask8 k, __m512i b) {
  return _mm512_mask_mov_epi64(index, k, _mm512_permutex2var_epi64(a, index, b));
}
STANDIN __m512i _mm512_maskz_permutex2var_epi64(__mmask8 k, __m512i a, __m512i index, __m512i b) {
  return _mm512_maskz_mov_epi64(k, _mm512_permutex2var_epi64(a, index, b));
}

STANDIN __m256i _mm512_extracti64x4_epi64(__m512i a, int n) {
  __m256i r;
  memcpy(&r, a.w + 4 * (n & 1), sizeof r);
  return r;
}
STANDIN __m512i _mm512_inserti64x4(__m512i a, __m256i b, int n) {
  memcpy(a.w + 4 * (n & 1), &b, sizeof b);
  return a;
}
STANDIN __m256i _mm512_castsi512_si256(__m512i a) { return _mm512_extracti64x4_epi64(a, 0); }
STANDIN __m512i _mm512_zextsi256_si512(__m256i a) { return _mm512_inserti64x4(_mm512_setzero_si512(), a, 0); }
STANDIN __m512i _mm512_castsi256_si512(__m256i a) { return _mm512_zextsi256_si512(a); } /* the upper half is undefined */
STANDIN __m512i _mm512_broadcast_i64x4(__m256i a) { return _mm512_inserti64x4(_mm512_zextsi256_si512(a), a, 1); }

/* ---- Memory ---- */

#define LOAD(vector, name) \
  STANDIN vector name(void const *p) { vector r; memcpy(&r, p, sizeof r); return r; }
#define STORE(vector, name) \
  STANDIN void name(void *p, vector a) { memcpy(p, &a, sizeof a); }
LOAD(__m512i, _mm512_loadu_si512)
LOAD(__m512i, _mm512_loadu_epi64)
LOAD(__m512i, _mm512_load_si512)
LOAD(__m512i, _mm512_load_epi64)
LOAD(__m512i, _mm512_stream_load_si512)
LOAD(__m256i, _mm256_loadu_si256)
LOAD(__m256i, _mm256_load_si256)
STORE(__m512i, _mm512_storeu_si512)
STORE(__m512i, _mm512_storeu_epi64)
STORE(__m512i, _mm512_store_si512)
STORE(__m512i, _mm512_store_epi64)
STORE(__m512i, _mm512_stream_si512)
STORE(__m256i, _mm256_storeu_si256)
STORE(__m256i, _mm256_store_si256)

#define LOAD_MASKED(load) \
  STANDIN __m512i _mm512_mask_##load(__m512i src, __mmask8 k, void const *p) { \
    EACH_LANE if (STANDIN_BIT(k, i)) memcpy(src.w + i, (char const *)p + 8 * i, 8); \
    return src; \
  } \
  STANDIN __m512i _mm512_maskz_##load(__mmask8 k, void const *p) { \
    return _mm512_mask_##load(_mm512_setzero_si512(), k, p); \
  }
#define STORE_MASKED(store) \
  STANDIN void _mm512_mask_##store(void *p, __mmask8 k, __m512i a) { \
    EACH_LANE if (STANDIN_BIT(k, i)) memcpy((char *)p + 8 * i, a.w + i, 8); \
  }
LOAD_MASKED(loadu_epi64)
LOAD_MASKED(load_epi64)
STORE_MASKED(storeu_epi64)
STORE_MASKED(store_epi64)

/* Returns the address of a lane from a 64-bit index and a scale of 1, 2, 4 or 8 bytes. */
#define STANDIN_AT(base, index, scale) ((char *)(uintptr_t)(base) + (int64_t)(index) * (scale))
STANDIN __m512i _mm512_mask_i64gather_epi64(__m512i src, __mmask8 k, __m512i index, void const *base, int scale) {
  EACH_LANE if (STANDIN_BIT(k, i)) memcpy(src.w + i, STANDIN_AT(base, index.w[i], scale), 8);
  return src;
}
STANDIN __m512i _mm512_i64gather_epi64(__m512i index, void const *base, int scale) {
  return _mm512_mask_i64gather_epi64(index, 0xFF, index, base, scale);
}
STANDIN void _mm512_mask_i64scatter_epi64(void *base, __mmask8 k, __m512i index, __m512i a, int scale) {
  EACH_LANE if (STANDIN_BIT(k, i)) memcpy(STANDIN_AT(base, index.w[i], scale), a.w + i, 8);
}
STANDIN void _mm512_i64scatter_epi64(void *base, __m512i index, __m512i a, int scale) {
  _mm512_mask_i64scatter_epi64(base, 0xFF, index, a, scale);
}

/* ---- Doubles. The rounding mode is the current one, which is to nearest by default. ---- */

STANDIN_LANE double standin_double(uint64_t w) { double d; memcpy(&d, &w, sizeof d); return d; }
STANDIN_LANE uint64_t standin_word(double d) { uint64_t w; memcpy(&w, &d, sizeof w); return w; }
STANDIN __m512d _mm512_castsi512_pd(__m512i a) { __m512d r; memcpy(&r, &a, sizeof r); return r; }
STANDIN __m512i _mm512_castpd_si512(__m512d a) { __m512i r; memcpy(&r, &a, sizeof r); return r; }
#define DOUBLES2(name, op) \
  STANDIN __m512d _mm512_##name(__m512d a, __m512d b) { \
    __m512d r; \
    EACH_LANE r.w[i] = standin_word(standin_double(a.w[i]) op standin_double(b.w[i])); \
    return r; \
  }
DOUBLES2(add_pd, +)
DOUBLES2(sub_pd, -)
DOUBLES2(mul_pd, *)
/* Fused multiply-add: rounds once. */
#define FUSED(name, minus, plus) \
  STANDIN __m512d _mm512_##name(__m512d a, __m512d b, __m512d c) { \
    __m512d r; \
    EACH_LANE r.w[i] = standin_word(fma(minus standin_double(a.w[i]), standin_double(b.w[i]), plus standin_double(c.w[i]))); \
    return r; \
  }
FUSED(fmadd_pd, +, +)
FUSED(fmsub_pd, +, -)
FUSED(fnmadd_pd, -, +)
STANDIN __m512d _mm512_cvtepi64_pd(__m512i a) { __m512d r; EACH_LANE r.w[i] = standin_word((double)(int64_t)a.w[i]); return r; }
STANDIN __m512i _mm512_cvtpd_epi64(__m512d a) {
  __m512i r;
  EACH_LANE r.w[i] = (uint64_t)llrint(standin_double(a.w[i]));
  return r;
}
STANDIN unsigned _mm_getcsr(void) { return 0x1f80; }
STANDIN void _mm_setcsr(unsigned mode) { (void)mode; }

#endif
