/* A conventional 128-bit scalar NTT: the baseline for generated kernels.
 *
 * The transform is cyclic or negacyclic, in place, for n = 2^s points and an odd prime q < 2^124. A residue is two 64-bit words, least
 * significant word first; inputs and outputs are below q. Inputs are in natural order and outputs in bit-reversed order: entry brv(k)
 * becomes sum_j x[j]·root^(jk) mod q, or sum_j x[j]·root^(j(2k + 1)) mod q for negacyclic transforms. The inverse transform takes
 * inputs in bit-reversed order and returns the coefficients in natural order.
 *
 * The Cooley-Tukey algorithm splits x^2m - w^2 = (x^m - w)(x^m + w), so that each block has one twiddle factor; the table is in
 * bit-reversed order. The negacyclic ring starts one level lower in that tree: its blocks use the entries that follow those of the
 * blocks above. Butterflies are lazy, on values in [0, 4q) (D. Harvey, "Faster arithmetic for number-theoretic transforms", 2014), with
 * Shoup's precomputed quotient w' = floor(w·2^128/q). C99 with unsigned __int128; no branch and no address depends on the data. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;
typedef struct { u128 w, quotient; } twiddle;
typedef struct { uint64_t n, heap, inverse; u128 q; twiddle scale, last, table[]; } plan_t;

static inline uint64_t low(u128 a) { return (uint64_t)a; }
static inline uint64_t high(u128 a) { return (uint64_t)(a >> 64); }
static inline u128 load(const uint64_t *x) { return (u128)x[1] << 64 | x[0]; }
static inline void store(uint64_t *x, u128 a) { x[0] = low(a), x[1] = high(a); }

/* Returns floor(a·b / 2^128). */
static inline u128 multiply_high(u128 a, u128 b)
{
    u128 p00 = (u128)low(a) * low(b), p01 = (u128)low(a) * high(b), p10 = (u128)high(a) * low(b);
    u128 middle = p01 + high(p00), other = p10 + low(middle);
    return (u128)high(a) * high(b) + high(middle) + high(other);
}

/* Returns a number in [0, 2q) that is congruent to y·w modulo q, for any y < 2^128. */
static inline u128 multiply_lazy(u128 y, twiddle t, u128 q) { return y * t.w - multiply_high(y, t.quotient) * q; }

/* Returns x - m if x >= m, otherwise x; x and m are below 2^127, so that the sign of the difference can be used as a mask. */
static inline u128 subtract_once(u128 x, u128 m)
{
    u128 d = x - m;
    uint64_t mask = 0 - (high(d) >> 63);
    return d + (m & ((u128)mask << 64 | mask));
}

/* Replaces (x, y) by (x + w·y, x - w·y); all values are in [0, 4q). */
static inline void butterfly(uint64_t *x, uint64_t *y, twiddle t, u128 q, u128 q2)
{
    u128 a = subtract_once(load(x), q2), b = multiply_lazy(load(y), t, q);
    store(x, a + b), store(y, a - b + q2);
}

/* Replaces (x, y) by (x + y, w·(x - y)); all values are in [0, 2q). */
static inline void inverse_butterfly(uint64_t *x, uint64_t *y, twiddle t, u128 q, u128 q2)
{
    u128 a = load(x), b = load(y);
    store(x, subtract_once(a + b, q2)), store(y, multiply_lazy(a - b + q2, t, q));
}

static inline void reduce(uint64_t *x, u128 q, u128 q2) { store(x, subtract_once(subtract_once(load(x), q2), q)); }

static void invert(uint64_t *x, const plan_t *p)
{
    const u128 q = p->q, q2 = 2 * q;
    const uint64_t half = p->n / 2;
    for (uint64_t m = 1, blocks = half; blocks > 1; m *= 2, blocks /= 2)
        for (uint64_t b = 0; b < blocks; b++) {
            uint64_t *block = x + 4 * m * b;
            const twiddle t = p->table[p->heap * blocks + b];
            for (uint64_t j = 0; j < m; j++)
                inverse_butterfly(block + 2 * j, block + 2 * (m + j), t, q, q2);
        }
    for (uint64_t j = 0; j < half; j++) { /* the last level, with the factor 1/n and a full reduction */
        u128 a = load(x + 2 * j), b = load(x + 2 * (half + j));
        store(x + 2 * j, subtract_once(multiply_lazy(a + b, p->scale, q), q));
        store(x + 2 * (half + j), subtract_once(multiply_lazy(a - b + q2, p->last, q), q));
    }
}

void scalar_shoup_run(uint64_t *x, const void *plan)
{
    const plan_t *p = plan;
    if (p->inverse) return invert(x, p);
    const u128 q = p->q, q2 = 2 * q;
    const twiddle *table = p->table;
    for (uint64_t m = p->n / 2, blocks = 1; m > 1; m /= 2, blocks *= 2)
        for (uint64_t b = 0; b < blocks; b++) {
            uint64_t *block = x + 4 * m * b;
            const twiddle t = table[p->heap * blocks + b];
            for (uint64_t j = 0; j < m; j++)
                butterfly(block + 2 * j, block + 2 * (m + j), t, q, q2);
        }
    for (uint64_t b = 0; b < p->n / 2; b++) { /* the last level, with a full reduction */
        butterfly(x + 4 * b, x + 4 * b + 2, table[p->heap * (p->n / 2) + b], q, q2);
        reduce(x + 4 * b, q, q2), reduce(x + 4 * b + 2, q, q2);
    }
}

/* Computes the Shoup quotient floor(w·2^128 / q) for w < q by long division, one bit at a time. */
static twiddle with_quotient(u128 w, u128 q)
{
    u128 r = w, quotient = 0;
    for (int bit = 0; bit < 128; bit++) {
        r *= 2, quotient *= 2;
        if (r >= q) r -= q, quotient++;
    }
    return (twiddle){w, quotient};
}

static u128 power(twiddle base, uint64_t exponent, u128 q)
{
    u128 w = 1;
    while (exponent--) w = subtract_once(multiply_lazy(w, base, q), q);
    return w;
}

/* Stores 1/n, and the factor of the last inverse butterflies times 1/n. */
static void scale_last_level(plan_t *p)
{
    u128 w = 1;
    for (uint64_t m = p->n; m > 1; m /= 2) w = (w + (low(w) & 1 ? p->q : 0)) / 2;
    p->scale = with_quotient(w, p->q);
    p->last = with_quotient(subtract_once(multiply_lazy(w, p->table[p->heap], p->q), p->q), p->q);
}

void scalar_shoup_free(void *plan) { free(plan); }

/* Creates a plan. root is a primitive root of unity of order n modulo q, or of order 2n for negacyclic transforms. Entry brv(e) of the
 * table is root^e, or root^-e for inverse transforms. */
void *scalar_shoup_plan(const char *kernel, uint64_t n, uint64_t words, const uint64_t *q, const uint64_t *root)
{
    const uint64_t inverse = *kernel == 'i', heap = !strcmp(kernel + inverse, "ntt_negacyclic"), entries = heap ? n : n / 2;
    if ((!heap && strcmp(kernel + inverse, "ntt")) || words != 2 || q[1] >> 60) return NULL;
    plan_t *p = malloc(sizeof *p + entries * sizeof(twiddle));
    if (!p) return NULL;
    p->n = n, p->heap = heap, p->inverse = inverse, p->q = load(q);
    twiddle step = with_quotient(load(root), p->q);
    if (inverse) step = with_quotient(power(step, (heap ? 2 * n : n) - 1, p->q), p->q);
    u128 w = 1;
    for (uint64_t e = 0, reversed = 0; e < entries; e++) {
        p->table[reversed] = with_quotient(w, p->q);
        w = subtract_once(multiply_lazy(w, step, p->q), p->q);
        uint64_t bit = entries / 2; /* increment `reversed`, from the top bit down */
        for (; reversed & bit; bit /= 2) reversed ^= bit;
        reversed ^= bit;
    }
    scale_last_level(p);
    return p;
}
