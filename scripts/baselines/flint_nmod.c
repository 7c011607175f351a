/* FLINT's arithmetic for word-sized moduli: NTT butterflies with Shoup products, vectors, products of polynomials.
 * If FLINT's headers are not installed, this file declares FLINT's documented interface itself, for the library in the
 * package python-flint. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<flint/nmod_poly.h>)
#include <flint/nmod_poly.h>
#include <flint/nmod_vec.h>
#include <flint/ulong_extras.h>
typedef mp_limb_t word;
#else
typedef unsigned long word;
typedef struct { word n, ninv, norm; } nmod_t;
typedef struct { word *coeffs; long alloc, length; nmod_t mod; } nmod_poly_t[1];
word n_preinvert_limb(word n), n_mulmod2_preinv(word a, word b, word n, word ninv), n_invmod(word a, word n);
word n_mulmod_precomp_shoup(word w, word n), n_mulmod_shoup(word w, word t, word quotient, word n);
void _nmod_vec_add(word *z, const word *x, const word *y, long n, nmod_t mod);
void _nmod_vec_sub(word *z, const word *x, const word *y, long n, nmod_t mod);
void _nmod_vec_scalar_addmul_nmod(word *z, const word *x, long n, word a, nmod_t mod);
void nmod_poly_init(nmod_poly_t p, word n), nmod_poly_clear(nmod_poly_t p);
void nmod_poly_set_coeff_ui(nmod_poly_t p, long at, word value);
void nmod_poly_mul(nmod_poly_t z, const nmod_poly_t x, const nmod_poly_t y);
#define nmod_mul(a, b, mod) n_mulmod2_preinv(a, b, (mod).n, (mod).ninv)
#endif

/* Branchless sums and differences for a, b < n < 2^63. FLINT's inline functions branch on the data, which takes half of the time of
 * a transform. */
static inline word difference(word a, word b, word n) { return a - b + (n & (0 - ((a - b) >> 63))); }

static inline word sum(word a, word b, word n) { return difference(a, n - b, n); }

typedef struct plan plan_t;
typedef void (*work_t)(uint64_t *, plan_t *);
struct plan {
    uint64_t n, heap, negacyclic;
    work_t work;
    nmod_t mod;
    word a, *x, *y, *z, *table; /* table: entry brv(e) is root^e and its Shoup quotient */
    nmod_poly_t px, py, pz;
};

static void ntt(uint64_t *x, plan_t *p)
{
    for (uint64_t m = p->n / 2, blocks = 1; m > 0; m /= 2, blocks *= 2)
        for (uint64_t b = 0; b < blocks; b++) {
            const word *t = p->table + 2 * (p->heap * blocks + b);
            for (uint64_t j = 2 * m * b; j < 2 * m * b + m; j++) { /* (x, y) -> (x + w·y, x - w·y) */
                const word a = x[j], c = n_mulmod_shoup(t[0], x[j + m], t[1], p->mod.n);
                x[j] = sum(a, c, p->mod.n), x[j + m] = difference(a, c, p->mod.n);
            }
        }
}

static void intt(uint64_t *x, plan_t *p)
{
    for (uint64_t m = 1, blocks = p->n / 2; blocks > 0; m *= 2, blocks /= 2)
        for (uint64_t b = 0; b < blocks; b++) {
            const word *t = p->table + 2 * (p->heap * blocks + b);
            for (uint64_t j = 2 * m * b; j < 2 * m * b + m; j++) { /* (x, y) -> (x + y, w·(x - y)) */
                const word a = x[j], c = x[j + m];
                x[j] = sum(a, c, p->mod.n), x[j + m] = n_mulmod_shoup(t[0], difference(a, c, p->mod.n), t[1], p->mod.n);
            }
        }
    const word quotient = n_mulmod_precomp_shoup(p->a, p->mod.n); /* a is 1/n */
    for (uint64_t j = 0; j < p->n; j++) x[j] = n_mulmod_shoup(p->a, x[j], quotient, p->mod.n);
}

static void vadd(uint64_t *z, plan_t *p) { _nmod_vec_add(p->z, p->x, p->y, (long)p->n, p->mod), (void)z; }

static void vsub(uint64_t *z, plan_t *p) { _nmod_vec_sub(p->z, p->x, p->y, (long)p->n, p->mod), (void)z; }

static void vmul(uint64_t *z, plan_t *p)
{
    for (uint64_t j = 0; j < p->n; j++) p->z[j] = nmod_mul(p->x[j], p->y[j], p->mod);
    (void)z;
}

static void axpy(uint64_t *z, plan_t *p)
{
    memcpy(p->z, p->y, p->n * sizeof *p->z);
    _nmod_vec_scalar_addmul_nmod(p->z, p->x, (long)p->n, p->a, p->mod), (void)z;
}

static void polymul(uint64_t *z, plan_t *p)
{
    nmod_poly_mul(p->pz, p->px, p->py);
    const word *c = p->pz->coeffs;
    const uint64_t length = (uint64_t)p->pz->length;
    for (uint64_t j = 0; j < p->n; j++) {
        const word low = j < length ? c[j] : 0, high = j + p->n < length ? c[j + p->n] : 0;
        p->z[j] = p->negacyclic ? difference(low, high, p->mod.n) : sum(low, high, p->mod.n);
    }
    (void)z;
}

static const struct { const char *name; work_t work; } KERNELS[] = {
    {"ntt", ntt}, {"ntt_negacyclic", ntt}, {"intt", intt}, {"intt_negacyclic", intt}, {"vadd", vadd}, {"vsub", vsub}, {"vmul", vmul}, {"axpy", axpy},
    {"polymul", polymul}, {"polymul_negacyclic", polymul},
};

void flint_nmod_run(uint64_t *z, const void *plan) { ((const plan_t *)plan)->work(z, (plan_t *)plan); }

void flint_nmod_load(void *plan, const uint64_t *a, const uint64_t *x, const uint64_t *y)
{
    plan_t *p = plan;
    if (a) p->a = a[0];
    memcpy(p->x, x, p->n * sizeof *x), memcpy(p->y, y, p->n * sizeof *y);
    for (long j = (long)p->n - 1; j >= 0; j--)
        nmod_poly_set_coeff_ui(p->px, j, x[j]), nmod_poly_set_coeff_ui(p->py, j, y[j]);
}

void flint_nmod_next(void *plan, uint64_t vectors)
{
    plan_t *p = plan;
    word *const oldest = p->x;
    p->x = vectors == 2 ? p->y : p->z;
    p->y = vectors == 2 ? p->z : p->y;
    p->z = oldest;
}

void flint_nmod_store(uint64_t *z, const void *plan)
{
    const plan_t *p = plan;
    memcpy(z, p->z, p->n * sizeof *z);
}

void flint_nmod_free(void *plan)
{
    plan_t *p = plan;
    nmod_poly_clear(p->px), nmod_poly_clear(p->py), nmod_poly_clear(p->pz);
    free(p->x), free(p->y), free(p->z), free(p->table), free(p);
}

static void fill(plan_t *p, word root)
{
    const uint64_t entries = p->heap ? p->n : p->n / 2;
    word w = 1;
    for (uint64_t e = 0, reversed = 0; e < entries; e++) {
        p->table[2 * reversed] = w, p->table[2 * reversed + 1] = n_mulmod_precomp_shoup(w, p->mod.n);
        w = nmod_mul(w, root, p->mod);
        uint64_t bit = entries / 2; /* increment `reversed`, from the top bit down */
        for (; reversed & bit; bit /= 2) reversed ^= bit;
        reversed ^= bit;
    }
}

void *flint_nmod_plan(const char *kernel, uint64_t n, uint64_t words, const uint64_t *q, const uint64_t *root)
{
    work_t work = NULL;
    for (size_t k = 0; k < sizeof KERNELS / sizeof *KERNELS; k++)
        if (!strcmp(kernel, KERNELS[k].name)) work = KERNELS[k].work;
    if (!work || words != 1 || q[0] >> 63) return NULL;
    plan_t *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->n = n, p->work = work, p->heap = !strcmp(kernel + (*kernel == 'i'), "ntt_negacyclic"), p->negacyclic = !strcmp(kernel, "polymul_negacyclic");
    p->mod.n = q[0], p->mod.ninv = n_preinvert_limb(q[0]), p->mod.norm = (word)__builtin_clzl(q[0]);
    nmod_poly_init(p->px, q[0]), nmod_poly_init(p->py, q[0]), nmod_poly_init(p->pz, q[0]);
    p->x = malloc(n * sizeof(word)), p->y = malloc(n * sizeof(word)), p->z = malloc(n * sizeof(word));
    p->table = malloc(2 * n * sizeof(word));
    if (!p->x || !p->y || !p->z || !p->table) return flint_nmod_free(p), NULL;
    if (work == ntt) fill(p, root[0]);
    if (work == intt) fill(p, n_invmod(root[0], q[0])), p->a = n_invmod(n % q[0], q[0]);
    return p;
}
