/* The timer: it times calls of one function on fixed buffers, and before and after them a chain of dependent instructions
 * whose latency is known. The CPU frequency drifts, so nanoseconds drift, too; the quotient of the two times, in cycles,
 * does not. */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#ifdef __GNUC__
#define FENCE(a) __asm__ volatile("" : "+r"(a)) /* the compiler must not optimise across it */
#define FENCED 1
#else
#define FENCE(a) (void)(a)
#define FENCED 0
#endif
#define EIGHT(line) line line line line line line line line
#define ADD(sum) sum += x; FENCE(sum);

/* The argument lists of functions. Their inputs are in[1]; in[1] and in[2]; all three; in[1] and in[2]; none except z. */
enum { TRANSFORM, PAIR, SCALED_PAIR, PRODUCT, IN_PLACE };

/* The origin of the operands of a call. SAME: all calls have the same operands. CHAINED: they are the results of the last
 * calls. REFILLED: they are random numbers, which are written before the call; the time of writing is subtracted. New
 * operands are needed because a branch predictor learns operands that recur. */
enum { SAME, CHAINED, REFILLED };

typedef struct {
    uint64_t shape;
    void (*function)(void);
    void *plan;
    uint64_t *z, *in[3];
    uint64_t count;
    uint64_t fresh, vectors;              /* one of the above; the number of vectors, which are the last operands */
    uint64_t ring, at;                    /* the length of each scalar's array, which calls read in turn; the next index */
    uint64_t size, words, top, mask, most; /* vectors: the count of numbers, the words of each, the index of the
                                              highest word, the mask of its bits, and the limit of that
                                              word; if `most` is 0, that word may have any value */
    uint64_t seed;
    void (*turn)(void), (*load)(void);    /* P_next and P_load of a baseline that has its own representation of operands */
    uint64_t team;                        /* whether several threads compute a call */
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

/* The index after the last vector in `in`, and the index of the first one. */
static uint64_t behind(const job *j) { return j->shape == TRANSFORM || (j->load && !j->in[2]) ? 2 : 3; }
static uint64_t first(const job *j) { return behind(j) - j->vectors; }

static void swap(uint64_t **a, uint64_t **b)
{
    uint64_t *const t = *a;
    *a = *b, *b = t;
}

/* Makes the result the operand x, or y if there are two vectors; the buffer of the oldest vector gets the next result. */
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

/* The clock for intervals of microseconds. CPU time would exclude the time slices of other threads, but reading it takes
 * longer. */
enum { TIME = CLOCK_MONOTONIC };

/* The clock of a call's CPU time: the calling thread's, or that of all threads if several compute the call. */
static clockid_t work_of(const job *j) { return j->team ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID; }

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Returns the nanoseconds since start, without the time of reading the clock. */
static double since(double start, clockid_t clock)
{
    const double end = now(clock);
    return 2 * end - start - now(clock);
}

void momagen_call(const job *j) { call(j); }
void momagen_next(job *j) { next(j); }

/* Returns the nanoseconds per link of a chain of 8·rounds additions, or 0 if the compiler has no fence. */
double momagen_additions(uint64_t rounds)
{
    uint64_t a = 1, b = 3;
    FENCE(b); /* not an immediate, because some CPUs add immediates during register renaming */
    const double start = now(TIME);
    for (uint64_t i = 0; i < rounds; i++) { EIGHT(a += b; FENCE(a);) }
    return FENCED * since(start, TIME) / (8.0 * (double)rounds);
}

/* Returns the nanoseconds per link of a chain of 8·rounds multiplications. */
double momagen_multiplications(uint64_t rounds)
{
    uint64_t a = 3;
    const double start = now(TIME);
    for (uint64_t i = 0; i < rounds; i++) { EIGHT(a *= a; FENCE(a);) }
    return FENCED * since(start, TIME) / (8.0 * (double)rounds);
}

/* Returns the nanoseconds per addition of 32·rounds in eight chains, of which the CPU executes as many at once as it can.
 * Another thread on the same core slows these down, but not a single chain. */
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

/* The least number of untimed calls before a sample, and the nanoseconds after which no further one begins. */
enum { WARM = 4, WARM_NS = 20000000 };

/* The CPU time and the wall time, in nanoseconds, of several calls, or only of the preparations between them. */
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

/* Returns the times of calls without the preparations between them. They are medians of differences of two consecutive
 * intervals, because a disturbance of one interval would otherwise count as time of a call. One thread does the
 * preparations, also if several threads compute the calls. */
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

/* Returns the nanoseconds of CPU time per call, of this thread or of all threads if several compute a call. *wall gets
 * the wall time per call, links[0 … 2·chains - 1] the nanoseconds per multiplication in short chains before and after the
 * calls, and sums[0] and sums[1] the nanoseconds per addition of many at once.
 *
 * A quarter as many calls, or the few that WARM and WARM_NS allow, come first and are not timed. After them, the caches
 * hold the data of this job; one call does not suffice if other data fill the last-level cache, because that cache keeps
 * data that are read twice. A CPU that lowers its frequency for wide products has done so, too: it stops for a
 * microsecond and speeds up again a few microseconds later. The median of the chains is therefore valid for the calls
 * between them. Every sample begins with random operands. */
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
