/* The same NTT as scalar_shoup.c (order, layout, twiddle table) written with GMP's mpz integers: what a general
 * big-integer library costs. Optional: needs gmp.h and -lgmp. */
#include <gmp.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct { uint64_t n; mpz_t q, t; mpz_t *x, *table; } plan_t;

static void get(mpz_t a, const uint64_t *x) { mpz_import(a, 2, -1, sizeof *x, 0, 0, x); }

static void put(uint64_t *x, const mpz_t a)
{
    x[0] = x[1] = 0; /* mpz_export writes no leading zero words */
    mpz_export(x, NULL, -1, sizeof *x, 0, 0, a);
}

/* (x, y) -> (x + w·y, x - w·y) mod q */
static void butterfly(mpz_t x, mpz_t y, const mpz_t w, plan_t *p)
{
    mpz_mul(p->t, y, w);
    mpz_mod(p->t, p->t, p->q);
    mpz_sub(y, x, p->t);
    if (mpz_sgn(y) < 0) mpz_add(y, y, p->q);
    mpz_add(x, x, p->t);
    if (mpz_cmp(x, p->q) >= 0) mpz_sub(x, x, p->q);
}

/* The plan's own integers hold the vector: one call at a time on a plan. */
void gmp_mpz_ntt(uint64_t *x, const void *plan)
{
    plan_t *p = (plan_t *)plan;
    for (uint64_t j = 0; j < p->n; j++) get(p->x[j], x + 2 * j);
    for (uint64_t m = p->n / 2, blocks = 1; m > 0; m /= 2, blocks *= 2)
        for (uint64_t b = 0; b < blocks; b++)
            for (uint64_t j = 2 * m * b; j < 2 * m * b + m; j++)
                butterfly(p->x[j], p->x[j + m], p->table[b], p);
    for (uint64_t j = 0; j < p->n; j++) put(x + 2 * j, p->x[j]);
}

void gmp_mpz_free(void *plan)
{
    plan_t *p = plan;
    if (!p) return;
    for (uint64_t j = 0; j < p->n; j++) mpz_clear(p->x[j]);
    for (uint64_t j = 0; j < p->n / 2; j++) mpz_clear(p->table[j]);
    mpz_clears(p->q, p->t, NULL);
    free(p->x), free(p->table), free(p);
}

/* root: a primitive n-th root of unity modulo q. Table entry brv(e) is root^e, e < n/2. NULL where memory is short. */
void *gmp_mpz_plan(uint64_t n, const uint64_t q[2], const uint64_t root[2])
{
    plan_t *p = malloc(sizeof *p);
    mpz_t *x = malloc(n * sizeof *x), *table = malloc((n / 2 + 1) * sizeof *table);
    if (!p || !x || !table) return free(p), free(x), free(table), NULL;
    mpz_t step, w;
    p->n = n, p->x = x, p->table = table;
    mpz_inits(p->q, p->t, step, NULL);
    get(p->q, q), get(step, root);
    mpz_init_set_ui(w, 1);
    for (uint64_t j = 0; j < n; j++) mpz_init2(x[j], 256);
    for (uint64_t e = 0, reversed = 0; e < n / 2; e++) {
        mpz_init_set(table[reversed], w);
        mpz_mul(w, w, step), mpz_mod(w, w, p->q);
        uint64_t bit = n / 4; /* reversed + 1, counting from the top bit down */
        for (; reversed & bit; bit /= 2) reversed ^= bit;
        reversed ^= bit;
    }
    mpz_clears(step, w, NULL);
    return p;
}
