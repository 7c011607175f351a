/* A call of a kernel that checks its operands first. Blocks of numbers are compared with the top of their range by their
 * highest words, as fast as these can be read; a block where those leave it open, number by number. */
#include <stddef.h>
#include <stdint.h>

enum { BLOCK = 256 };

/* What one kernel has. tops: the number above the range of each operand, or NULL where all that fits the words is in it.
 * unit: numbers of one transform or product; 1 of others. */
typedef struct {
    void (*execute)(void);
    const void *plan;
    const uint64_t *tops[3];
    uint64_t operands, scalars, words, unit;
} kernel;

typedef int (*one_t)(const void *, uint64_t *, const uint64_t *, size_t);
typedef int (*two_t)(const void *, uint64_t *, const uint64_t *, const uint64_t *, size_t);
typedef int (*three_t)(const void *, uint64_t *, const uint64_t *, const uint64_t *, const uint64_t *, size_t);

static int is_below(const uint64_t *x, const uint64_t *top, size_t words)
{
    while (--words && x[words] == top[words])
        ;
    return x[words] < top[words];
}

static inline int all_below(const uint64_t *x, size_t count, const uint64_t *top, size_t words)
{
    const uint64_t *high = x + words - 1, limit = top[words - 1];
    for (size_t start = 0; start < count; start += BLOCK) {
        const size_t end = count - start < BLOCK ? count : start + BLOCK;
        uint64_t clear = 1;
        for (size_t i = start; i < end; i++)
            clear &= high[i * words] < limit;
        for (size_t i = start; !clear && i < end; i++)
            if (!is_below(x + i * words, top, words))
                return 0;
    }
    return 1;
}

/* Whether count numbers, each of so many words, low word first, are all below top. */
int in_range(const uint64_t *x, size_t count, const uint64_t *top, size_t words)
{
    switch (words) {
    case 1: return all_below(x, count, top, 1);
    case 2: return all_below(x, count, top, 2);
    default: return all_below(x, count, top, words);
    }
}

static int execute(const kernel *k, uint64_t *z, const uint64_t *const x[3], size_t count)
{
    switch (k->operands) {
    case 1: return ((one_t)k->execute)(k->plan, z, x[0], count);
    case 2: return ((two_t)k->execute)(k->plan, z, x[0], x[1], count);
    default: return ((three_t)k->execute)(k->plan, z, x[0], x[1], x[2], count);
    }
}

/* What execute answers; or -1 - i, with nothing written, where a number of operand i is out of its range.
 * count: numbers in each vector. */
int checked_call(const kernel *k, size_t count, uint64_t *z, const uint64_t *x0, const uint64_t *x1, const uint64_t *x2)
{
    const uint64_t *const x[3] = {x0, x1, x2};
    for (size_t i = 0; i < k->operands; i++)
        if (k->tops[i] && !in_range(x[i], i < k->scalars ? 1 : count, k->tops[i], k->words))
            return -1 - (int)i;
    return execute(k, z, x, count / k->unit);
}
