/* One transform of benchNTT with 2^stages points. benchntt.c includes this file once for each size, with another value of `stages`: the
 * library chooses the size at compile time. THEIRS is its source without its own definition of `stages`. */
#ifndef SIZED
#define JOINED(name, size) name##_##size
#define NAMED(name, size) JOINED(name, size)
#define SIZED(name) NAMED(name, stages)
#define one SIZED(one)
#define negone SIZED(negone)
#define t SIZED(t)
#define addmod128 SIZED(addmod128)
#define submod128 SIZED(submod128)
#define mul64 SIZED(mul64)
#define mullo64 SIZED(mullo64)
#define mulhi64 SIZED(mulhi64)
#define mul128 SIZED(mul128)
#define mullo128 SIZED(mullo128)
#define mulhi128 SIZED(mulhi128)
#define mulmod128 SIZED(mulmod128)
#define generate_twiddles SIZED(generate_twiddles)
#define ntt_pre SIZED(ntt_pre)
#define ntt_post SIZED(ntt_post)
#define ntt SIZED(ntt)
#define main SIZED(main)
#endif

#include THEIRS

/* Computes the vectors of twiddles and constants from `twiddles`, pairs of words with the high one first, and sets z to `x`. */
static void SIZED(prepare)(plan_t *p, uint64_t *x, uint64_t *twiddles, uint128_t q, uint128_t mu)
{
    SET_CONSTANTS;
    ntt_pre(x, twiddles, q, mu, p->z, p->twiddle[0], p->twiddle[1], &p->q[0], &p->q[1], &p->mu[0], &p->mu[1] PERMUTATIONS(&));
}

static void SIZED(transform)(plan_t *p)
{
    vec **b = p->buffer;
    ntt(p->z, p->twiddle[0], p->twiddle[1], p->q[0], p->q[1], p->mu[0], p->mu[1] PERMUTATIONS(), b[0], b[1], b[2], b[3], b[4], b[5], p->z);
}
#undef stages
#undef N
