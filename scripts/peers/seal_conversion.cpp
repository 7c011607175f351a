// Races a generated conversion against SEAL's BaseConverter::fast_convert_array, by turns. BITS, NAME and HEADER are
// defined by scripts/bench_conversion_peers.py; moduli.h has the moduli q and p. Prints one line: the lower quartiles of
// the nanoseconds of both calls for one residue, the quartiles of the ratio, and the number of different residues.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

#include <seal/seal.h>
#include <seal/util/iterator.h>
#include <seal/util/rns.h>

extern "C" {
#include HEADER
}
#include "moduli.h"

#define JOINED_(name, verb) name##verb
#define JOINED(name, verb) JOINED_(name, verb)

template <class Call>
double nanoseconds(Call call)
{
    timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    call();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return (end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec);
}

int main()
{
    const std::size_t n = 8192, rounds = 60, sources = sizeof q / sizeof *q, goals = sizeof p / sizeof *p;
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
    std::vector<double> a, b, ratios;
    for (std::size_t i = 0; i < rounds; i++) {
        a.push_back(nanoseconds([&] {
            converter.fast_convert_array(
                seal::util::ConstRNSIter(x.data(), n), seal::util::RNSIter(theirs.data(), n), pool);
        }));
        b.push_back(nanoseconds([&] { JOINED(NAME, _execute)(plan, ours.data(), x.data(), n); }));
        ratios.push_back(a.back() / b.back());
    }
    JOINED(NAME, _destroy)(plan);
    for (auto *each : {&a, &b, &ratios})
        std::sort(each->begin(), each->end());
    std::size_t different = 0;
    for (std::size_t i = 0; i < ours.size(); i++)
        different += ours[i] != theirs[i];
    const double unit = double(goals * n);
    std::printf("%.2f %.2f %.2f %.2f %.2f %zu\n", a[rounds / 4] / unit, b[rounds / 4] / unit, ratios[rounds / 4],
                ratios[rounds / 2], ratios[3 * rounds / 4], different);
}
