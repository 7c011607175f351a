/* FLINT's arithmetic for moduli of any width (fmpz_mod): NTT butterflies, vectors, products of polynomials.
 * If FLINT's headers are not installed, this file declares FLINT's documented interface itself, for the library in the
 * package python-flint. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<flint/fmpz_mod_vec.h>)
#include <flint/fmpz.h>
#include <flint/fmpz_mod.h>
#include <flint/fmpz_mod_poly.h>
#include <flint/fmpz_mod_vec.h>
#include <flint/fmpz_vec.h>
#else
typedef long fmpz;
typedef fmpz fmpz_t[1];
typedef struct { uint64_t room[64]; } fmpz_mod_ctx_t[1]; /* an opaque type, larger than FLINT's */
typedef struct { fmpz *coeffs; long alloc, length; } fmpz_mod_poly_t[1];
fmpz *_fmpz_vec_init(long n);
void _fmpz_vec_clear(fmpz *x, long n), _fmpz_vec_set(fmpz *z, const fmpz *x, long n), fmpz_set(fmpz_t z, const fmpz_t x);
void fmpz_set_ui_array(fmpz_t z, const unsigned long *x, long n), fmpz_get_ui_array(unsigned long *z, long n, const fmpz_t x);
void fmpz_mod_ctx_init(fmpz_mod_ctx_t c, const fmpz_t q), fmpz_mod_ctx_clear(fmpz_mod_ctx_t c);
void fmpz_mod_add(fmpz_t z, const fmpz_t x, const fmpz_t y, const fmpz_mod_ctx_t c);
void fmpz_mod_sub(fmpz_t z, const fmpz_t x, const fmpz_t y, const fmpz_mod_ctx_t c);
void fmpz_mod_mul(fmpz_t z, const fmpz_t x, const fmpz_t y, const fmpz_mod_ctx_t c);
void fmpz_mod_inv(fmpz_t z, const fmpz_t x, const fmpz_mod_ctx_t c);
void _fmpz_mod_vec_add(fmpz *z, const fmpz *x, const fmpz *y, long n, const fmpz_mod_ctx_t c);
void _fmpz_mod_vec_sub(fmpz *z, const fmpz *x, const fmpz *y, long n, const fmpz_mod_ctx_t c);
void _fmpz_mod_vec_mul(fmpz *z, const fmpz *x, const fmpz *y, long n, const fmpz_mod_ctx_t c);
void _fmpz_mod_vec_scalar_addmul_fmpz_mod(fmpz *z, const fmpz *x, long n, const fmpz_t a, const fmpz_mod_ctx_t c);
void fmpz_mod_poly_init(fmpz_mod_poly_t p, const fmpz_mod_ctx_t c), fmpz_mod_poly_clear(fmpz_mod_poly_t p, const fmpz_mod_ctx_t c);
void fmpz_mod_poly_set_coeff_fmpz(fmpz_mod_poly_t p, long at, const fmpz_t x, const fmpz_mod_ctx_t c);
void fmpz_mod_poly_get_coeff_fmpz(fmpz_t x, const fmpz_mod_poly_t p, long at, const fmpz_mod_ctx_t c);
void fmpz_mod_poly_mul(fmpz_mod_poly_t z, const fmpz_mod_poly_t x, const fmpz_mod_poly_t y, const fmpz_mod_ctx_t c);
#endif

typedef struct plan plan_t;
typedef void (*work_t)(uint64_t *, plan_t *);
struct plan {
    uint64_t n, words, heap, negacyclic, entries;
    work_t work;
    fmpz_mod_ctx_t c;
    fmpz *x, *y, *z, *a, *table; /* a: the scalar factor or 1/n, a temporary, and 0; table: entry brv(e) is root^e, or root^-e */
    fmpz_mod_poly_t px, py, pz;
};

static void get(fmpz *z, const uint64_t *x, const plan_t *p) { fmpz_set_ui_array(z, (const unsigned long *)x, (long)p->words); }

static void put(uint64_t *z, const fmpz *x, const plan_t *p) { fmpz_get_ui_array((unsigned long *)z, (long)p->words, x); }

static void ntt(uint64_t *x, plan_t *p)
{
    fmpz *v = p->x, *t = p->a + 1;
    for (uint64_t j = 0; j < p->n; j++) get(v + j, x + p->words * j, p);
    for (uint64_t m = p->n / 2, blocks = 1; m > 0; m /= 2, blocks *= 2)
        for (uint64_t b = 0; b < blocks; b++)
            for (uint64_t j = 2 * m * b; j < 2 * m * b + m; j++) { /* (x, y) -> (x + w·y, x - w·y) */
                fmpz_mod_mul(t, v + j + m, p->table + p->heap * blocks + b, p->c);
                fmpz_mod_sub(v + j + m, v + j, t, p->c);
                fmpz_mod_add(v + j, v + j, t, p->c);
            }
    for (uint64_t j = 0; j < p->n; j++) put(x + p->words * j, v + j, p);
}

static void intt(uint64_t *x, plan_t *p)
{
    fmpz *v = p->x, *t = p->a + 1;
    for (uint64_t j = 0; j < p->n; j++) get(v + j, x + p->words * j, p);
    for (uint64_t m = 1, blocks = p->n / 2; blocks > 0; m *= 2, blocks /= 2)
        for (uint64_t b = 0; b < blocks; b++)
            for (uint64_t j = 2 * m * b; j < 2 * m * b + m; j++) { /* (x, y) -> (x + y, w·(x - y)) */
                fmpz_mod_sub(t, v + j, v + j + m, p->c);
                fmpz_mod_add(v + j, v + j, v + j + m, p->c);
                fmpz_mod_mul(v + j + m, t, p->table + p->heap * blocks + b, p->c);
            }
    for (uint64_t j = 0; j < p->n; j++) fmpz_mod_mul(v + j, v + j, p->a, p->c), put(x + p->words * j, v + j, p);
}

static void vadd(uint64_t *z, plan_t *p) { _fmpz_mod_vec_add(p->z, p->x, p->y, (long)p->n, p->c), (void)z; }

static void vsub(uint64_t *z, plan_t *p) { _fmpz_mod_vec_sub(p->z, p->x, p->y, (long)p->n, p->c), (void)z; }

static void vmul(uint64_t *z, plan_t *p) { _fmpz_mod_vec_mul(p->z, p->x, p->y, (long)p->n, p->c), (void)z; }

static void axpy(uint64_t *z, plan_t *p)
{
    _fmpz_vec_set(p->z, p->y, (long)p->n);
    _fmpz_mod_vec_scalar_addmul_fmpz_mod(p->z, p->x, (long)p->n, p->a, p->c), (void)z;
}

static void polymul(uint64_t *z, plan_t *p)
{
    fmpz_mod_poly_mul(p->pz, p->px, p->py, p->c);
    const long n = (long)p->n, length = p->pz->length;
    _fmpz_vec_set(p->z, p->pz->coeffs, length < n ? length : n);
    for (long j = length; j < n; j++) fmpz_set(p->z + j, p->a + 2); /* a + 2 is 0 */
    if (length > n)
        (p->negacyclic ? _fmpz_mod_vec_sub : _fmpz_mod_vec_add)(p->z, p->z, p->pz->coeffs + n, length - n, p->c);
    (void)z;
}

static const struct { const char *name; work_t work; } KERNELS[] = {
    {"ntt", ntt}, {"ntt_negacyclic", ntt}, {"intt", intt}, {"intt_negacyclic", intt}, {"vadd", vadd}, {"vsub", vsub}, {"vmul", vmul}, {"axpy", axpy},
    {"polymul", polymul}, {"polymul_negacyclic", polymul},
};

void flint_fmpz_run(uint64_t *z, const void *plan) { ((const plan_t *)plan)->work(z, (plan_t *)plan); }

void flint_fmpz_load(void *plan, const uint64_t *a, const uint64_t *x, const uint64_t *y)
{
    plan_t *p = plan;
    if (a) get(p->a, a, p);
    for (uint64_t j = p->n; j-- > 0;) {
        get(p->x + j, x + p->words * j, p), get(p->y + j, y + p->words * j, p);
        fmpz_mod_poly_set_coeff_fmpz(p->px, (long)j, p->x + j, p->c), fmpz_mod_poly_set_coeff_fmpz(p->py, (long)j, p->y + j, p->c);
    }
}

void flint_fmpz_next(void *plan, uint64_t vectors)
{
    plan_t *p = plan;
    fmpz *const oldest = p->x;
    p->x = vectors == 2 ? p->y : p->z;
    p->y = vectors == 2 ? p->z : p->y;
    p->z = oldest;
}

void flint_fmpz_store(uint64_t *z, const void *plan)
{
    const plan_t *p = plan;
    for (uint64_t j = 0; j < p->n; j++) put(z + p->words * j, p->z + j, p);
}

void flint_fmpz_free(void *plan)
{
    plan_t *p = plan;
    const long n = (long)p->n;
    fmpz_mod_poly_clear(p->px, p->c), fmpz_mod_poly_clear(p->py, p->c), fmpz_mod_poly_clear(p->pz, p->c);
    _fmpz_vec_clear(p->x, n), _fmpz_vec_clear(p->y, n), _fmpz_vec_clear(p->z, n), _fmpz_vec_clear(p->a, 4);
    _fmpz_vec_clear(p->table, (long)p->entries);
    fmpz_mod_ctx_clear(p->c), free(p);
}

static void fill(plan_t *p, const uint64_t *root)
{
    fmpz *step = p->a + 3, *w = p->a + 1;
    if (p->work == intt) get(w, (const uint64_t[64]){p->n}, p), fmpz_mod_inv(p->a, w, p->c);
    get(step, root, p), get(w, (const uint64_t[64]){1}, p);
    if (p->work == intt) fmpz_mod_inv(step, step, p->c);
    for (uint64_t e = 0, reversed = 0; e < p->entries; e++) {
        fmpz_set(p->table + reversed, w);
        fmpz_mod_mul(w, w, step, p->c);
        uint64_t bit = p->entries / 2; /* increment `reversed`, from the top bit down */
        for (; reversed & bit; bit /= 2) reversed ^= bit;
        reversed ^= bit;
    }
}

void *flint_fmpz_plan(const char *kernel, uint64_t n, uint64_t words, const uint64_t *q, const uint64_t *root)
{
    work_t work = NULL;
    for (size_t k = 0; k < sizeof KERNELS / sizeof *KERNELS; k++)
        if (!strcmp(kernel, KERNELS[k].name)) work = KERNELS[k].work;
    plan_t *p = work && words <= 64 ? calloc(1, sizeof *p) : NULL;
    if (!p) return NULL;
    p->n = n, p->words = words, p->work = work;
    p->heap = !strcmp(kernel + (*kernel == 'i'), "ntt_negacyclic"), p->negacyclic = !strcmp(kernel, "polymul_negacyclic");
    p->entries = work != ntt && work != intt ? 0 : p->heap ? n : n / 2;
    p->x = _fmpz_vec_init((long)n), p->y = _fmpz_vec_init((long)n), p->z = _fmpz_vec_init((long)n);
    p->a = _fmpz_vec_init(4), p->table = _fmpz_vec_init((long)p->entries);
    get(p->a, q, p), fmpz_mod_ctx_init(p->c, p->a);
    fmpz_mod_poly_init(p->px, p->c), fmpz_mod_poly_init(p->py, p->c), fmpz_mod_poly_init(p->pz, p->c);
    if (p->entries) fill(p, root);
    return p;
}
