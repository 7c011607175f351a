// Times two calls alternately in one thread, and prints a line for scripts/bench_conversion_peers.py: the lower quartiles of both times
// per residue in nanoseconds, the quartiles of their ratio, and the number of residues that differ.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

namespace race {

template <class Call>
double nanoseconds(Call call)
{
    timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    call();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return (end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec);
}

// Times `theirs` and `ours`. `different()` returns the number of residues that differ after both have run; `residues` is the number of
// residues in a result.
template <class Theirs, class Ours, class Different>
void run(Theirs theirs, Ours ours, Different different, double residues)
{
    const std::size_t rounds = 60;
    std::vector<double> a, b, ratios;
    for (std::size_t i = 0; i < rounds; i++) {
        a.push_back(nanoseconds(theirs));
        b.push_back(nanoseconds(ours));
        ratios.push_back(a.back() / b.back());
    }
    for (auto *each : {&a, &b, &ratios})
        std::sort(each->begin(), each->end());
    std::printf("%.2f %.2f %.2f %.2f %.2f %zu\n", a[rounds / 4] / residues, b[rounds / 4] / residues, ratios[rounds / 4],
        ratios[rounds / 2], ratios[3 * rounds / 4], std::size_t(different()));
}

} // namespace race
