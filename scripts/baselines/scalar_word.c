/* The NTT and the inverse NTT of scalar_shoup.c (with the same order, layout and twiddle table) for q < 2^62: residues are one word,
 * and products are unsigned __int128. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;
typedef struct { uint64_t w, quotient; } twiddle;
typedef struct { uint64_t n, heap, inverse, q; twiddle scale, last, table[]; } plan_t;

/* Returns a number in [0, 2q) that is congruent to y·w modulo q, for any y < 2^64. */
static inline uint64_t multiply_lazy(uint64_t y, twiddle t, uint64_t q)
{
    return y * t.w - (uint64_t)((u128)y * t.quotient >> 64) * q;
}

/* Returns x - m if x >= m, otherwise x; x and m are below 2^63, so that the sign of the difference can be used as a mask. */
static inline uint64_t subtract_once(uint64_t x, uint64_t m) { return x - m + (m & (0 - ((x - m) >> 63))); }

/* Replaces (x, y) by (x + w·y, x - w·y); all values are in [0, 4q). */
static inline void butterfly(uint64_t *x, uint64_t *y, twiddle t, uint64_t q)
{
    const uint64_t a = *x - (2 * q & (0 - (uint64_t)(*x >= 2 * q))), b = multiply_lazy(*y, t, q);
    *x = a + b, *y = a - b + 2 * q;
}

/* Replaces (x, y) by (x + y, w·(x - y)); all values are in [0, 2q). */
static inline void inverse_butterfly(uint64_t *x, uint64_t *y, twiddle t, uint64_t q)
{
    const uint64_t a = *x + *y, b = *x - *y + 2 * q;
    *x = a - (2 * q & (0 - (uint64_t)(a >= 2 * q))), *y = multiply_lazy(b, t, q);
}

static inline uint64_t reduce(uint64_t x, uint64_t q)
{
    return subtract_once(x - (2 * q & (0 - (uint64_t)(x >= 2 * q))), q);
}

static void invert(uint64_t *x, const plan_t *p)
{
    const uint64_t q = p->q, half = p->n / 2;
    for (uint64_t m = 1, blocks = half; blocks > 1; m *= 2, blocks /= 2)
        for (uint64_t b = 0; b < blocks; b++) {
            uint64_t *block = x + 2 * m * b;
            const twiddle t = p->table[p->heap * blocks + b];
            for (uint64_t j = 0; j < m; j++)
                inverse_butterfly(block + j, block + m + j, t, q);
        }
    for (uint64_t j = 0; j < half; j++) { /* the last level, with the factor 1/n and a full reduction */
        const uint64_t a = x[j] + x[half + j], b = x[j] - x[half + j] + 2 * q;
        x[j] = subtract_once(multiply_lazy(a, p->scale, q), q), x[half + j] = subtract_once(multiply_lazy(b, p->last, q), q);
    }
}

void scalar_word_run(uint64_t *x, const void *plan)
{
    const plan_t *p = plan;
    if (p->inverse) return invert(x, p);
    const uint64_t q = p->q;
    for (uint64_t m = p->n / 2, blocks = 1; m > 1; m /= 2, blocks *= 2)
        for (uint64_t b = 0; b < blocks; b++) {
            uint64_t *block = x + 2 * m * b;
            const twiddle t = p->table[p->heap * blocks + b];
            for (uint64_t j = 0; j < m; j++)
                butterfly(block + j, block + m + j, t, q);
        }
    for (uint64_t b = 0; b < p->n / 2; b++) { /* the last level, with a full reduction */
        butterfly(x + 2 * b, x + 2 * b + 1, p->table[p->heap * (p->n / 2) + b], q);
        x[2 * b] = reduce(x[2 * b], q), x[2 * b + 1] = reduce(x[2 * b + 1], q);
    }
}

static twiddle with_quotient(uint64_t w, uint64_t q) { return (twiddle){w, (uint64_t)(((u128)w << 64) / q)}; }

static uint64_t power(twiddle base, uint64_t exponent, uint64_t q)
{
    uint64_t w = 1;
    while (exponent--) w = subtract_once(multiply_lazy(w, base, q), q);
    return w;
}

/* Stores 1/n, and the factor of the last inverse butterflies times 1/n. */
static void scale_last_level(plan_t *p)
{
    uint64_t w = 1;
    for (uint64_t m = p->n; m > 1; m /= 2) w = (w + (p->q & (0 - (w & 1)))) / 2;
    p->scale = with_quotient(w, p->q);
    p->last = with_quotient(subtract_once(multiply_lazy(w, p->table[p->heap], p->q), p->q), p->q);
}

void scalar_word_free(void *plan) { free(plan); }

/* Creates a plan. root is a primitive root of unity of order n modulo q, or of order 2n for negacyclic transforms. Entry brv(e) of the
 * table is root^e, or root^-e for inverse transforms. */
void *scalar_word_plan(const char *kernel, uint64_t n, uint64_t words, const uint64_t *q, const uint64_t *root)
{
    const uint64_t inverse = *kernel == 'i', heap = !strcmp(kernel + inverse, "ntt_negacyclic"), entries = heap ? n : n / 2;
    if ((!heap && strcmp(kernel + inverse, "ntt")) || words != 1 || q[0] >> 62) return NULL;
    plan_t *p = malloc(sizeof *p + entries * sizeof(twiddle));
    if (!p) return NULL;
    p->n = n, p->heap = heap, p->inverse = inverse, p->q = q[0];
    twiddle step = with_quotient(root[0], p->q);
    if (inverse) step = with_quotient(power(step, (heap ? 2 * n : n) - 1, p->q), p->q);
    uint64_t w = 1;
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
