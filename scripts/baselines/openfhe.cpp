// OpenFHE's big integers (its default back end for moduli of more than 64 bits): its transforms and its modular vectors. This file
// creates the table of roots in OpenFHE's layout, so that OpenFHE's function also computes cyclic transforms. OpenFHE's class for
// transforms would look up its table by the modulus and call the same function.
#include "math/hal/bigintbackend.h"
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace {

using Integer = bigintdyn::BigInteger;
using Vector = bigintdyn::BigVector;
using Pair = unsigned __int128;

struct plan;
using work = void (*)(uint64_t *, plan &);

struct plan {
    uint64_t words;
    work run;
    Integer a;
    Vector first, second, third, table;
    Vector *x, *y, *z;
    plan(uint64_t n, uint64_t words, uint64_t entries, work run, const Integer &q)
        : words(words), run(run), first(n, q), second(n, q), third(n, q), table(entries, q), x(&first), y(&second), z(&third)
    {
    }
};

Integer get(const uint64_t *x, uint64_t words)
{
    std::vector<Integer::Integer> limbs(words * sizeof *x / sizeof(Integer::Integer));
    memcpy(limbs.data(), x, words * sizeof *x);
    return Integer(std::move(limbs));
}

void put(uint64_t *x, const Integer &a, uint64_t words)
{
    Pair pair = a.ConvertToInt<Pair>();
    for (uint64_t i = 0; i < words; i++, pair >>= 64) {
        if (i && i % 2 == 0) pair = (a >> static_cast<usint>(64 * i)).ConvertToInt<Pair>();
        x[i] = static_cast<uint64_t>(pair);
    }
}

// Transforms z. The conversion of words to OpenFHE's integers and back takes 3 % of the time at 1024 points of 124 bits.
void transform(uint64_t *z, plan &p)
{
    const uint64_t n = p.x->GetLength();
    for (uint64_t i = 0; i < n; i++) (*p.x)[i] = get(z + p.words * i, p.words);
    bigintdyn::NumberTheoreticTransformDyn<Vector>().ForwardTransformToBitReverseInPlace(p.table, p.x);
    for (uint64_t i = 0; i < n; i++) put(z + p.words * i, (*p.x)[i], p.words);
}

// Inverts a transform; p.a is 1/n.
void invert(uint64_t *z, plan &p)
{
    const uint64_t n = p.x->GetLength();
    for (uint64_t i = 0; i < n; i++) (*p.x)[i] = get(z + p.words * i, p.words);
    bigintdyn::NumberTheoreticTransformDyn<Vector>().InverseTransformFromBitReverseInPlace(p.table, p.a, p.x);
    for (uint64_t i = 0; i < n; i++) put(z + p.words * i, (*p.x)[i], p.words);
}

const struct row { const char *name; work run; } ROWS[] = {
    {"ntt", transform},
    {"ntt_negacyclic", transform},
    {"intt", invert},
    {"intt_negacyclic", invert},
    {"vadd", [](uint64_t *, plan &p) { *p.z = p.x->ModAdd(*p.y); }},
    {"vsub", [](uint64_t *, plan &p) { *p.z = p.x->ModSub(*p.y); }},
    {"vmul", [](uint64_t *, plan &p) { *p.z = p.x->ModMul(*p.y); }},
    {"axpy", [](uint64_t *, plan &p) { *p.z = p.x->ModMul(p.a); p.z->ModAddEq(*p.y); }},
    {"scal", [](uint64_t *, plan &p) { *p.z = p.x->ModMul(p.a); }},
    {"vadds", [](uint64_t *, plan &p) { *p.z = p.x->ModAdd(p.a); }},
    {"vsubs", [](uint64_t *, plan &p) { *p.z = p.x->ModSub(p.a); }},
};

// Fills the twiddle table: block b of m blocks uses entry m + b. For negacyclic transforms, entry brv(e) is root^e, where brv reverses
// log2(n) bits. For cyclic ones, entry m + brv(e) is root^e for every m > brv(e), where brv reverses one bit less.
void fill(plan &p, uint64_t n, bool negacyclic, const Integer &root, const Integer &q)
{
    const uint64_t count = negacyclic ? n : n / 2;
    Integer w(1);
    for (uint64_t e = 0, reversed = 0; e < count; e++) {
        if (negacyclic) p.table[reversed] = w;
        else for (uint64_t m = 1; m < n; m *= 2) if (reversed < m) p.table[m + reversed] = w;
        w.ModMulEq(root, q);
        uint64_t bit = count / 2; // increment `reversed`, from the top bit down
        for (; reversed & bit; bit /= 2) reversed ^= bit;
        reversed ^= bit;
    }
}

} // namespace

extern "C" {

void openfhe_run(uint64_t *z, const void *handle)
{
    plan &p = *static_cast<plan *>(const_cast<void *>(handle));
    p.run(z, p);
}

void openfhe_load(void *handle, const uint64_t *a, const uint64_t *x, const uint64_t *y)
{
    plan &p = *static_cast<plan *>(handle);
    if (a) p.a = get(a, p.words);
    for (uint64_t i = 0; x && i < p.x->GetLength(); i++) (*p.x)[i] = get(x + p.words * i, p.words);
    for (uint64_t i = 0; y && i < p.y->GetLength(); i++) (*p.y)[i] = get(y + p.words * i, p.words);
}

void openfhe_next(void *handle, uint64_t vectors)
{
    plan &p = *static_cast<plan *>(handle);
    std::swap(p.x, vectors == 2 ? p.y : p.z);
    if (vectors == 2) std::swap(p.y, p.z);
}

void openfhe_store(uint64_t *z, const void *handle)
{
    const plan &p = *static_cast<const plan *>(handle);
    for (uint64_t i = 0; i < p.z->GetLength(); i++) put(z + p.words * i, (*p.z)[i], p.words);
}

void openfhe_free(void *handle) { delete static_cast<plan *>(handle); }

void *openfhe_plan(const char *kernel, uint64_t n, uint64_t words, const uint64_t *q, const uint64_t *root)
{
    for (const row &r : ROWS) {
        if (strcmp(kernel, r.name)) continue;
        const bool inverse = r.run == invert, ring = inverse || r.run == transform;
        const Integer modulus = get(q, words);
        plan *p = new plan(n, words, ring ? n : 0, r.run, modulus);
        const Integer forward = get(root, words);
        if (ring) fill(*p, n, strcmp(kernel + inverse, "ntt") != 0, inverse ? forward.ModInverse(modulus) : forward, modulus);
        if (inverse) p->a = Integer(n).ModInverse(modulus);
        return p;
    }
    return nullptr;
}
}
