#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Allocations, counted: each block says in front of itself how long it is. */
enum { REFERENCE_FRONT = 64 };
size_t reference_now, reference_peak, reference_kept;

static void *reference_malloc(size_t size)
{
    char *block = malloc(size + REFERENCE_FRONT);
    if (!block)
        return 0;
    memcpy(block, &size, sizeof size);
    reference_now += size;
    if (reference_now > reference_peak)
        reference_peak = reference_now;
    return block + REFERENCE_FRONT;
}

static inline void *reference_calloc(size_t count, size_t size)
{
    void *block = reference_malloc(count * size);
    return block ? memset(block, 0, count * size) : 0;
}

static void reference_free(void *block)
{
    size_t size;
    if (!block)
        return;
    memcpy(&size, (char *)block - REFERENCE_FRONT, sizeof size);
    reference_now -= size;
    free((char *)block - REFERENCE_FRONT);
}

void reference_begin(void) { reference_now = reference_peak = 0; }
void reference_end(void) { reference_kept = reference_now; }

/* Nanoseconds that this thread has run. */
uint64_t reference_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Those of four million multiplications and additions, each of the result before: the measure of this processor. */
uint64_t reference_loop(void)
{
    const uint64_t start = reference_clock();
    volatile uint64_t seed = 3;
    uint64_t x = seed;
    for (int i = 0; i < 1 << 22; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
    seed = x;
    return reference_clock() - start;
}

#define malloc(size) reference_malloc(size)
#define calloc(count, size) reference_calloc(count, size)
#define free(block) reference_free(block)
