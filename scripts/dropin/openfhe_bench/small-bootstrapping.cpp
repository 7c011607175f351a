/* Times CKKS bootstrapping in a small ring, in which a call takes only seconds, with the parameters of OpenFHE's example
   simple-ckks-bootstrapping, which are not secure. OpenFHE's own benchmark, ckks-bootstrapping, starts at n = 65536. */
#include "benchmark/benchmark.h"
#include "openfhe.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

using namespace lbcrypto;

static const std::vector<uint32_t> level_budget = {4, 4};
static constexpr uint32_t levels_after = 10;

static CryptoContext<DCRTPoly> context(uint32_t n)
{
    CCParams<CryptoContextCKKSRNS> parameters;
    parameters.SetSecretKeyDist(UNIFORM_TERNARY);
    parameters.SetSecurityLevel(HEStd_NotSet);
    parameters.SetRingDim(n);
    parameters.SetScalingModSize(59);
    parameters.SetFirstModSize(60);
    parameters.SetScalingTechnique(FLEXIBLEAUTO);
    parameters.SetMultiplicativeDepth(levels_after + FHECKKSRNS::GetBootstrapDepth(level_budget, UNIFORM_TERNARY));
    auto made = GenCryptoContext(parameters);
    for (const auto feature : {PKE, KEYSWITCH, LEVELEDSHE, ADVANCEDSHE, FHE})
        made->Enable(feature);
    return made;
}

/* Returns the largest difference between two vectors. */
static double distance(const std::vector<double> &one, const std::vector<double> &two)
{
    double largest = 0;
    for (std::size_t i = 0; i < one.size(); i++)
        largest = std::max(largest, std::fabs(one[i] - two[i]));
    return largest;
}

static void bootstrap(benchmark::State &state)
{
    const auto n = static_cast<uint32_t>(state.range(0));
    const auto cc = context(n);
    cc->EvalBootstrapSetup(level_budget, {0, 0}, n / 2);
    const auto keys = cc->KeyGen();
    cc->EvalMultKeyGen(keys.secretKey);
    cc->EvalBootstrapKeyGen(keys.secretKey, n / 2);
    std::vector<double> numbers;
    for (uint32_t i = 0; i < n / 2; i++)
        numbers.push_back(std::cos(i));
    const auto depth = levels_after + FHECKKSRNS::GetBootstrapDepth(level_budget, UNIFORM_TERNARY);
    const auto operand = cc->Encrypt(keys.publicKey, cc->MakeCKKSPackedPlaintext(numbers, 1, depth - 1));
    Ciphertext<DCRTPoly> result;
    for (auto _ : state)
        result = cc->EvalBootstrap(operand);
    Plaintext decrypted;
    cc->Decrypt(keys.secretKey, result, &decrypted);
    if (!(distance(numbers, decrypted->GetRealPackedValue()) < 1e-3))
        throw std::runtime_error("expected the decrypted numbers within 1e-3 of the encrypted ones");
    cc->ClearStaticMapsAndVectors();
}

BENCHMARK(bootstrap)->Name("CKKSrns_Bootstrap")->ArgName("n")->Arg(4096)->Unit(benchmark::kMillisecond)->Iterations(2);

BENCHMARK_MAIN();
