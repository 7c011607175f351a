// Compares a generated conversion with SEAL's BaseConverter::fast_convert_array. scripts/bench_conversion_peers.py defines NAME and
// HEADER; moduli.h contains the moduli q and p.
#include <seal/seal.h>
#include <seal/util/iterator.h>
#include <seal/util/rns.h>

extern "C" {
#include HEADER
}
#include "moduli.h"
#include "race.h"

#define JOINED_(name, verb) name##verb
#define JOINED(name, verb) JOINED_(name, verb)

int main()
{
    const std::size_t n = 8192, sources = sizeof q / sizeof *q, goals = sizeof p / sizeof *p;
    auto pool = seal::MemoryManager::GetPool();
    const std::vector<seal::Modulus> from(q, q + sources), to(p, p + goals);
    const seal::util::BaseConverter converter(seal::util::RNSBase(from, pool), seal::util::RNSBase(to, pool), pool);
    std::vector<std::uint64_t> x(sources * n), theirs(goals * n), ours(goals * n);
    for (std::size_t i = 0; i < x.size(); i++)
        x[i] = 0x9E3779B97F4A7C15u * (i + 1) % q[i / n];
    int why;
    auto *plan = JOINED(NAME, _create)(sources, q, goals, p, &why);
    if (!plan)
        return 1;
    const auto theirs_call = [&] {
        converter.fast_convert_array(seal::util::ConstRNSIter(x.data(), n), seal::util::RNSIter(theirs.data(), n), pool);
    };
    const auto different = [&] {
        std::size_t count = 0;
        for (std::size_t i = 0; i < ours.size(); i++)
            count += ours[i] != theirs[i];
        return count;
    };
    race::run(theirs_call, [&] { JOINED(NAME, _execute)(plan, ours.data(), x.data(), n); }, different, double(goals * n));
    JOINED(NAME, _destroy)(plan);
}
