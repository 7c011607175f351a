/* Stand-ins for AVX2 and AVX-512 (F, BW, IFMA) intrinsics on lanes of 16 and 32 bits: plain C, bit-identical to the real ones.
 * Include this file INSTEAD OF <immintrin.h> if the processor, or a tool such as valgrind, does not support them.
 *
 * A register is an array of 32-bit lanes, lowest lane first. Lanes of other sizes are copied from it, which requires a
 * little-endian machine. Lanes are selected by masks, never by branches, as in the hardware.
 * Semantics: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2. */
#ifndef MOMAGEN_STANDINS_NARROW_H
#define MOMAGEN_STANDINS_NARROW_H

#include <stdint.h>
#include <string.h>

typedef struct { uint32_t w[8]; } __attribute__((may_alias)) __m256i;
typedef struct { uint32_t w[8]; } __attribute__((may_alias)) __m256;
typedef struct { uint32_t w[16]; } __attribute__((may_alias)) __m512i;
typedef struct { uint32_t w[4]; } __attribute__((may_alias)) __m128i;
__extension__ typedef unsigned __int128 standin_product;
typedef uint16_t __mmask16;
typedef uint32_t __mmask32;

#define STANDIN static __attribute__((noinline, unused))
#define STANDIN_LANE static inline __attribute__((always_inline, unused))

/* ---- One lane ---- */

STANDIN_LANE uint32_t standin_select(uint32_t condition, uint32_t yes, uint32_t no) {
  return (yes & (0 - condition)) | (no & (condition - 1));
}
STANDIN_LANE uint32_t standin_sra(uint32_t x, int n, int bits) {
  const uint32_t sign = 0 - (x >> (bits - 1) & 1), mask = (uint32_t)(((uint64_t)1 << bits) - 1);
  return ((x ^ sign) & mask) >> n ^ sign;
}
STANDIN_LANE uint64_t standin_signed(uint32_t x) { return (uint64_t)(int64_t)(int32_t)x; }
STANDIN_LANE int32_t standin_signed16(uint32_t x) { return (int16_t)x; }

/* ---- Operations on single lanes of registers V with B bits. In an expression, x and y are lanes, and n is the immediate. ---- */

#define EACH(count) for (int i = 0; i < (count); i++)
#define LANES2(V, B, type, name, expression) \
  STANDIN V _mm##B##_##name(V a, V b) { \
    type p[B / 8 / sizeof(type)], q[B / 8 / sizeof(type)]; \
    memcpy(p, &a, sizeof p); \
    memcpy(q, &b, sizeof q); \
    EACH((int)(B / 8 / sizeof(type))) { const type x = p[i], y = q[i]; p[i] = (type)(expression); } \
    memcpy(&a, p, sizeof p); \
    return a; \
  }
#define SHIFT(V, B, type, name, expression) \
  STANDIN V _mm##B##_##name(V a, int n) { \
    type p[B / 8 / sizeof(type)]; \
    memcpy(p, &a, sizeof p); \
    EACH((int)(B / 8 / sizeof(type))) { const type x = p[i]; p[i] = (type)(expression); } \
    memcpy(&a, p, sizeof p); \
    return a; \
  }

#define BOTH(V, B) \
  LANES2(V, B, uint64_t, add_epi64, x + y) \
  LANES2(V, B, uint64_t, sub_epi64, x - y) \
  LANES2(V, B, uint64_t, mul_epu32, (x & 0xFFFFFFFFu) * (y & 0xFFFFFFFFu)) \
  LANES2(V, B, uint64_t, mul_epi32, standin_signed((uint32_t)x) * standin_signed((uint32_t)y)) \
  LANES2(V, B, uint32_t, add_epi32, x + y) \
  LANES2(V, B, uint32_t, sub_epi32, x - y) \
  LANES2(V, B, uint32_t, mullo_epi32, x * y) \
  LANES2(V, B, uint32_t, min_epu32, standin_select(x < y, x, y)) \
  LANES2(V, B, uint32_t, max_epu32, standin_select(x < y, y, x)) \
  LANES2(V, B, uint16_t, add_epi16, x + y) \
  LANES2(V, B, uint16_t, sub_epi16, x - y) \
  LANES2(V, B, uint16_t, mullo_epi16, (uint32_t)x * y) \
  LANES2(V, B, uint16_t, mulhi_epu16, (uint32_t)x * y >> 16) \
  LANES2(V, B, uint16_t, mulhi_epi16, (uint32_t)(standin_signed16(x) * standin_signed16(y)) >> 16) \
  LANES2(V, B, uint16_t, mulhrs_epi16, \
         (((uint32_t)(standin_signed16(x) * standin_signed16(y)) >> 14) + 1) >> 1) \
  LANES2(V, B, uint16_t, min_epu16, standin_select(x < y, x, y)) \
  LANES2(V, B, uint16_t, max_epu16, standin_select(x < y, y, x)) \
  SHIFT(V, B, uint64_t, srli_epi64, x >> n) \
  SHIFT(V, B, uint64_t, slli_epi64, x << n) \
  SHIFT(V, B, uint32_t, srli_epi32, x >> n) \
  SHIFT(V, B, uint32_t, slli_epi32, x << n) \
  SHIFT(V, B, uint32_t, srai_epi32, standin_sra(x, n, 32)) \
  SHIFT(V, B, uint16_t, srli_epi16, x >> n) \
  SHIFT(V, B, uint16_t, slli_epi16, (uint32_t)x << n) \
  SHIFT(V, B, uint16_t, srai_epi16, standin_sra(x, n, 16)) \
  STANDIN V _mm##B##_set1_epi32(int x) { V r; EACH(B / 32) r.w[i] = (uint32_t)x; return r; } \
  STANDIN V _mm##B##_set1_epi16(short x) { V r; EACH(B / 32) r.w[i] = (uint16_t)x * 0x10001u; return r; } \
  STANDIN V _mm##B##_unpacklo_epi32(V a, V b) { \
    V r; EACH(B / 32) r.w[i] = (i & 1 ? b : a).w[(i & ~3) + (i >> 1 & 1)]; return r; } \
  STANDIN V _mm##B##_unpackhi_epi32(V a, V b) { \
    V r; EACH(B / 32) r.w[i] = (i & 1 ? b : a).w[(i & ~3) + (i >> 1 & 1) + 2]; return r; } \
  STANDIN V _mm##B##_unpacklo_epi64(V a, V b) { V r; EACH(B / 32) r.w[i] = (i & 2 ? b : a).w[i & ~2]; return r; } \
  STANDIN V _mm##B##_unpackhi_epi64(V a, V b) { V r; EACH(B / 32) r.w[i] = (i & 2 ? b : a).w[i | 2]; return r; }

BOTH(__m256i, 256)
BOTH(__m512i, 512)

/* ---- AVX2 ---- */

LANES2(__m256i, 256, uint32_t, and_si256, x & y)
LANES2(__m256i, 256, uint32_t, or_si256, x | y)
LANES2(__m256i, 256, uint32_t, xor_si256, x ^ y)
LANES2(__m256i, 256, uint32_t, cmpgt_epi32, 0 - (uint32_t)((x ^ 0x80000000u) > (y ^ 0x80000000u)))
LANES2(__m256i, 256, uint32_t, cmpeq_epi32, 0 - (uint32_t)(x == y))
LANES2(__m256i, 256, uint16_t, cmpgt_epi16, 0 - (uint32_t)((x ^ 0x8000u) > (y ^ 0x8000u)))
LANES2(__m256i, 256, uint16_t, cmpeq_epi16, 0 - (uint32_t)(x == y))

STANDIN __m256i _mm256_setzero_si256(void) { return _mm256_set1_epi32(0); }
STANDIN __m256i _mm256_loadu_si256(const __m256i *p) { __m256i r; memcpy(&r, p, sizeof r); return r; }
STANDIN void _mm256_storeu_si256(__m256i *p, __m256i a) { memcpy(p, &a, sizeof a); }
STANDIN __m256 _mm256_castsi256_ps(__m256i a) { __m256 r; memcpy(&r, &a, sizeof r); return r; }
STANDIN __m256i _mm256_castps_si256(__m256 a) { __m256i r; memcpy(&r, &a, sizeof r); return r; }
STANDIN __m256i _mm256_setr_epi32(int a, int b, int c, int d, int e, int f, int g, int h) {
  const int x[8] = {a, b, c, d, e, f, g, h};
  __m256i r;
  memcpy(&r, x, sizeof r);
  return r;
}
#define _mm256_setr_epi16(...) _mm256_loadu_si256((const __m256i *)(const short[16]){__VA_ARGS__})
/* Selects each byte of y if the top bit of the same byte of z is set, else the byte of x. */
STANDIN __m256i _mm256_blendv_epi8(__m256i x, __m256i y, __m256i z) {
  EACH(8) {
    const uint32_t ones = (z.w[i] >> 7 & 0x01010101u) * 0xFF;
    x.w[i] = (y.w[i] & ones) | (x.w[i] & ~ones);
  }
  return x;
}
STANDIN __m256i _mm256_blend_epi32(__m256i a, __m256i b, int n) {
  EACH(8) a.w[i] = standin_select((uint32_t)n >> i & 1, b.w[i], a.w[i]);
  return a;
}
STANDIN __m256i _mm256_blend_epi16(__m256i a, __m256i b, int n) {
  EACH(8) {
    const uint32_t low = (uint32_t)n >> 2 * (i & 3) & 1, high = (uint32_t)n >> (2 * (i & 3) + 1) & 1;
    const uint32_t ones = (low * 0xFFFFu) | (high * 0xFFFF0000u);
    a.w[i] = (b.w[i] & ones) | (a.w[i] & ~ones);
  }
  return a;
}
STANDIN __m256i _mm256_shuffle_epi32(__m256i a, int n) {
  __m256i r;
  EACH(8) r.w[i] = a.w[(i & 4) + (n >> 2 * (i & 3) & 3)];
  return r;
}
STANDIN __m256 _mm256_shuffle_ps(__m256 a, __m256 b, int n) {
  __m256 r;
  EACH(8) r.w[i] = (i & 2 ? b : a).w[(i & 4) + (n >> 2 * (i & 3) & 3)];
  return r;
}
STANDIN __m256 _mm256_movehdup_ps(__m256 a) { EACH(8) a.w[i & ~1] = a.w[i | 1]; return a; }
/* Selects halves of a and b; a field of n whose bit 3 is set gives zero. */
STANDIN __m256i _mm256_permute2x128_si256(__m256i a, __m256i b, int n) {
  __m256i r;
  EACH(8) {
    const int field = n >> (i & 4) & 15;
    r.w[i] = (field & 2 ? b : a).w[(field & 1) * 4 + (i & 3)] & ((uint32_t)(field >> 3 & 1) - 1);
  }
  return r;
}
STANDIN __m256i _mm256_permute4x64_epi64(__m256i a, int n) {
  __m256i r;
  EACH(8) r.w[i] = a.w[(n >> (i & 6) & 3) * 2 + (i & 1)];
  return r;
}
STANDIN __m256i _mm256_permutevar8x32_epi32(__m256i a, __m256i at) {
  __m256i r;
  EACH(8) r.w[i] = a.w[at.w[i] & 7];
  return r;
}

/* ---- AVX-512 ---- */

LANES2(__m512i, 512, uint32_t, and_si512, x & y)

#define MASKS(bits, name, expression) \
  STANDIN __mmask##bits _mm512_##name##_mask(__m512i a, __m512i b) { \
    uint##bits##_t found = 0; \
    EACH(bits) { \
      const uint32_t x = standin_lane##bits(a, i), y = standin_lane##bits(b, i); \
      found = (uint##bits##_t)(found | (uint32_t)(expression) << i); \
    } \
    return found; \
  }
/* Lane i of sixteen 32-bit lanes, and of thirty-two 16-bit lanes. */
STANDIN_LANE uint32_t standin_lane16(__m512i a, int i) { return a.w[i]; }
STANDIN_LANE uint32_t standin_lane32(__m512i a, int i) { return a.w[i / 2] >> i % 2 * 16 & 0xFFFF; }
MASKS(16, cmplt_epu32, x < y)
MASKS(16, cmple_epu32, x <= y)
MASKS(16, cmpeq_epi32, x == y)
MASKS(16, cmplt_epi32, (x ^ 0x80000000u) < (y ^ 0x80000000u))
MASKS(32, cmplt_epu16, x < y)
MASKS(32, cmple_epu16, x <= y)
MASKS(32, cmpeq_epi16, x == y)
MASKS(32, cmplt_epi16, (x ^ 0x8000u) < (y ^ 0x8000u))

STANDIN __m512i _mm512_setzero_si512(void) { return _mm512_set1_epi32(0); }
STANDIN __m512i _mm512_loadu_si512(const void *p) { __m512i r; memcpy(&r, p, sizeof r); return r; }
STANDIN void _mm512_storeu_si512(void *p, __m512i a) { memcpy(p, &a, sizeof a); }
#define _mm512_setr_epi32(...) _mm512_loadu_si512((const uint32_t[16]){__VA_ARGS__})

STANDIN __m512i _mm512_mask_blend_epi32(__mmask16 m, __m512i a, __m512i b) {
  EACH(16) a.w[i] = standin_select((uint32_t)m >> i & 1, b.w[i], a.w[i]);
  return a;
}
STANDIN __m512i _mm512_mask_blend_epi16(__mmask32 m, __m512i a, __m512i b) {
  EACH(16) {
    const uint32_t ones = ((m >> 2 * i & 1) * 0xFFFFu) | ((m >> (2 * i + 1) & 1) * 0xFFFF0000u);
    a.w[i] = (b.w[i] & ones) | (a.w[i] & ~ones);
  }
  return a;
}
#define MASKED(bits, lane, name) \
  STANDIN __m512i _mm512_mask_##name##_epi##lane(__m512i src, __mmask##bits m, __m512i a, __m512i b) { \
    return _mm512_mask_blend_epi##lane(m, src, _mm512_##name##_epi##lane(a, b)); \
  }
MASKED(16, 32, add)
MASKED(16, 32, sub)
MASKED(32, 16, add)
MASKED(32, 16, sub)
STANDIN __m512i _mm512_maskz_set1_epi32(__mmask16 m, int x) {
  return _mm512_mask_blend_epi32(m, _mm512_setzero_si512(), _mm512_set1_epi32(x));
}
STANDIN __m512i _mm512_maskz_set1_epi16(__mmask32 m, short x) {
  return _mm512_mask_blend_epi16(m, _mm512_setzero_si512(), _mm512_set1_epi16(x));
}
STANDIN __m512i _mm512_mask_shuffle_epi32(__m512i src, __mmask16 m, __m512i a, int n) {
  __m512i r;
  EACH(16) r.w[i] = a.w[(i & 12) + (n >> 2 * (i & 3) & 3)];
  return _mm512_mask_blend_epi32(m, src, r);
}
STANDIN __m512i _mm512_shuffle_i64x2(__m512i a, __m512i b, int n) {
  __m512i r; EACH(16) r.w[i] = (i < 8 ? a : b).w[(n >> i / 4 * 2 & 3) * 4 + i % 4]; return r; }
STANDIN __m512i _mm512_permutex2var_epi32(__m512i a, __m512i at, __m512i b) {
  __m512i r;
  EACH(16) r.w[i] = standin_select(at.w[i] >> 4 & 1, b.w[at.w[i] & 15], a.w[at.w[i] & 15]);
  return r;
}
STANDIN __m512i _mm512_permutex2var_epi16(__m512i a, __m512i at, __m512i b) {
  __m512i r = _mm512_setzero_si512();
  EACH(32) {
    const uint32_t from = standin_lane32(at, i);
    const uint32_t lane = standin_select(from >> 5 & 1, standin_lane32(b, from & 31), standin_lane32(a, from & 31));
    r.w[i / 2] |= lane << i % 2 * 16;
  }
  return r;
}

/* ---- 64-bit lanes, and products of 52-bit limbs in them ---- */

#define LOW52 0xFFFFFFFFFFFFFull
#define DIGITS(name, part) \
  STANDIN __m512i _mm512_##name##_epu64(__m512i a, __m512i b, __m512i c) { \
    uint64_t p[8], q[8], r[8]; \
    memcpy(p, &a, sizeof p); \
    memcpy(q, &b, sizeof q); \
    memcpy(r, &c, sizeof r); \
    EACH(8) { const standin_product xy = (standin_product)(q[i] & LOW52) * (r[i] & LOW52); p[i] += (uint64_t)(part); } \
    memcpy(&a, p, sizeof p); \
    return a; \
  }
DIGITS(madd52lo, xy & LOW52)
DIGITS(madd52hi, xy >> 52)
STANDIN __m512i _mm512_set1_epi64(long long x) {
  __m512i r;
  EACH(16) r.w[i] = (uint32_t)((uint64_t)x >> i % 2 * 32);
  return r;
}
#define _mm512_setr_epi64(...) _mm512_loadu_si512((const uint64_t[8]){__VA_ARGS__})
STANDIN __m512i _mm512_permutex2var_epi64(__m512i a, __m512i at, __m512i b) {
  __m512i r;
  EACH(16) {
    const uint32_t from = at.w[i & ~1], w = (from & 7) * 2 + (uint32_t)(i & 1);
    r.w[i] = standin_select(from >> 3 & 1, b.w[w], a.w[w]);
  }
  return r;
}
STANDIN __m512i _mm512_cvtepu32_epi64(__m256i a) { __m512i r; EACH(16) r.w[i] = i & 1 ? 0 : a.w[i / 2]; return r; }
STANDIN __m256i _mm512_extracti64x4_epi64(__m512i a, int n) { __m256i r; memcpy(&r, a.w + 8 * n, sizeof r); return r; }
STANDIN __m256i _mm512_castsi512_si256(__m512i a) { return _mm512_extracti64x4_epi64(a, 0); }
STANDIN __m128i _mm_loadl_epi64(const __m128i *p) { __m128i r = {{0, 0, 0, 0}}; memcpy(&r, p, 8); return r; }
STANDIN __m512i _mm512_broadcastq_epi64(__m128i a) { __m512i r; EACH(16) r.w[i] = a.w[i & 1]; return r; }

#undef DIGITS
#undef LOW52
#undef BOTH
#undef LANES2
#undef SHIFT
#undef MASKS
#undef MASKED
#undef EACH
#endif
