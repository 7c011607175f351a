/* A call of a kernel that checks its operands first. Blocks of residues are compared with the end of their range by
 * their highest words, as fast as these can be read; where those leave a block undecided, residue by residue. Arrays of
 * 64-bit words are copied to and from the words of a kernel that has shorter ones. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, LINE = 64 };

#define WORD uint16_t
#define NAME(function) function##_16
#include "checked_words.h"
#undef WORD
#undef NAME
#define WORD uint32_t
#define NAME(function) function##_32
#include "checked_words.h"
#undef WORD
#undef NAME
#define WORD uint64_t
#define NAME(function) function##_64
#include "checked_words.h"

/* Residues in an array: count words of so many bytes each. */
typedef struct {
    uint64_t bytes, count;
} format;

/* One kernel and the arrays that it is called with. Operands are scalars, then vectors: batches of one row for each
 * modulus. Scalars come in format row, vectors and results in format array; both are copied where the kernel's own
 * format differs. tops: for each operand the number above its range, one for each modulus, in the operand's format. */
typedef struct {
    void (*execute)(void);
    const void *plan;
    const void *tops[3];
    uint64_t operands, scalars, moduli;
    uint64_t goals;     /* rows of a result: as many as moduli, unless the kernel converts residues to other moduli */
    uint64_t unit;      /* residues of one transform or product, 1 for element-wise kernels */
    uint64_t grow;      /* residues of a result for each residue of a vector */
    uint64_t splits;    /* whether each batch is a call of its own */
    uint64_t sums;      /* whether the result of a row is one residue */
    uint64_t no_memory; /* the code to return if malloc fails */
    format row, array, own;
} kernel;

typedef int (*one_t)(const void *, void *, const void *, size_t);
typedef int (*two_t)(const void *, void *, const void *, const void *, size_t);
typedef int (*three_t)(const void *, void *, const void *, const void *, const void *, size_t);

static int is_in_range(const void *x, size_t count, const void *top, format f)
{
    switch (f.bytes) {
    case 2: return in_range_16(x, count, top, f.count);
    case 4: return in_range_32(x, count, top, f.count);
    default: return in_range_64(x, count, top, f.count);
    }
}

static size_t size_of(format f) { return f.bytes * f.count; }

static int same(format f, format g) { return f.bytes == g.bytes && f.count == g.count; }

static const char *at(const void *x, size_t residues, format f) { return (const char *)x + residues * size_of(f); }

/* Returns whether operand i is in its range; each: residues of one row. */
int checked_operand(const kernel *k, size_t i, size_t batches, size_t each, const void *x)
{
    const int scalar = i < k->scalars;
    const format f = scalar ? k->row : k->array;
    const size_t rows = scalar ? k->moduli : batches * k->moduli, count = scalar ? 1 : each;
    for (size_t row = 0; row < rows; row++)
        if (!is_in_range(at(x, row * count, f), count, at(k->tops[i], row % k->moduli, f), f))
            return 0;
    return 1;
}

static int execute(const kernel *k, char *z, const char *const x[3], size_t count)
{
    switch (k->operands) {
    case 1: return ((one_t)k->execute)(k->plan, z, x[0], count);
    case 2: return ((two_t)k->execute)(k->plan, z, x[0], x[1], count);
    default: return ((three_t)k->execute)(k->plan, z, x[0], x[1], x[2], count);
    }
}

/* Calls the kernel on arrays in its own format: once, or for each batch. */
static int execute_all(const kernel *k, size_t batches, size_t each, char *z, const char *const x[3])
{
    const size_t size = size_of(k->own), step = k->moduli * each * size, goal = k->goals * (k->sums ? 1 : each) * size;
    const char *part[3] = {x[0], x[1], x[2]};
    if (!k->splits)
        return execute(k, z, part, batches * each / k->unit);
    for (size_t batch = 0; batch < batches; batch++, z += goal) {
        const int code = execute(k, z, part, each);
        if (code)
            return code;
        for (size_t i = k->scalars; i < k->operands; i++)
            part[i] += step;
    }
    return 0;
}

static void narrow(void *to, const void *from, size_t count, format own, format row)
{
    if (own.bytes == 2)
        narrow_16(to, from, count, own.count, row.count);
    else
        narrow_32(to, from, count, own.count, row.count);
}

static void widen(void *to, const void *from, size_t count, format own, format row)
{
    if (own.bytes == 2)
        widen_16(to, from, count, own.count, row.count);
    else
        widen_32(to, from, count, own.count, row.count);
}

/* Bytes of so many residues of the kernel, rounded up to whole cache lines. */
static size_t room(const kernel *k, size_t residues) { return (residues * size_of(k->own) + LINE - 1) / LINE * LINE; }

/* Calls the kernel on copies, in its own format, of scalars and, where arrays have another format, of vectors. */
static int on_copies(const kernel *k, size_t batches, size_t each, void *z, const void *const x[3])
{
    const size_t vector = batches * k->moduli * each, result = batches * k->goals * (k->sums ? 1 : each * k->grow);
    const size_t vectors = same(k->array, k->own) ? 0 : k->operands - k->scalars;
    const size_t bytes = k->scalars * room(k, k->moduli) + vectors * room(k, vector) + (vectors > 0) * room(k, result);
    char *const memory = malloc(bytes + LINE);
    if (!memory)
        return (int)k->no_memory;
    char *next = memory + (LINE - (uintptr_t)memory % LINE);
    const char *own[3] = {x[0], x[1], x[2]};
    for (size_t i = 0; i < k->scalars + vectors; i++) {
        const size_t residues = i < k->scalars ? k->moduli : vector;
        narrow(next, x[i], residues, k->own, k->row);
        own[i] = next;
        next += room(k, residues);
    }
    const int code = execute_all(k, batches, each, vectors ? next : z, own);
    if (vectors && !code)
        widen(z, next, result, k->own, k->row);
    free(memory);
    return code;
}

/* Returns what execute returns; or -1 - i, with nothing written, if a residue of operand i is out of its range. The
 * caller must pass vectors of batches · moduli · each residues. */
int checked_call(const kernel *k, size_t batches, size_t each, void *z, const void *x0, const void *x1, const void *x2)
{
    const void *const x[3] = {x0, x1, x2};
    const char *const own[3] = {x0, x1, x2};
    for (size_t i = 0; i < k->operands; i++)
        if (!checked_operand(k, i, batches, each, x[i]))
            return -1 - (int)i;
    if (same(k->array, k->own) && (!k->scalars || same(k->row, k->own)))
        return execute_all(k, batches, each, z, own);
    return on_copies(k, batches, each, z, x);
}
