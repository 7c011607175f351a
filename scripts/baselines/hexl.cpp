// Intel HEXL: its negacyclic transforms modulo a prime below 2^62, its element-wise functions, and polynomial products with both.
#include <cstdint>
#include <cstring>
#include <hexl/hexl.hpp>
#include <memory>
#include <utility>
#include <vector>

using namespace intel::hexl;

namespace {

struct plan;
using work = void (*)(uint64_t *, plan &);

struct plan {
    uint64_t n, q, a;
    work run;
    std::unique_ptr<NTT> ring; // for transforms and products
    std::vector<uint64_t> room;
    uint64_t *x, *y, *z, *t; // buffers in `room`, aligned to cache lines
};

// Returns the buffer with the given number. Buffers start on different pages, each a third of a page further into its page, like the
// buffers of the generated kernels.
uint64_t *placed(plan &p, uint64_t number)
{
    const uint64_t page = 512, third = 168, pages = (p.n + page - 1) / page + 1;
    const uint64_t start = (page - reinterpret_cast<uintptr_t>(p.room.data()) / 8 % page) % page;
    return p.room.data() + start + number * (pages * page) + number % 3 * third;
}

void transform(uint64_t *z, plan &p) { p.ring->ComputeForward(z, z, 1, 1); }

void invert(uint64_t *z, plan &p) { p.ring->ComputeInverse(z, z, 1, 1); }

// Computes a polynomial product. The transforms skip the reductions that the next step does not need.
void product(uint64_t *, plan &p)
{
    p.ring->ComputeForward(p.z, p.x, 1, 4);
    p.ring->ComputeForward(p.t, p.y, 1, 4);
    EltwiseMultMod(p.z, p.z, p.t, p.n, p.q, 4);
    p.ring->ComputeInverse(p.z, p.z, 1, 1);
}

const struct row { const char *name; bool ring; work run; } ROWS[] = {
    {"ntt_negacyclic", true, transform},
    {"intt_negacyclic", true, invert},
    {"polymul_negacyclic", true, product},
    {"vadd", false, [](uint64_t *, plan &p) { EltwiseAddMod(p.z, p.x, p.y, p.n, p.q); }},
    {"vsub", false, [](uint64_t *, plan &p) { EltwiseSubMod(p.z, p.x, p.y, p.n, p.q); }},
    {"vmul", false, [](uint64_t *, plan &p) { EltwiseMultMod(p.z, p.x, p.y, p.n, p.q, 1); }},
    {"axpy", false, [](uint64_t *, plan &p) { EltwiseFMAMod(p.z, p.x, p.a, p.y, p.n, p.q, 1); }},
    {"scal", false, [](uint64_t *, plan &p) { EltwiseFMAMod(p.z, p.x, p.a, nullptr, p.n, p.q, 1); }},
    {"vadds", false, [](uint64_t *, plan &p) { EltwiseAddMod(p.z, p.x, p.a, p.n, p.q); }},
    {"vsubs", false, [](uint64_t *, plan &p) { EltwiseSubMod(p.z, p.x, p.a, p.n, p.q); }},
    {"reduce", false, [](uint64_t *, plan &p) { EltwiseReduceMod(p.z, p.x, p.n, p.q, p.q, 1); }},
};

} // namespace

extern "C" {

void hexl_run(uint64_t *z, const void *handle)
{
    plan &p = *static_cast<plan *>(const_cast<void *>(handle));
    p.run(z, p);
}

void hexl_load(void *handle, const uint64_t *a, const uint64_t *x, const uint64_t *y)
{
    plan &p = *static_cast<plan *>(handle);
    if (a) p.a = *a;
    if (x) memcpy(p.x, x, p.n * sizeof *x);
    if (y) memcpy(p.y, y, p.n * sizeof *y);
}

void hexl_next(void *handle, uint64_t vectors)
{
    plan &p = *static_cast<plan *>(handle);
    std::swap(p.x, vectors == 2 ? p.y : p.z);
    if (vectors == 2) std::swap(p.y, p.z);
}

void hexl_store(uint64_t *z, const void *handle)
{
    const plan &p = *static_cast<const plan *>(handle);
    memcpy(z, p.z, p.n * sizeof *z);
}

void hexl_free(void *handle) { delete static_cast<plan *>(handle); }

void *hexl_plan(const char *kernel, uint64_t n, uint64_t words, const uint64_t *q, const uint64_t *root)
{
    if (words != 1 || *q >> NTT::MaxModulusBits()) return nullptr;
    for (const row &r : ROWS) {
        if (strcmp(kernel, r.name)) continue;
        if (r.ring && n >> NTT::MaxDegreeBits() >> 1) return nullptr;
        plan *p = new plan{n, *q, 0, r.run, r.ring ? std::make_unique<NTT>(n, *q, *root) : nullptr, {}, 0, 0, 0, 0};
        p->room.resize(4 * n + 4096);
        uint64_t **const buffers[] = {&p->x, &p->y, &p->z, &p->t};
        for (uint64_t i = 0; i < 4; i++) *buffers[i] = placed(*p, i);
        return p;
    }
    return nullptr;
}
}
