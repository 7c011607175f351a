/* The NTT and the inverse NTT of scalar_shoup.c (with the same order, layout and twiddle table) and vector arithmetic, for any width,
 * on GMP's mpz integers, to show the cost of a general big-integer library. Optional; requires gmp.h and -lgmp. */
#include <gmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void (*work_t)(uint64_t *, void *);
typedef struct { uint64_t n, words, heap; work_t work; mpz_t q, t, a; mpz_t *x, *y, *z, *table; } plan_t;

static void get(mpz_t a, const uint64_t *x, uint64_t words) { mpz_import(a, words, -1, sizeof *x, 0, 0, x); }

static void put(uint64_t *x, const mpz_t a, uint64_t words)
{
    memset(x, 0, words * sizeof *x); /* mpz_export does not write leading zero words */
    mpz_export(x, NULL, -1, sizeof *x, 0, 0, a);
}

static void add(mpz_t z, const mpz_t x, const mpz_t y, const plan_t *p)
{
    mpz_add(z, x, y);
    if (mpz_cmp(z, p->q) >= 0) mpz_sub(z, z, p->q);
}

static void subtract(mpz_t z, const mpz_t x, const mpz_t y, const plan_t *p)
{
    mpz_sub(z, x, y);
    if (mpz_sgn(z) < 0) mpz_add(z, z, p->q);
}

static void multiply(mpz_t z, const mpz_t x, const mpz_t y, const plan_t *p)
{
    mpz_mul(z, x, y);
    mpz_mod(z, z, p->q);
}

/* The vector is stored in integers of the plan, so a plan must not be used by two calls at the same time. */
static void ntt(uint64_t *x, void *plan)
{
    plan_t *p = plan;
    for (uint64_t j = 0; j < p->n; j++) get(p->x[j], x + p->words * j, p->words);
    for (uint64_t m = p->n / 2, blocks = 1; m > 0; m /= 2, blocks *= 2)
        for (uint64_t b = 0; b < blocks; b++)
            for (uint64_t j = 2 * m * b; j < 2 * m * b + m; j++) { /* (x, y) -> (x + w·y, x - w·y) */
                multiply(p->t, p->x[j + m], p->table[p->heap * blocks + b], p);
                subtract(p->x[j + m], p->x[j], p->t, p);
                add(p->x[j], p->x[j], p->t, p);
            }
    for (uint64_t j = 0; j < p->n; j++) put(x + p->words * j, p->x[j], p->words);
}

static void intt(uint64_t *x, void *plan)
{
    plan_t *p = plan;
    for (uint64_t j = 0; j < p->n; j++) get(p->x[j], x + p->words * j, p->words);
    for (uint64_t m = 1, blocks = p->n / 2; blocks > 0; m *= 2, blocks /= 2)
        for (uint64_t b = 0; b < blocks; b++)
            for (uint64_t j = 2 * m * b; j < 2 * m * b + m; j++) { /* (x, y) -> (x + y, w·(x - y)) */
                subtract(p->t, p->x[j], p->x[j + m], p);
                add(p->x[j], p->x[j], p->x[j + m], p);
                multiply(p->x[j + m], p->t, p->table[p->heap * blocks + b], p);
            }
    for (uint64_t j = 0; j < p->n; j++) { /* a is 1/n */
        multiply(p->x[j], p->x[j], p->a, p);
        put(x + p->words * j, p->x[j], p->words);
    }
}

static void vadd(uint64_t *z, void *plan)
{
    plan_t *p = plan;
    for (uint64_t j = 0; j < p->n; j++) add(p->z[j], p->x[j], p->y[j], p);
    (void)z;
}

static void vsub(uint64_t *z, void *plan)
{
    plan_t *p = plan;
    for (uint64_t j = 0; j < p->n; j++) subtract(p->z[j], p->x[j], p->y[j], p);
    (void)z;
}

static void vmul(uint64_t *z, void *plan)
{
    plan_t *p = plan;
    for (uint64_t j = 0; j < p->n; j++) multiply(p->z[j], p->x[j], p->y[j], p);
    (void)z;
}

static void axpy(uint64_t *z, void *plan)
{
    plan_t *p = plan;
    for (uint64_t j = 0; j < p->n; j++) {
        mpz_mul(p->z[j], p->a, p->x[j]);
        mpz_add(p->z[j], p->z[j], p->y[j]);
        mpz_mod(p->z[j], p->z[j], p->q);
    }
    (void)z;
}

static const struct { const char *name; work_t work; } KERNELS[] = {
    {"ntt", ntt}, {"ntt_negacyclic", ntt}, {"intt", intt}, {"intt_negacyclic", intt}, {"vadd", vadd}, {"vsub", vsub}, {"vmul", vmul}, {"axpy", axpy},
};

void gmp_mpz_run(uint64_t *z, const void *plan) { ((const plan_t *)plan)->work(z, (void *)plan); }

void gmp_mpz_load(void *plan, const uint64_t *a, const uint64_t *x, const uint64_t *y)
{
    plan_t *p = plan;
    if (a) get(p->a, a, p->words);
    for (uint64_t j = 0; j < p->n; j++) get(p->x[j], x + p->words * j, p->words), get(p->y[j], y + p->words * j, p->words);
}

void gmp_mpz_next(void *plan, uint64_t vectors)
{
    plan_t *p = plan;
    mpz_t *const oldest = p->x;
    p->x = vectors == 2 ? p->y : p->z;
    p->y = vectors == 2 ? p->z : p->y;
    p->z = oldest;
}

void gmp_mpz_store(uint64_t *z, const void *plan)
{
    const plan_t *p = plan;
    for (uint64_t j = 0; j < p->n; j++) put(z + p->words * j, p->z[j], p->words);
}

static mpz_t *integers(uint64_t n, uint64_t words)
{
    mpz_t *all = malloc((n + 1) * sizeof *all);
    for (uint64_t j = 0; all && j < n; j++) mpz_init2(all[j], 128 * words + 64);
    return all;
}

static void clear(mpz_t *all, uint64_t n)
{
    for (uint64_t j = 0; all && j < n; j++) mpz_clear(all[j]);
    free(all);
}

static uint64_t entries(const plan_t *p) { return p->work != ntt && p->work != intt ? 0 : p->heap ? p->n : p->n / 2; }

void gmp_mpz_free(void *plan)
{
    plan_t *p = plan;
    if (!p) return;
    clear(p->x, p->n), clear(p->y, p->n), clear(p->z, p->n), clear(p->table, entries(p));
    mpz_clears(p->q, p->t, p->a, NULL);
    free(p);
}

/* Fills the twiddle table: entry brv(e) is root^e, or root^-e for inverse transforms. */
static void fill(plan_t *p, const uint64_t *root)
{
    mpz_t step, w;
    mpz_inits(step, w, NULL);
    get(step, root, p->words), mpz_set_ui(w, 1);
    if (p->work == intt) mpz_invert(step, step, p->q), mpz_set_ui(p->a, p->n), mpz_invert(p->a, p->a, p->q);
    for (uint64_t e = 0, reversed = 0; e < entries(p); e++) {
        mpz_set(p->table[reversed], w);
        multiply(w, w, step, p);
        uint64_t bit = entries(p) / 2; /* increment `reversed`, from the top bit down */
        for (; reversed & bit; bit /= 2) reversed ^= bit;
        reversed ^= bit;
    }
    mpz_clears(step, w, NULL);
}

void *gmp_mpz_plan(const char *kernel, uint64_t n, uint64_t words, const uint64_t *q, const uint64_t *root)
{
    plan_t *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->n = n, p->words = words, p->heap = !strcmp(kernel + (*kernel == 'i'), "ntt_negacyclic");
    mpz_inits(p->q, p->t, p->a, NULL);
    get(p->q, q, words);
    for (size_t k = 0; k < sizeof KERNELS / sizeof *KERNELS; k++)
        if (!strcmp(kernel, KERNELS[k].name)) p->work = KERNELS[k].work;
    p->x = integers(n, words), p->y = integers(n, words), p->z = integers(n, words), p->table = integers(entries(p), words);
    if (!p->work || !p->x || !p->y || !p->z || !p->table) return gmp_mpz_free(p), NULL;
    if (entries(p)) fill(p, root);
    return p;
}
