/* FLINT's transform modulo a prime of at most 50 bits, whose residues are stored as doubles (fft_small). It is linked from an installed
 * FLINT 3, or, if FLINT_SOURCES is defined, compiled from the few source files that it needs. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef FLINT_SOURCES
#include "fft_small.h"
#include "nmod.h"
/* The functions of the rest of FLINT that these files call, for primes below 2^50. */
void flint_throw(flint_err_t kind, const char *message, ...) { (void)kind, (void)message, abort(); }

int flint_printf(const char *text, ...) { return (void)text, 0; }

void *flint_aligned_alloc(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }

void flint_aligned_free(void *p) { free(p); }

static ulong power(ulong base, ulong exponent, ulong n)
{
    ulong result = 1;
    for (; exponent; exponent >>= 1, base = (ulong)((unsigned __int128)base * base % n))
        if (exponent & 1) result = (ulong)((unsigned __int128)result * base % n);
    return result;
}

/* Returns ⌊(2^128 - 1)/n⌋ - 2^64. The top bit of n is set. */
ulong n_preinvert_limb_prenorm(ulong n) { return (ulong)((((unsigned __int128)~n << 64) | ~0ul) / n); }

ulong n_quadratic_nonresidue(ulong p)
{
    ulong a = 2;
    while (power(a, (p - 1) / 2, p) == 1) a++;
    return a;
}

ulong nmod_pow_ui(ulong a, ulong exponent, nmod_t mod) { return power(a, exponent, mod.n); }
ulong n_revbin(ulong in, ulong bits)
{
    ulong out = 0;
    for (ulong i = 0; i < bits; i++) out |= (in >> i & 1) << (bits - 1 - i);
    return out;
}
#else
#include <flint/fft_small.h>
#endif

typedef struct {
    sd_fft_ctx_t context;
    uint64_t n, q, inverse;
    double *values;
} plan_t;

void flint_sd_run(uint64_t *z, const void *plan)
{
    const plan_t *p = plan;
    sd_fft_ctx_struct *const context = (sd_fft_ctx_struct *)p->context;
    const ulong log = (ulong)__builtin_ctzl(p->n);
    if (p->inverse) sd_ifft_trunc(context, p->values, log, p->n);
    else sd_fft_trunc(context, p->values, log, p->n, p->n);
    (void)z;
}

void flint_sd_load(void *plan, const uint64_t *a, const uint64_t *x, const uint64_t *y)
{
    plan_t *p = plan;
    for (uint64_t i = 0; i < p->n; i++) p->values[i] = (double)x[i];
    (void)a, (void)y;
}

/* Copies the result, whose values are between -4q and 4q, as residues below q. */
void flint_sd_store(uint64_t *z, const void *plan)
{
    const plan_t *p = plan;
    for (uint64_t i = 0; i < p->n; i++) {
        const int64_t rest = (int64_t)p->values[i] % (int64_t)p->q;
        z[i] = (uint64_t)(rest < 0 ? rest + (int64_t)p->q : rest);
    }
}

void flint_sd_free(void *plan)
{
    plan_t *p = plan;
    sd_fft_ctx_clear(p->context), free(p->values), free(p);
}

void *flint_sd_plan(const char *kernel, uint64_t n, uint64_t words, const uint64_t *q, const uint64_t *root)
{
    const uint64_t inverse = !strcmp(kernel, "intt");
    (void)root;
    if ((!inverse && strcmp(kernel, "ntt")) || words != 1 || n < 16 || n & (n - 1)) return NULL;
    if (!(q[0] & 1) || (q[0] - 1) % n || q[0] < 1 << 12 || !fft_small_mulmod_satisfies_bounds(q[0])) return NULL;
    plan_t *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->n = n, p->q = q[0], p->inverse = inverse;
    sd_fft_ctx_init_prime(p->context, q[0]);
    sd_fft_ctx_fit_depth(p->context, (ulong)__builtin_ctzl(n));
    p->values = aligned_alloc(4096, (n * sizeof(double) + 4095) / 4096 * 4096);
    return p;
}
