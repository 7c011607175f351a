/* benchNTT's transforms of 2^10 to 2^17 points modulo q of 124 bits, with AVX2 or AVX-512, whichever this file is compiled for. Results
 * are in bit-reversed order. The library computes the transform between two buffers; here both are the same one. */
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef unsigned __int128 uint128_t;

#ifdef __AVX512F__
#define THEIRS "ntt_avx512.c"
#define SET_CONSTANTS negone = _mm512_set1_epi64(-1), one = _mm512_set1_epi64(1)
#define PERMUTATIONS(by) , by p->permute[0], by p->permute[1]
typedef __m512i vec;
#else
#define THEIRS "ntt_avx2.c"
#define SET_CONSTANTS negone = _mm256_set1_epi64x(-1), one = _mm256_set1_epi64x(1), t = _mm256_set1_epi64x(INT64_MIN)
#define PERMUTATIONS(by)
typedef __m256i vec;
#endif

enum { BITS = 124, PRODUCT = 2 * BITS + 3 }; /* The library reduces by mu = floor(2^PRODUCT / q). */

typedef struct plan {
    vec q[2], mu[2], permute[2];
    vec *z, *twiddle[2], *buffer[6];
    uint64_t n;
    void (*run)(struct plan *);
} plan_t;

#pragma GCC visibility push(hidden)
#define stages 10
#include "benchntt.h"
#define stages 11
#include "benchntt.h"
#define stages 12
#include "benchntt.h"
#define stages 13
#include "benchntt.h"
#define stages 14
#include "benchntt.h"
#define stages 15
#include "benchntt.h"
#define stages 16
#include "benchntt.h"
#define stages 17
#include "benchntt.h"
#pragma GCC visibility pop
#undef main
#undef t
#undef v

static const struct size {
    uint64_t n;
    void (*prepare)(plan_t *, uint64_t *, uint64_t *, uint128_t, uint128_t), (*run)(plan_t *);
} SIZES[] = {
    {1 << 10, prepare_10, transform_10}, {1 << 11, prepare_11, transform_11}, {1 << 12, prepare_12, transform_12},
    {1 << 13, prepare_13, transform_13}, {1 << 14, prepare_14, transform_14}, {1 << 15, prepare_15, transform_15},
    {1 << 16, prepare_16, transform_16}, {1 << 17, prepare_17, transform_17},
};

static uint128_t doubled(uint128_t a, uint128_t q) { return 2 * a >= q ? 2 * a - q : 2 * a; }

static uint128_t product(uint128_t a, uint128_t b, uint128_t q)
{
    uint128_t sum = 0;
    for (int i = BITS; i-- > 0;) {
        sum = doubled(sum, q);
        if (b >> i & 1) sum = sum + a >= q ? sum + a - q : sum + a;
    }
    return sum;
}

static uint128_t power(uint128_t a, uint128_t e, uint128_t q)
{
    uint128_t result = 1;
    for (; e; e >>= 1, a = product(a, a, q))
        if (e & 1) result = product(result, a, q);
    return result;
}

/* Returns a root of unity of the given order, a power of two. */
static uint128_t root_of(uint64_t order, uint128_t q)
{
    for (uint128_t g = 2;; g++) {
        const uint128_t w = power(g, (q - 1) / order, q);
        if (power(w, order / 2, q) == q - 1) return w;
    }
}

static uint128_t quotient_of(uint128_t q)
{
    uint128_t quotient = 0, rest = 0;
    for (int i = PRODUCT; i >= 0; i--) {
        rest = 2 * rest + (i == PRODUCT);
        quotient = 2 * quotient + (rest >= q);
        if (rest >= q) rest -= q;
    }
    return quotient;
}

/* Fills the table of n twiddles: block b of m blocks uses entry m + b. brv reverses bits: for negacyclic transforms, entry brv(e) is
 * root^e; for cyclic ones, entry m + brv(e) is root^e for every m > brv(e). */
static void fill(uint64_t *table, uint64_t n, int negacyclic, uint128_t root, uint128_t q)
{
    const uint64_t count = negacyclic ? n : n / 2;
    uint128_t w = 1;
    for (uint64_t e = 0, reversed = 0; e < count; e++) {
        for (uint64_t m = negacyclic ? n : 1; m <= (negacyclic ? n : n / 2); m *= 2) {
            const uint64_t at = negacyclic ? reversed : m + reversed;
            if (reversed < m) table[2 * at] = (uint64_t)(w >> 64), table[2 * at + 1] = (uint64_t)w;
        }
        w = product(w, root, q);
        uint64_t bit = count / 2; /* increments `reversed`, from the top bit down */
        for (; reversed & bit; bit /= 2) reversed ^= bit;
        reversed ^= bit;
    }
}

static void *room(uint64_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }

void benchntt_free(void *plan)
{
    plan_t *p = plan;
    free(p->z), free(p->twiddle[0]), free(p->twiddle[1]);
    for (int i = 0; i < 6; i++) free(p->buffer[i]);
    free(p);
}

void *benchntt_plan(const char *kernel, uint64_t n, uint64_t words, const uint64_t *q, const uint64_t *root)
{
    const int negacyclic = !strcmp(kernel, "ntt_negacyclic");
    const struct size *size = NULL;
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++)
        if (SIZES[i].n == n) size = &SIZES[i];
    if (!size || (!negacyclic && strcmp(kernel, "ntt")) || words != 2 || q[1] >> (BITS - 65) != 1) return NULL;
    uint64_t log = 0;
    while (n >> (log + 1)) log++;
    const uint128_t modulus = (uint128_t)q[1] << 64 | q[0];
    const uint128_t w = root ? (uint128_t)root[1] << 64 | root[0] : root_of(negacyclic ? 2 * n : n, modulus);
    plan_t *p = room(sizeof *p);
    memset(p, 0, sizeof *p);
    p->n = n, p->run = size->run;
    p->z = room(16 * n);
    for (int i = 0; i < 2; i++) p->twiddle[i] = room(4 * n * log);
    for (int i = 0; i < 6; i++) p->buffer[i] = room(8 * n);
    uint64_t *x = calloc(n, 16), *table = calloc(n, 16);
    fill(table, n, negacyclic, w, modulus);
    size->prepare(p, x, table, modulus, quotient_of(modulus));
    free(x), free(table);
    return p;
}

void benchntt_run(uint64_t *z, const void *plan)
{
    plan_t *p = (plan_t *)plan;
    p->run(p);
    (void)z;
}

/* The library stores the high word of a number first. */
void benchntt_load(void *plan, const uint64_t *a, const uint64_t *x, const uint64_t *y)
{
    plan_t *p = plan;
    for (uint64_t i = 0; i < 2 * p->n; i++) ((uint64_t *)p->z)[i] = x[i ^ 1];
    (void)a, (void)y;
}

void benchntt_store(uint64_t *z, const void *plan)
{
    const plan_t *p = plan;
    for (uint64_t i = 0; i < 2 * p->n; i++) z[i] = ((const uint64_t *)p->z)[i ^ 1];
}
