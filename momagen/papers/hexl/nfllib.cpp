// NFLlib's negacyclic transforms behind the functions of scripts/baselines/README.md. NFLlib has its own moduli: LIMB is the type of a
// residue, MODULI the number of moduli, and the modulus and the root of the plan are ignored. A run transforms a polynomial of the plan,
// so that it needs no conversion of words.
#include <cstdint>
#include <cstring>
#include <memory>
#include <nfl.hpp>

namespace {

struct plan {
    virtual ~plan() = default;
    virtual void run() = 0;
};

template <uint64_t N> struct transform : plan {
    nfl::poly<LIMB, N, MODULI> values{nfl::uniform()};
    bool inverse;
    explicit transform(bool inverse) : inverse(inverse) {}
    void run() override
    {
        if (inverse) values.invntt_pow_invphi();
        else values.ntt_pow_phi();
    }
    static void *operator new(size_t size) { return aligned_alloc(64, (size + 63) / 64 * 64); }
    static void operator delete(void *memory) { free(memory); }
};

} // namespace

extern "C" {

void nfllib_run(uint64_t *, const void *handle) { static_cast<plan *>(const_cast<void *>(handle))->run(); }

void nfllib_free(void *handle) { delete static_cast<plan *>(handle); }

void *nfllib_plan(const char *kernel, uint64_t n, uint64_t words, const uint64_t *, const uint64_t *)
{
    const bool inverse = *kernel == 'i';
    if (words != 1 || strcmp(kernel + inverse, "ntt_negacyclic")) return nullptr;
    switch (n) {
    case 1024: return static_cast<plan *>(new transform<1024>(inverse));
    case 4096: return static_cast<plan *>(new transform<4096>(inverse));
    case 16384: return static_cast<plan *>(new transform<16384>(inverse));
    default: return nullptr;
    }
}
}
