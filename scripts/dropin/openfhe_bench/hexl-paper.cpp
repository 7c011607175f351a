/* Times the operations of Table 6 of the HEXL paper, with its parameters: polynomials of 8192 coefficients, and moduli of 50 bits, three
 * of them for CKKS. The paper does not say how many moduli BFV has; OpenFHE chooses them. The parameters are not secure. */
#include "benchmark/benchmark.h"
#include "openfhe.h"

#include <cstdint>
#include <vector>

using namespace lbcrypto;

namespace {

constexpr uint32_t DEGREE = 8192, BITS = 50, DEPTH = 2;

struct Keys {
    CryptoContext<DCRTPoly> context;
    KeyPair<DCRTPoly> keys;
    Plaintext plain;
    Ciphertext<DCRTPoly> one, two;
};

/* Sets what both schemes share, and creates keys. */
template <typename Scheme> Keys create(CCParams<Scheme> &parameters)
{
    parameters.SetSecurityLevel(HEStd_NotSet);
    parameters.SetRingDim(DEGREE);
    parameters.SetScalingModSize(BITS);
    parameters.SetMultiplicativeDepth(DEPTH);
    Keys k;
    k.context = GenCryptoContext(parameters);
    for (const auto feature : {PKE, KEYSWITCH, LEVELEDSHE}) k.context->Enable(feature);
    k.keys = k.context->KeyGen();
    k.context->EvalMultKeyGen(k.keys.secretKey);
    k.context->EvalRotateKeyGen(k.keys.secretKey, {1});
    return k;
}

std::vector<int64_t> integers()
{
    std::vector<int64_t> values(DEGREE);
    for (uint32_t i = 0; i < DEGREE; i++) values[i] = i % 1000;
    return values;
}

std::vector<double> reals()
{
    std::vector<double> values(DEGREE / 2);
    for (uint32_t i = 0; i < DEGREE / 2; i++) values[i] = 0.001 * (i % 1000);
    return values;
}

void encrypt(Keys &k)
{
    k.one = k.context->Encrypt(k.keys.publicKey, k.plain);
    k.two = k.context->Encrypt(k.keys.publicKey, k.plain);
}

/* The keys are not freed: at exit, HEXL destroys its allocator before OpenFHE's vectors. */
Keys &bfv()
{
    static Keys &k = *new Keys([] {
        CCParams<CryptoContextBFVRNS> parameters;
        parameters.SetPlaintextModulus(65537);
        Keys made = create(parameters);
        made.plain = made.context->MakePackedPlaintext(integers());
        encrypt(made);
        return made;
    }());
    return k;
}

Keys &ckks()
{
    static Keys &k = *new Keys([] {
        CCParams<CryptoContextCKKSRNS> parameters;
        parameters.SetFirstModSize(BITS);
        parameters.SetScalingTechnique(FIXEDMANUAL);
        Keys made = create(parameters);
        made.plain = made.context->MakeCKKSPackedPlaintext(reals());
        encrypt(made);
        return made;
    }());
    return k;
}

template <bool inverse> void transform(benchmark::State &state)
{
    const uint32_t order = 2 * DEGREE;
    const auto q = LastPrime<NativeInteger>(BITS, order);
    const auto root = RootOfUnity(order, q);
    DiscreteUniformGeneratorImpl<NativeVector> random;
    NativeVector x = random.GenerateVector(DEGREE, q);
    ChineseRemainderTransformFTT<NativeVector> ntt;
    ntt.PreCompute(root, order, q);
    for (auto _ : state) {
        if (inverse) ntt.InverseTransformFromBitReverseInPlace(root, order, &x);
        else ntt.ForwardTransformToBitReverseInPlace(root, order, &x);
    }
}

/* Counts the moduli of a ciphertext beside the time. */
void note(benchmark::State &state, const Keys &k)
{
    state.counters["moduli"] = static_cast<double>(k.one->GetElements()[0].GetNumOfElements());
}

template <typename Run> void time(benchmark::State &state, Keys &k, Run run)
{
    for (auto _ : state) benchmark::DoNotOptimize(run());
    note(state, k);
}

void bfv_encode(benchmark::State &state)
{
    const auto values = integers();
    time(state, bfv(), [&] {
        auto plain = bfv().context->MakePackedPlaintext(values);
        return plain->Encode();
    });
}

void bfv_decrypt(benchmark::State &state)
{
    Plaintext result;
    time(state, bfv(), [&] { return bfv().context->Decrypt(bfv().keys.secretKey, bfv().one, &result).isValid; });
}

void ckks_encode(benchmark::State &state)
{
    const auto values = reals();
    time(state, ckks(), [&] { return ckks().context->MakeCKKSPackedPlaintext(values); });
}

template <Keys &scheme()> void encrypt_public(benchmark::State &state)
{
    time(state, scheme(), [&] { return scheme().context->Encrypt(scheme().keys.publicKey, scheme().plain); });
}

template <Keys &scheme()> void multiply(benchmark::State &state)
{
    time(state, scheme(), [&] { return scheme().context->EvalMultNoRelin(scheme().one, scheme().two); });
}

template <Keys &scheme()> void rotate(benchmark::State &state)
{
    time(state, scheme(), [&] { return scheme().context->EvalRotate(scheme().one, 1); });
}

void ckks_multiply_rescale(benchmark::State &state)
{
    time(state, ckks(), [&] { return ckks().context->Rescale(ckks().context->EvalMult(ckks().one, ckks().two)); });
}

} // namespace

BENCHMARK(transform<false>)->Name("HEXL paper: Forward NTT")->Unit(benchmark::kMicrosecond);
BENCHMARK(transform<true>)->Name("HEXL paper: Inverse NTT")->Unit(benchmark::kMicrosecond);
BENCHMARK(bfv_encode)->Name("HEXL paper: BFV Encode")->Unit(benchmark::kMicrosecond);
BENCHMARK(encrypt_public<bfv>)->Name("HEXL paper: BFV Encrypt")->Unit(benchmark::kMicrosecond);
BENCHMARK(bfv_decrypt)->Name("HEXL paper: BFV Decrypt")->Unit(benchmark::kMicrosecond);
BENCHMARK(multiply<bfv>)->Name("HEXL paper: BFV Multiply")->Unit(benchmark::kMicrosecond);
BENCHMARK(rotate<bfv>)->Name("HEXL paper: BFV Rotate 1")->Unit(benchmark::kMicrosecond);
BENCHMARK(ckks_encode)->Name("HEXL paper: CKKS Encode")->Unit(benchmark::kMicrosecond);
BENCHMARK(encrypt_public<ckks>)->Name("HEXL paper: CKKS Encrypt")->Unit(benchmark::kMicrosecond);
BENCHMARK(multiply<ckks>)->Name("HEXL paper: CKKS Multiply")->Unit(benchmark::kMicrosecond);
BENCHMARK(ckks_multiply_rescale)->Name("HEXL paper: CKKS Multiply Relinearize Rescale")->Unit(benchmark::kMicrosecond);
BENCHMARK(rotate<ckks>)->Name("HEXL paper: CKKS Rotate 1")->Unit(benchmark::kMicrosecond);
BENCHMARK_MAIN();
