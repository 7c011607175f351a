// NTL: its FFT and inverse FFT modulo a given prime below 2^60 (with NTL's root and order of outputs), and its products of polynomials.
#include <NTL/FFT.h>
#include <NTL/ZZ_pX.h>
#include <NTL/lzz_pX.h>
#include <cstdint>
#include <cstring>
#include <vector>

using namespace NTL;

namespace {

struct plan {
    long n, words, log_n;
    bool transform, inverse, negacyclic, small;
    zz_pContext context;
    ZZ_pContext wide;
    zz_pX x, y, z;
    ZZ_pX wx, wy, wz;
};

ZZ get(const uint64_t *x, long words) { return ZZFromBytes(reinterpret_cast<const unsigned char *>(x), 8 * words); }

void put(uint64_t *z, const ZZ &x, long words) { BytesFromZZ(reinterpret_cast<unsigned char *>(z), x, 8 * words); }

// Reduces a polynomial modulo x^n - 1 or x^n + 1.
template <class Poly> void fold(Poly &z, const plan &p)
{
    for (long j = deg(z); j >= p.n; j--) {
        if (p.negacyclic) z.rep[j - p.n] -= z.rep[j];
        else z.rep[j - p.n] += z.rep[j];
    }
    trunc(z, z, p.n);
}

void multiply(plan &p)
{
    if (p.small) p.context.restore(), mul(p.z, p.x, p.y), fold(p.z, p);
    else p.wide.restore(), mul(p.wz, p.wx, p.wy), fold(p.wz, p);
}

} // namespace

extern "C" {

extern const int ntl_unordered;
const int ntl_unordered = 1;

void ntl_run(uint64_t *z, const void *handle)
{
    plan &p = *static_cast<plan *>(const_cast<void *>(handle));
    if (!p.transform) return multiply(p);
    p.context.restore();
    long *values = reinterpret_cast<long *>(z);
    if (p.inverse) FFTRev1(values, values, p.log_n, *zz_pInfo->p_info);
    else FFTFwd(values, values, p.log_n, *zz_pInfo->p_info);
}

void ntl_load(void *handle, const uint64_t *, const uint64_t *x, const uint64_t *y)
{
    plan &p = *static_cast<plan *>(handle);
    (p.small ? p.context.restore() : p.wide.restore());
    for (long j = p.n - 1; j >= 0; j--) {
        if (p.small) SetCoeff(p.x, j, static_cast<long>(x[j])), SetCoeff(p.y, j, static_cast<long>(y[j]));
        else SetCoeff(p.wx, j, to_ZZ_p(get(x + p.words * j, p.words))), SetCoeff(p.wy, j, to_ZZ_p(get(y + p.words * j, p.words)));
    }
}

void ntl_store(uint64_t *z, const void *handle)
{
    plan &p = *static_cast<plan *>(const_cast<void *>(handle));
    for (long j = 0; j < p.n; j++)
        put(z + p.words * j, p.small ? to_ZZ(rep(coeff(p.z, j))) : rep(coeff(p.wz, j)), p.words);
}

void ntl_free(void *handle) { delete static_cast<plan *>(handle); }

void *ntl_plan(const char *kernel, uint64_t n, uint64_t words, const uint64_t *q, const uint64_t *)
{
    const bool inverse = !strcmp(kernel, "intt"), transform = inverse || !strcmp(kernel, "ntt"), negacyclic = !strcmp(kernel, "polymul_negacyclic");
    const bool small = words == 1 && !(q[0] >> (NTL_SP_NBITS - 1) >> 1);
    if (transform ? !small : strcmp(kernel, "polymul") && !negacyclic) return nullptr;
    plan *p = new plan{long(n), long(words), __builtin_ctzl(n), transform, inverse, negacyclic, small, {}, {}, {}, {}, {}, {}, {}, {}};
    if (small) zz_p::UserFFTInit(long(q[0])), p->context.save();
    else ZZ_p::init(get(q, long(words))), p->wide.save();
    return p;
}
}
