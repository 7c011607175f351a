/* Times BFV multiplication with relinearisation for each of OpenFHE's techniques; OpenFHE's lib-benchmark only times the default. */
#include "benchmark/benchmark.h"
#include "openfhe.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace lbcrypto;

static CryptoContext<DCRTPoly> context(MultiplicationTechnique technique, uint32_t depth)
{
    CCParams<CryptoContextBFVRNS> parameters;
    parameters.SetPlaintextModulus(65537);
    parameters.SetScalingModSize(60);
    parameters.SetMultiplicativeDepth(depth);
    parameters.SetMultiplicationTechnique(technique);
    auto made = GenCryptoContext(parameters);
    for (const auto feature : {PKE, KEYSWITCH, LEVELEDSHE})
        made->Enable(feature);
    return made;
}

static void multiply(benchmark::State &state, MultiplicationTechnique technique)
{
    const auto cc = context(technique, static_cast<uint32_t>(state.range(0)));
    const auto keys = cc->KeyGen();
    cc->EvalMultKeyGen(keys.secretKey);
    const std::vector<int64_t> numbers{1, -2, 3, -4, 5}, squares{1, 4, 9, 16, 25};
    const auto operand = cc->Encrypt(keys.publicKey, cc->MakePackedPlaintext(numbers));
    Ciphertext<DCRTPoly> result;
    for (auto _ : state)
        result = cc->EvalMult(operand, operand);
    Plaintext decrypted;
    cc->Decrypt(keys.secretKey, result, &decrypted);
    decrypted->SetLength(squares.size());
    if (decrypted->GetPackedValue() != squares)
        throw std::runtime_error("expected the squares of the numbers that were encrypted");
    cc->ClearStaticMapsAndVectors();
}

int main(int argc, char **argv)
{
    const std::vector<std::pair<std::string, MultiplicationTechnique>> techniques{
        {"BEHZ", BEHZ}, {"HPS", HPS}, {"HPSPOVERQ", HPSPOVERQ}, {"HPSPOVERQLEVELED", HPSPOVERQLEVELED}};
    for (const auto &[name, technique] : techniques)
        benchmark::RegisterBenchmark("BFVrns_MultRelin_" + name, multiply, technique)
            ->ArgName("depth")
            ->Arg(6)
            ->Unit(benchmark::kMicrosecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
