// Compares a generated conversion with OpenFHE's ApproxSwitchCRTBasis, or, if CORRECTED is defined, with its SwitchCRTBasis.
// scripts/bench_conversion_peers.py defines NAME and HEADER; moduli.h contains the moduli q and p and OpenFHE's constants.
#include <openfhe.h>

extern "C" {
#include HEADER
}
#include "moduli.h"
#include "race.h"

#define JOINED_(name, verb) name##verb
#define JOINED(name, verb) JOINED_(name, verb)

using lbcrypto::DCRTPoly;
using lbcrypto::NativeInteger;

static std::shared_ptr<lbcrypto::ILDCRTParams<lbcrypto::BigInteger>> parameters(const std::uint64_t *moduli, std::size_t count, std::size_t n)
{
    const std::vector<NativeInteger> numbers(moduli, moduli + count), roots(count, NativeInteger(1));
    return std::make_shared<lbcrypto::ILDCRTParams<lbcrypto::BigInteger>>(2 * n, numbers, roots);
}

int main()
{
    const std::size_t n = 8192, sources = sizeof q / sizeof *q, goals = sizeof p / sizeof *p;
    const auto from = parameters(q, sources, n), to = parameters(p, goals, n);
    DCRTPoly polynomial(from, Format::COEFFICIENT, true), result;
    std::vector<std::uint64_t> x(sources * n), z(goals * n);
    for (std::size_t i = 0; i < sources; i++) {
        lbcrypto::NativeVector row(n, NativeInteger(q[i]));
        for (std::size_t j = 0; j < n; j++)
            row[j] = x[i * n + j] = 0x9E3779B97F4A7C15u * (i * n + j + 1) % q[i];
        auto one = polynomial.GetElementAtIndex(i);
        one.SetValues(row, Format::COEFFICIENT);
        polynomial.SetElementAtIndex(i, one);
    }
    std::vector<NativeInteger> inverse, precomputed;
    for (std::size_t i = 0; i < sources; i++) {
        inverse.push_back(NativeInteger(inverses[i]));
        precomputed.push_back(inverse[i].PrepModMulConst(NativeInteger(q[i])));
    }
    std::vector<DoubleNativeInt> barrett;
    for (std::size_t j = 0; j < goals; j++)
        barrett.push_back(DoubleNativeInt(barrett_high[j]) << 64 | barrett_low[j]);
    // cofactors[i][j] is Q/q_i modulo p_j; OpenFHE's SwitchCRTBasis takes the transposed table.
    std::vector<std::vector<NativeInteger>> table;
#ifdef CORRECTED
    std::vector<std::vector<NativeInteger>> multiples;
    const std::vector<double> reciprocals = [&] {
        std::vector<double> all;
        for (const auto each : q) all.push_back(1.0 / double(each));
        return all;
    }();
    for (std::size_t j = 0; j < goals; j++) {
        table.emplace_back();
        for (std::size_t i = 0; i < sources; i++)
            table[j].push_back(NativeInteger(cofactors[i][j]));
    }
    for (std::size_t u = 0; u <= sources; u++) {
        multiples.emplace_back();
        for (std::size_t j = 0; j < goals; j++)
            multiples[u].push_back(NativeInteger(q_multiples[u][j]));
    }
    const auto theirs = [&] {
        result = polynomial.SwitchCRTBasis(to, inverse, precomputed, table, multiples, barrett, reciprocals);
    };
#else
    for (std::size_t i = 0; i < sources; i++) {
        table.emplace_back();
        for (std::size_t j = 0; j < goals; j++)
            table[i].push_back(NativeInteger(cofactors[i][j]));
    }
    const auto theirs = [&] {
        result = polynomial.ApproxSwitchCRTBasis(from, to, inverse, precomputed, table, barrett);
    };
#endif
    int why;
    auto *plan = JOINED(NAME, _create)(sources, q, goals, p, &why);
    if (!plan)
        return 1;
    const auto different = [&] {
        std::size_t count = 0;
        for (std::size_t j = 0; j < goals; j++)
            for (std::size_t c = 0; c < n; c++)
                count += result.GetElementAtIndex(j)[c].ConvertToInt() != z[j * n + c];
        return count;
    };
    race::run(theirs, [&] { JOINED(NAME, _execute)(plan, z.data(), x.data(), n); }, different, double(goals * n));
    JOINED(NAME, _destroy)(plan);
}
