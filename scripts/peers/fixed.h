/* The common code of transforms with a fixed size and modulus. The including file defines WORD, Q, FORWARD, INVERSE, UNPACK and TABLE.
 * Values are loaded and stored in the order of the standard, which UNPACK permutes to that of the library. */
enum { N = 256 };

typedef struct {
    WORD values[N] __attribute__((aligned(64)));
    WORD place[N] __attribute__((aligned(64))); /* place[i]: the index in the standard's order of the library's value i */
    int inverse;
} plan_t;

void P(run)(uint64_t *z, const void *plan)
{
    plan_t *p = (plan_t *)plan;
    if (p->inverse) INVERSE(p->values, TABLE);
    else FORWARD(p->values, TABLE);
    (void)z;
}

void P(load)(void *plan, const uint64_t *a, const uint64_t *x, const uint64_t *y)
{
    plan_t *p = plan;
    for (int i = 0; i < N; i++) p->values[i] = (WORD)x[p->inverse ? p->place[i] : i];
    (void)a, (void)y;
}

void P(store)(uint64_t *z, const void *plan)
{
    const plan_t *p = plan;
    for (int i = 0; i < N; i++) {
        const WORD rest = (WORD)(p->values[i] % Q);
        z[p->inverse ? i : p->place[i]] = (uint64_t)(rest < 0 ? rest + Q : rest);
    }
}

void P(free)(void *plan) { free(plan); }

void *P(plan)(const char *kernel, uint64_t n, uint64_t words, const uint64_t *q, const uint64_t *root)
{
    const int inverse = !strcmp(kernel, "intt_negacyclic");
    (void)root;
    if ((!inverse && strcmp(kernel, "ntt_negacyclic")) || n != N || words != 1 || q[0] != Q) return NULL;
    plan_t *p = aligned_alloc(64, (sizeof *p + 63) / 64 * 64);
    if (!p) return NULL;
    memset(p, 0, sizeof *p);
    for (int i = 0; i < N; i++) p->place[i] = (WORD)i;
    UNPACK(p->place);
    p->inverse = inverse;
    return p;
}
