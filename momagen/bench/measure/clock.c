/* The stopwatch: calls of one function on fixed buffers, timed beside a dependent chain of instructions whose latency is
 * known. The clock's frequency drifts and nanoseconds with it; the quotient of the two, cycles, does not. */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdlib.h>
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

/* Who takes which arguments: in[1]; in[1], in[2]; all; in[1], in[2] again; none but z. */
enum { TRANSFORM, PAIR, SCALED_PAIR, PRODUCT, IN_PLACE };

/* Where a call finds operands that none before it had: SAME, nowhere; CHAINED, in what the last calls wrote; REFILLED, in
 * random numbers written before it, whose time is taken off. A branch predictor learns what recurs by heart. */
enum { SAME, CHAINED, REFILLED };

typedef struct {
    uint64_t shape;
    void (*function)(void);
    void *plan;
    uint64_t *z, *in[3];
    uint64_t count;
    uint64_t fresh, vectors;              /* one of the above; how many of the operands, at their end, are vectors */
    uint64_t ring, at;                    /* numbers in the array of each scalar, which calls take in turn; the next one */
    uint64_t size, words, top, mask, most; /* vectors: numbers, words of each, and of its highest word below `most`: its
                                              index and the mask of its bits; most 0: any word */
    uint64_t seed;
    void (*turn)(void), (*load)(void);    /* a baseline's P_next and P_load, for operands in a form of its own */
    uint64_t team;                        /* whether other threads of this process do part of a call */
} job;

typedef void (*transform_t)(const void *, uint64_t *, const uint64_t *, size_t);
typedef void (*pair_t)(const void *, uint64_t *, const uint64_t *, const uint64_t *, size_t);
typedef void (*scaled_pair_t)(const void *, uint64_t *, const uint64_t *, const uint64_t *, const uint64_t *, size_t);
typedef int (*product_t)(const void *, uint64_t *, const uint64_t *, const uint64_t *, size_t);
typedef void (*in_place_t)(uint64_t *, const void *);
typedef void (*turn_t)(void *, uint64_t);
typedef void (*load_t)(void *, const uint64_t *, const uint64_t *, const uint64_t *);

static void call(const job *j)
{
    uint64_t *const *in = j->in;
    switch (j->shape) {
    case TRANSFORM: ((transform_t)j->function)(j->plan, j->z, in[1], j->count); break;
    case PAIR: ((pair_t)j->function)(j->plan, j->z, in[1], in[2], j->count); break;
    case SCALED_PAIR: ((scaled_pair_t)j->function)(j->plan, j->z, in[0], in[1], in[2], j->count); break;
    case PRODUCT: ((product_t)j->function)(j->plan, j->z, in[1], in[2], j->count); break;
    default: ((in_place_t)j->function)(j->z, j->plan);
    }
}

/* The place of the first vector, and that behind the last one. */
static uint64_t behind(const job *j) { return j->shape == TRANSFORM || (j->load && !j->in[2]) ? 2 : 3; }
static uint64_t first(const job *j) { return behind(j) - j->vectors; }

static void swap(uint64_t **a, uint64_t **b)
{
    uint64_t *const t = *a;
    *a = *b, *b = t;
}

/* The result becomes the operand x, or of two the younger, y; the buffer of the oldest takes the next result. */
static void chain(job *j)
{
    uint64_t **x = j->in + first(j);
    const int in_place = j->z == *x;
    if (j->vectors == 2) swap(x, x + 1);
    if (in_place) j->z = *x;
    else swap(&j->z, x + j->vectors - 1);
}

static void next_scalars(job *j)
{
    const int wraps = ++j->at == j->ring;
    for (uint64_t i = j->shape == SCALED_PAIR ? 0 : 1; i < first(j); i++)
        j->in[i] = wraps ? j->in[i] - (j->ring - 1) * j->words : j->in[i] + j->words;
    if (wraps) j->at = 0;
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t drawn(uint64_t at)
{
    uint64_t w = at * UINT64_C(0x9e3779b97f4a7c15);
    w = (w ^ w >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    w = (w ^ w >> 27) * UINT64_C(0x94d049bb133111eb);
    return w ^ w >> 31;
}

static void draw(uint64_t *x, const job *j)
{
    const uint64_t per = j->top + 1, top = j->top, mask = j->mask, most = j->most, seed = j->seed;
    for (uint64_t i = 0; i < j->size; i++, x += j->words) {
        for (uint64_t w = 0; w < top; w++) x[w] = drawn(seed + i * per + w);
        const uint64_t high = drawn(seed + i * per + top) & mask;
        x[top] = high - (most & (0 - (uint64_t)(high >= most)));
    }
}

static void refill(job *j)
{
    for (uint64_t i = first(j); i < behind(j); i++) {
        draw(j->in[i], j);
        j->seed += j->size * (j->top + 1);
    }
    if (j->load) ((load_t)j->load)(j->plan, j->in[0], j->in[1], j->in[2]);
}

static void next(job *j)
{
    if (j->fresh == SAME) return;
    if (j->ring > 1) next_scalars(j);
    if (j->fresh == REFILLED) refill(j);
    else if (j->turn) ((turn_t)j->turn)(j->plan, j->vectors);
    else if (j->vectors) chain(j);
}

/* What a thread runs, without what others run in its place; but quicker to ask, and as good for microseconds, is time. */
enum { TIME = CLOCK_MONOTONIC };

/* The clock of the work that a call takes: the caller's, or that of all threads if a team does the call. */
static clockid_t work_of(const job *j) { return j->team ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID; }

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
void momagen_next(job *j) { next(j); }

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

/* Nanoseconds of the processor and on the wall, for so many calls, or for what comes between them only. */
typedef struct { double spent, passed; } span;

static span timed(job *j, uint64_t calls, int called)
{
    const clockid_t work = work_of(j);
    const double begin = now(TIME), start = now(work);
    for (uint64_t i = 0; i < calls; i++) {
        if (called) call(j);
        next(j);
    }
    const double spent = since(start, work);
    return (span){spent, since(begin, TIME)};
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, uint64_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

/* The same for calls without what comes between them: medians of differences, each of two stretches in a row, since what
 * disturbs one of them would else count as a call's time. One thread does what comes between, whatever the team. */
enum { PARTS = 15 };

static span without(job *j, uint64_t calls)
{
    const uint64_t parts = calls < PARTS ? calls : PARTS, each = calls / parts;
    double spent[PARTS], passed[PARTS], own = 0, wall = 0;
    for (uint64_t i = 0; i < parts; i++) {
        const span all = timed(j, each, 1), between = timed(j, each, 0);
        spent[i] = all.spent - between.spent;
        passed[i] = all.passed - between.passed;
        own += all.spent, wall += all.passed;
    }
    const double scale = (double)calls / (double)each, found = median(spent, parts) * scale;
    return (span){found, j->team ? median(passed, parts) * scale : found * wall / own};
}

/* Nanoseconds per call, of this thread or of the whole team; *wall: on the wall. links[0 … 2·chains - 1] get nanoseconds per multiplication,
 * in short chains before and after, sums[0, 1] nanoseconds per addition of many at once. A quarter as many calls in front
 * go untimed, or the few that WARM and WARM_NS allow: the caches then hold what this job needs (one call does not see to
 * that where others have filled the last one: it keeps what is asked for twice), and a processor that slows its clock for
 * wide products has done so. It stands still for a microsecond and speeds up again a few microseconds later: what most
 * chains say is right for the calls between them. Every sample begins with random operands. */
double momagen_time(job *j, uint64_t calls, uint64_t chains, uint64_t rounds, double *links, double *sums, double *wall)
{
    if (j->fresh == CHAINED && j->size) refill(j);
    sums[0] = together(rounds);
    const double begin = now(TIME);
    for (uint64_t i = 0; i <= calls / 4 || (i < WARM && now(TIME) - begin < WARM_NS); i++) call(j), next(j);
    for (uint64_t i = 0; i < chains; i++) links[i] = momagen_multiplications(rounds);
    const span all = j->fresh == REFILLED ? without(j, calls) : timed(j, calls, 1);
    for (uint64_t i = 0; i < chains; i++) links[chains + i] = momagen_multiplications(rounds);
    sums[1] = together(rounds);
    *wall = all.passed / (double)calls;
    return all.spent / (double)calls;
}
