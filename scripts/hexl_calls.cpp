// Times calls of HEXL's interface as SEAL and OpenFHE make them, and copies with the same streams of memory.
// bench_hexl.py compiles this file once for each installed package, and loads the shared libraries.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "hexl/hexl.hpp"

using namespace intel::hexl;

namespace {

// The operands of one call. `x`, `y` and `z` have n elements below q; `scalar` is below q; `ntt` is null for vectors.
struct Operands {
    uint64_t n, q, scalar;
    std::shared_ptr<NTT> ntt;
    uint64_t *z;
    const uint64_t *x, *y;
};

struct Call {
    const char *name;
    int reads;  // streams that a vector function reads; 0 for transforms, which work in place
    void (*run)(Operands &);
};

const Call calls[] = {
    {"NTT::ComputeForward, factors 4 and 4", 0, [](Operands &o) { o.ntt->ComputeForward(o.z, o.z, 4, 4); }},
    {"NTT::ComputeForward, factors 4 and 1", 0, [](Operands &o) { o.ntt->ComputeForward(o.z, o.z, 4, 1); }},
    {"NTT::ComputeForward, factors 1 and 1", 0, [](Operands &o) { o.ntt->ComputeForward(o.z, o.z, 1, 1); }},
    {"NTT::ComputeInverse, factors 2 and 2", 0, [](Operands &o) { o.ntt->ComputeInverse(o.z, o.z, 2, 2); }},
    {"NTT::ComputeInverse, factors 2 and 1", 0, [](Operands &o) { o.ntt->ComputeInverse(o.z, o.z, 2, 1); }},
    {"NTT::ComputeInverse, factors 1 and 1", 0, [](Operands &o) { o.ntt->ComputeInverse(o.z, o.z, 1, 1); }},
    {"EltwiseMultMod, factor 4", 2, [](Operands &o) { EltwiseMultMod(o.z, o.x, o.y, o.n, o.q, 4); }},
    {"EltwiseMultMod, factor 1", 2, [](Operands &o) { EltwiseMultMod(o.z, o.x, o.y, o.n, o.q, 1); }},
    {"EltwiseFMAMod without addend, factor 8", 1,
     [](Operands &o) { EltwiseFMAMod(o.z, o.x, o.scalar, nullptr, o.n, o.q, 8); }},
    {"EltwiseFMAMod without addend, factor 1", 1,
     [](Operands &o) { EltwiseFMAMod(o.z, o.x, o.scalar, nullptr, o.n, o.q, 1); }},
    {"EltwiseFMAMod, factor 1", 2, [](Operands &o) { EltwiseFMAMod(o.z, o.x, o.scalar, o.y, o.n, o.q, 1); }},
    {"EltwiseReduceMod, any word", 1, [](Operands &o) { EltwiseReduceMod(o.z, o.x, o.n, o.q, o.q, 1); }},
    {"EltwiseAddMod", 2, [](Operands &o) { EltwiseAddMod(o.z, o.x, o.y, o.n, o.q); }},
    {"EltwiseAddMod, scalar", 1, [](Operands &o) { EltwiseAddMod(o.z, o.x, o.scalar, o.n, o.q); }},
    {"EltwiseSubMod", 2, [](Operands &o) { EltwiseSubMod(o.z, o.x, o.y, o.n, o.q); }},
    {"EltwiseSubMod, scalar", 1, [](Operands &o) { EltwiseSubMod(o.z, o.x, o.scalar, o.n, o.q); }},
    {"EltwiseCmpAdd", 1, [](Operands &o) { EltwiseCmpAdd(o.z, o.x, o.n, CMPINT::NLE, o.q >> 1, o.scalar); }},
    {"EltwiseCmpSubMod", 1,
     [](Operands &o) { EltwiseCmpSubMod(o.z, o.x, o.n, o.q, CMPINT::NLE, o.q >> 1, o.scalar); }},
};

template <typename Run>
double time_calls(uint64_t repeats, const Run &run) {
    const auto begin = std::chrono::steady_clock::now();
    for (uint64_t i = 0; i < repeats; i++) run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

extern "C" {

// Returns the name of a call, or NULL if `call` is one past the last.
const char *calls_name(unsigned call) { return call < std::size(calls) ? calls[call].name : nullptr; }

int calls_reads(unsigned call) { return calls[call].reads; }

// Returns operands without vectors, which the caller must free with `calls_free`.
void *calls_create(unsigned call, uint64_t n, uint64_t q) {
    auto ntt = calls[call].reads ? nullptr : std::make_shared<NTT>(n, q);
    return new Operands{n, q, q / 3, std::move(ntt), nullptr, nullptr, nullptr};
}

void calls_free(void *operands) { delete static_cast<Operands *>(operands); }

// Returns the seconds of `repeats` calls. Threads may share the operands, whose vectors are those of the arguments.
double calls_time(unsigned call, const void *operands, uint64_t *z, const uint64_t *x, const uint64_t *y, uint64_t repeats) {
    Operands o = *static_cast<const Operands *>(operands);
    o.z = z, o.x = x, o.y = y;
    return time_calls(repeats, [&] { calls[call].run(o); });
}

// Returns the seconds of `repeats` sums of `reads` vectors: the memory traffic of a call, with one addition at most.
double streams_time(int reads, uint64_t n, uint64_t *z, const uint64_t *x, const uint64_t *y, uint64_t repeats) {
    return time_calls(repeats, [&] {
        for (uint64_t i = 0; i < n; i++) z[i] = reads == 2 ? x[i] ^ y[i] : x[i] ^ 1;
        asm volatile("" ::: "memory");
    });
}
}
