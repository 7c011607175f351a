/* Stand-ins for AVX2 intrinsics on four 64-bit lanes: plain C, bit-identical to the real ones.
 * Include this file INSTEAD OF <immintrin.h> if the processor, or a tool such as valgrind, does not support AVX2.
 *
 * Lanes are selected by masks, never by branches, as in the hardware.
 * Semantics: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2. */
#ifndef MOMAGEN_STANDINS_AVX2_H
#define MOMAGEN_STANDINS_AVX2_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct { uint64_t w[4]; } __attribute__((may_alias)) __m256i;
typedef struct { uint64_t w[2]; } __attribute__((may_alias)) __m128i;
typedef struct { uint64_t w[4]; } __attribute__((may_alias)) __m256d; /* four doubles as bit patterns */

/* Intrinsics are not inlined: otherwise a codelet with thousands of them takes a minute to compile. */
#define STANDIN static __attribute__((noinline, unused))
#define STANDIN_LANE static inline __attribute__((always_inline, unused))
#define EACH_LANE for (int i = 0; i < 4; i++)

/* ---- One lane. Shifts are defined for every count; a count of 64 or more gives 0. ---- */

STANDIN_LANE uint64_t standin_ones(int condition) { return -(uint64_t)condition; }
STANDIN_LANE uint64_t standin_select(uint64_t ones, uint64_t yes, uint64_t no) { return (yes & ones) | (no & ~ones); }
STANDIN_LANE uint64_t standin_srl(uint64_t x, uint64_t n) { return standin_ones(n < 64) & x >> (n & 63); }
STANDIN_LANE uint64_t standin_sll(uint64_t x, uint64_t n) { return standin_ones(n < 64) & x << (n & 63); }
STANDIN_LANE uint64_t standin_sign32(uint64_t x) { return (x & 0xFFFFFFFFu) - ((x & 0x80000000u) << 1); }

/* Selects each byte of y if the top bit of the same byte of z is set, else the byte of x. */
STANDIN_LANE uint64_t standin_bytes(uint64_t x, uint64_t y, uint64_t z) {
  return standin_select((z >> 7 & 0x0101010101010101u) * 0xFF, y, x);
}

/* Applies an operation separately to the upper and the lower 32 bits, each modulo 2^32. */
#define STANDIN_HALVES(x, op, y) (((x >> 32) op (y >> 32)) << 32 | (uint32_t)((uint32_t)x op (uint32_t)y))

/* ---- Constants ---- */

STANDIN __m256i _mm256_setr_epi64x(long long a, long long b, long long c, long long d) {
  __m256i r = {{(uint64_t)a, (uint64_t)b, (uint64_t)c, (uint64_t)d}};
  return r;
}
STANDIN __m256i _mm256_set_epi64x(long long d, long long c, long long b, long long a) {
  return _mm256_setr_epi64x(a, b, c, d);
}
STANDIN __m256i _mm256_set1_epi64x(long long a) { return _mm256_setr_epi64x(a, a, a, a); }
STANDIN __m256i _mm256_set1_epi32(int a) {
  const uint64_t half = (uint32_t)a;
  return _mm256_set1_epi64x((long long)(half << 32 | half));
}
STANDIN __m256i _mm256_setzero_si256(void) { return _mm256_set1_epi64x(0); }
STANDIN __m256d _mm256_castsi256_pd(__m256i a) { __m256d r; memcpy(&r, &a, sizeof r); return r; }
STANDIN __m256i _mm256_castpd_si256(__m256d a) { __m256i r; memcpy(&r, &a, sizeof r); return r; }

/* Returns one of the eight 32-bit elements; the low half of a lane comes first. */
STANDIN_LANE uint64_t standin_half(__m256i a, int at) { return a.w[at / 2] >> at % 2 * 32 & 0xFFFFFFFFu; }

/* ---- Operations on single lanes. In an expression, x and y are the words of the lane, and n is the immediate. ---- */

#define LANES2(name, expression) \
  STANDIN __m256i _mm256_##name(__m256i a, __m256i b) { \
    __m256i r; \
    EACH_LANE { uint64_t x = a.w[i], y = b.w[i]; r.w[i] = (expression); } \
    return r; \
  }
#define SHIFT(name, expression) \
  STANDIN __m256i _mm256_##name(__m256i a, int n) { \
    __m256i r; \
    EACH_LANE { uint64_t x = a.w[i]; r.w[i] = (expression); } \
    return r; \
  }

LANES2(add_epi64, x + y)
LANES2(sub_epi64, x - y)
LANES2(sub_epi32, STANDIN_HALVES(x, -, y))
LANES2(mullo_epi32, STANDIN_HALVES(x, *, y))
LANES2(and_si256, x & y)
LANES2(andnot_si256, ~x & y)
LANES2(or_si256, x | y)
LANES2(xor_si256, x ^ y)
LANES2(mul_epu32, (x & 0xFFFFFFFFu) * (y & 0xFFFFFFFFu))
LANES2(mul_epi32, standin_sign32(x) * standin_sign32(y))
LANES2(cmpeq_epi64, standin_ones(x == y))
LANES2(cmpgt_epi64, standin_ones((x ^ 1ull << 63) > (y ^ 1ull << 63)))
LANES2(sllv_epi64, standin_sll(x, y))
LANES2(srlv_epi64, standin_srl(x, y))
SHIFT(slli_epi64, standin_sll(x, (unsigned)n))
SHIFT(srli_epi64, standin_srl(x, (unsigned)n))

STANDIN __m256i _mm256_shuffle_epi32(__m256i a, int n) {
  __m256i r;
  EACH_LANE {
    const int from = i / 2 * 4, by = i % 2 * 4; /* 128-bit halves are separate; two bits of n select each 32-bit element */
    r.w[i] = standin_half(a, from + (n >> by & 3)) | standin_half(a, from + (n >> (by + 2) & 3)) << 32;
  }
  return r;
}
STANDIN __m256i _mm256_blendv_epi8(__m256i a, __m256i b, __m256i c) {
  __m256i r;
  EACH_LANE r.w[i] = standin_bytes(a.w[i], b.w[i], c.w[i]);
  return r;
}
STANDIN __m256d _mm256_blendv_pd(__m256d a, __m256d b, __m256d c) {
  __m256d r;
  EACH_LANE r.w[i] = standin_select(standin_ones((int)(c.w[i] >> 63)), b.w[i], a.w[i]);
  return r;
}
STANDIN __m256d _mm256_permutevar_pd(__m256d a, __m256i b) {
  __m256d r; /* 128-bit halves are separate; bit 1 of b selects */
  EACH_LANE r.w[i] = standin_select(standin_ones((int)(b.w[i] >> 1 & 1)), a.w[i | 1], a.w[i & 2]);
  return r;
}
STANDIN int _mm256_movemask_pd(__m256d a) {
  int r = 0;
  EACH_LANE r |= (int)(a.w[i] >> 63) << i;
  return r;
}
STANDIN int _mm256_testz_si256(__m256i a, __m256i b) {
  uint64_t r = 0;
  EACH_LANE r |= a.w[i] & b.w[i];
  return r == 0;
}

/* ---- Permutations of lanes. An expression gives lane i of the result; n is the immediate. ---- */

#define MOVE(name, parameters, expression) \
  STANDIN __m256i _mm256_##name parameters { \
    __m256i r; \
    EACH_LANE r.w[i] = (expression); \
    return r; \
  }
#define STANDIN_HALF(a, b, n, i) \
  (~standin_ones((n) >> 3 & 1) & ((n) & 2 ? (b) : (a)).w[2 * ((n) & 1) + (i)]) /* one of four halves, or zero */

MOVE(unpacklo_epi64, (__m256i a, __m256i b), (i % 2 ? b : a).w[i & 2])
MOVE(unpackhi_epi64, (__m256i a, __m256i b), (i % 2 ? b : a).w[i | 1])
MOVE(permute4x64_epi64, (__m256i a, int n), a.w[n >> 2 * i & 3])
MOVE(permute2x128_si256, (__m256i a, __m256i b, int n), STANDIN_HALF(a, b, n >> i / 2 * 4, i % 2))
MOVE(blend_epi32, (__m256i a, __m256i b, int n), standin_select(
    (standin_ones(n >> 2 * i & 1) & 0xFFFFFFFFu) | standin_ones(n >> (2 * i + 1) & 1) << 32, b.w[i], a.w[i]))
STANDIN __m256d _mm256_shuffle_pd(__m256d a, __m256d b, int n) {
  __m256d r;
  EACH_LANE r.w[i] = (i % 2 ? b : a).w[(i & 2) | (n >> i & 1)];
  return r;
}
STANDIN __m128i _mm256_extracti128_si256(__m256i a, int n) {
  __m128i r;
  memcpy(&r, a.w + 2 * (n & 1), sizeof r);
  return r;
}
STANDIN __m256i _mm256_inserti128_si256(__m256i a, __m128i b, int n) {
  memcpy(a.w + 2 * (n & 1), &b, sizeof b);
  return a;
}
STANDIN __m128i _mm256_castsi256_si128(__m256i a) { return _mm256_extracti128_si256(a, 0); }
STANDIN __m256i _mm256_castsi128_si256(__m128i a) { /* the upper half is undefined */
  return _mm256_inserti128_si256(_mm256_setzero_si256(), a, 0);
}

/* ---- Memory ---- */

#define LOAD(vector, name) \
  STANDIN vector name(void const *p) { vector r; memcpy(&r, p, sizeof r); return r; }
#define STORE(vector, name) \
  STANDIN void name(void *p, vector a) { memcpy(p, &a, sizeof a); }
LOAD(__m128i, _mm_loadu_si128)
LOAD(__m256i, _mm256_loadu_si256)
LOAD(__m256i, _mm256_load_si256)
STORE(__m128i, _mm_storeu_si128)
STORE(__m256i, _mm256_storeu_si256)
STORE(__m256i, _mm256_store_si256)

/* ---- Doubles. The rounding mode is the current one, which is to nearest by default. ---- */

STANDIN_LANE double standin_double(uint64_t w) { double d; memcpy(&d, &w, sizeof d); return d; }
STANDIN_LANE uint64_t standin_word(double d) { uint64_t w; memcpy(&w, &d, sizeof w); return w; }
#define DOUBLES2(name, op) \
  STANDIN __m256d _mm256_##name(__m256d a, __m256d b) { \
    __m256d r; \
    EACH_LANE r.w[i] = standin_word(standin_double(a.w[i]) op standin_double(b.w[i])); \
    return r; \
  }
DOUBLES2(add_pd, +)
DOUBLES2(sub_pd, -)
DOUBLES2(mul_pd, *)
/* Fused multiply-add: rounds once. */
#define FUSED(name, minus, plus) \
  STANDIN __m256d _mm256_##name(__m256d a, __m256d b, __m256d c) { \
    __m256d r; \
    EACH_LANE r.w[i] = standin_word(fma(minus standin_double(a.w[i]), standin_double(b.w[i]), plus standin_double(c.w[i]))); \
    return r; \
  }
FUSED(fmadd_pd, +, +)
FUSED(fmsub_pd, +, -)
FUSED(fnmadd_pd, -, +)
STANDIN unsigned _mm_getcsr(void) { return 0x1f80; }
STANDIN void _mm_setcsr(unsigned mode) { (void)mode; }

#endif
