/* The stopwatch: calls of one function on fixed buffers, timed beside a dependent chain of instructions whose latency is
 * known. The clock's frequency drifts and nanoseconds with it; the quotient of the two, cycles, does not. */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <time.h>

#ifdef __GNUC__
#define FENCE(a) __asm__ volatile("" : "+r"(a)) /* the compiler may not look through */
#define FENCED 1
#else
#define FENCE(a) (void)(a)
#define FENCED 0
#endif
#define EIGHT(line) line line line line line line line line
#define ADD(sum) sum += x; FENCE(sum);

/* Who takes which arguments. */
enum { TRANSFORM, PAIR, SCALED_PAIR, PRODUCT, IN_PLACE };

typedef struct {
    uint64_t shape;
    void (*function)(void);
    void *plan;
    uint64_t *z, *a, *x, *y;
    uint64_t count;
} job;

typedef void (*transform_t)(const void *, uint64_t *, const uint64_t *, size_t);
typedef void (*pair_t)(const void *, uint64_t *, const uint64_t *, const uint64_t *, size_t);
typedef void (*scaled_pair_t)(const void *, uint64_t *, const uint64_t *, const uint64_t *, const uint64_t *, size_t);
typedef int (*product_t)(const void *, uint64_t *, const uint64_t *, const uint64_t *, size_t);
typedef void (*in_place_t)(uint64_t *, const void *);

static void call(const job *j)
{
    switch (j->shape) {
    case TRANSFORM: ((transform_t)j->function)(j->plan, j->z, j->x, j->count); break;
    case PAIR: ((pair_t)j->function)(j->plan, j->z, j->x, j->y, j->count); break;
    case SCALED_PAIR: ((scaled_pair_t)j->function)(j->plan, j->z, j->a, j->x, j->y, j->count); break;
    case PRODUCT: ((product_t)j->function)(j->plan, j->z, j->x, j->y, j->count); break;
    default: ((in_place_t)j->function)(j->z, j->plan);
    }
}

/* What a thread runs, without what others run in its place; but quicker to ask, and as good for microseconds, is time. */
enum { WORK = CLOCK_THREAD_CPUTIME_ID, TIME = CLOCK_MONOTONIC };

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Nanoseconds since start, without those of asking. */
static double since(double start, clockid_t clock)
{
    const double end = now(clock);
    return 2 * end - start - now(clock);
}

void momagen_call(const job *j) { call(j); }

/* Nanoseconds per link of a chain of 8·rounds additions; 0 where the compiler cannot be fenced. */
double momagen_additions(uint64_t rounds)
{
    uint64_t a = 1, b = 3;
    FENCE(b); /* not an immediate: some processors add those while renaming */
    const double start = now(TIME);
    for (uint64_t i = 0; i < rounds; i++) { EIGHT(a += b; FENCE(a);) }
    return FENCED * since(start, TIME) / (8.0 * (double)rounds);
}

/* The same for multiplications. */
double momagen_multiplications(uint64_t rounds)
{
    uint64_t a = 3;
    const double start = now(TIME);
    for (uint64_t i = 0; i < rounds; i++) { EIGHT(a *= a; FENCE(a);) }
    return FENCED * since(start, TIME) / (8.0 * (double)rounds);
}

/* Nanoseconds per addition of 32·rounds in eight chains: as many at once as the processor can. Another thread on the
 * same core takes its share of these, where it leaves a single chain alone. */
static double together(uint64_t rounds)
{
    uint64_t a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1, x = 3;
    FENCE(x);
    const double start = now(TIME);
    for (uint64_t i = 0; i < rounds; i++)
        for (int j = 0; j < 4; j++) {
            ADD(a) ADD(b) ADD(c) ADD(d) ADD(e) ADD(f) ADD(g) ADD(h)
        }
    return FENCED * since(start, TIME) / (32.0 * (double)rounds);
}

/* So many calls in front of a sample go untimed at least, unless these nanoseconds are over before. */
enum { WARM = 4, WARM_NS = 20000000 };

/* Nanoseconds per call; links[0 … 2·chains - 1] get nanoseconds per multiplication, in short chains before and after,
 * sums[0, 1] nanoseconds per addition of many at once. A quarter as many calls in front go untimed, or the few that
 * WARM and WARM_NS allow: the caches then hold what this job needs (one call does not see to that where others have
 * filled the last one: it keeps what is asked for twice), and a processor that slows its clock for wide products has
 * done so. It stands still for a microsecond and speeds up again a few microseconds later: what most chains say is
 * right for the calls between them. */
double momagen_time(const job *j, uint64_t calls, uint64_t chains, uint64_t rounds, double *links, double *sums)
{
    sums[0] = together(rounds);
    const double begin = now(TIME);
    for (uint64_t i = 0; i <= calls / 4 || (i < WARM && now(TIME) - begin < WARM_NS); i++) call(j);
    for (uint64_t i = 0; i < chains; i++) links[i] = momagen_multiplications(rounds);
    const double start = now(WORK);
    for (uint64_t i = 0; i < calls; i++) call(j);
    const double spent = since(start, WORK);
    for (uint64_t i = 0; i < chains; i++) links[chains + i] = momagen_multiplications(rounds);
    sums[1] = together(rounds);
    return spent / (double)calls;
}
