// OpenFHE's negacyclic transform, as its own benchmark calls it (NativeNTTInPlace), on the integers of its build: native ones of 64 or 128
// bits (the option NATIVE_SIZE), or, with -DBIG, the big integers of any width. PEER is the prefix of the functions.
#include "math/math-hal.h"
#include "math/nbtheory.h"
#include <cstdint>
#include <cstring>
#include <vector>

#define JOINED(peer, name) peer##_##name
#define NAMED(peer, name) JOINED(peer, name)
#define P(name) NAMED(PEER, name)

namespace {

#ifdef BIG
using Vector = lbcrypto::BigVector;
#else
using Vector = lbcrypto::NativeVector;
#endif
using Integer = Vector::Integer;
using Pair = unsigned __int128;

struct plan {
    uint64_t words;
    Integer q, root;
    uint32_t order;
    Vector x;
    ChineseRemainderTransformFTT<Vector> transform;
};

Integer get(const uint64_t *x, uint64_t words)
{
#ifdef BIG
    std::vector<Integer::Integer> limbs(words * sizeof *x / sizeof(Integer::Integer));
    memcpy(limbs.data(), x, words * sizeof *x);
    return Integer(std::move(limbs));
#else
    return Integer(static_cast<decltype(Integer().ConvertToInt())>(words > 1 ? Pair(x[1]) << 64 | x[0] : Pair(x[0])));
#endif
}

void put(uint64_t *x, const Integer &a, uint64_t words)
{
    const Pair pair = a.ConvertToInt<Pair>();
    for (uint64_t i = 0; i < words; i++) x[i] = static_cast<uint64_t>(pair >> 64 * i);
}

} // namespace

extern "C" {

void P(run)(uint64_t *, const void *handle)
{
    plan &p = *static_cast<plan *>(const_cast<void *>(handle));
    p.transform.ForwardTransformToBitReverseInPlace(p.root, p.order, &p.x);
}

void P(load)(void *handle, const uint64_t *, const uint64_t *x, const uint64_t *)
{
    plan &p = *static_cast<plan *>(handle);
    for (uint64_t i = 0; i < p.x.GetLength(); i++) p.x[i] = get(x + p.words * i, p.words);
}

void P(store)(uint64_t *z, const void *handle)
{
    const plan &p = *static_cast<const plan *>(handle);
    for (uint64_t i = 0; i < p.x.GetLength(); i++) put(z + p.words * i, p.x[i], p.words);
}

void P(free)(void *handle) { delete static_cast<plan *>(handle); }

void *P(plan)(const char *kernel, uint64_t n, uint64_t words, const uint64_t *q, const uint64_t *)
{
    if (strcmp(kernel, "ntt_negacyclic") || words > 2) return nullptr;
#ifndef BIG
    if (64 * words != NATIVEINT) return nullptr;
#endif
    const Integer modulus = get(q, words);
    if (sizeof(Integer) <= 16 && modulus.GetMSB() > MAX_MODULUS_SIZE) return nullptr;
    const uint32_t order = static_cast<uint32_t>(2 * n);
    const Integer root = lbcrypto::RootOfUnity<Integer>(order, modulus);
    plan *p = new plan{words, modulus, root, order, Vector(static_cast<uint32_t>(n), modulus), {}};
    p->transform.PreCompute(root, order, modulus);
    return p;
}
}
