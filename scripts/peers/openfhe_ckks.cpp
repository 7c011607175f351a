// Applies CKKS operators to the same integers with OpenFHE and with a generated RNS context, compares all residues, and times both
// alternately. scripts/bench_ckks_peers.py builds this program. It prints a line for each operator: its name, the number of residues that
// differ, the lower quartiles of both times in microseconds, and the quartiles of their ratio.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

#include <openfhe.h>

#include "ckks.hpp"

namespace {

using ckks::Ciphertext;
using ckks::Context;
using ckks::Polynomial;
using lbcrypto::DCRTPoly;

// Returns the words of a polynomial in evaluation format.
Polynomial words(const DCRTPoly& x) {
  Polynomial all;
  for (const auto& row : x.GetAllElements())
    for (std::size_t j = 0; j < row.GetLength(); ++j) all.push_back(row[j].ConvertToInt());
  return all;
}

Ciphertext words(const lbcrypto::Ciphertext<DCRTPoly>& x) {
  const auto& elements = x->GetElements();
  return {words(elements[0]), words(elements[1]), elements[0].GetAllElements().size()};
}

Polynomial words(const lbcrypto::EvalKey<DCRTPoly>& key) {
  Polynomial all;
  for (std::size_t j = 0; j < key->GetBVector().size(); ++j)
    for (const auto* each : {&key->GetBVector()[j], &key->GetAVector()[j]}) {
      const Polynomial rows = words(*each);
      all.insert(all.end(), rows.begin(), rows.end());
    }
  return all;
}

std::size_t different(const Ciphertext& x, const Ciphertext& y) {
  std::size_t count = x.c0.size() != y.c0.size() || x.c1.size() != y.c1.size();
  for (std::size_t i = 0; !count && i < x.c0.size(); ++i) count += (x.c0[i] != y.c0[i]) + (x.c1[i] != y.c1[i]);
  return count;
}

double microseconds(const std::function<void()>& call) {
  timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  call();
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (end.tv_sec - begin.tv_sec) * 1e6 + (end.tv_nsec - begin.tv_nsec) * 1e-3;
}

// Times both implementations alternately, and prints the line of one operator.
void race(const char* name, std::size_t wrong, const std::function<void()>& theirs, const std::function<void()>& ours, int rounds) {
  std::vector<double> a, b, ratios;
  for (int i = 0; i < rounds; ++i) {
    a.push_back(microseconds(theirs));
    b.push_back(microseconds(ours));
    ratios.push_back(a.back() / b.back());
  }
  for (auto* each : {&a, &b, &ratios}) std::sort(each->begin(), each->end());
  const std::size_t quarter = rounds / 4;
  std::printf("%s %zu %.0f %.0f %.2f %.2f %.2f\n", name, wrong, a[quarter], b[quarter], ratios[quarter], ratios[rounds / 2],
              ratios[rounds - 1 - quarter]);
}

}  // namespace

// Arguments: log2 n, the depth, the numbers of bits of the scale and of the first modulus, the number of digits, the number of rounds.
int main(int, char** arguments) {
  const auto argument = [&](int i) { return static_cast<std::uint32_t>(std::atoi(arguments[i])); };
  lbcrypto::CCParams<lbcrypto::CryptoContextCKKSRNS> parameters;
  parameters.SetRingDim(1u << argument(1));
  parameters.SetMultiplicativeDepth(argument(2));
  parameters.SetScalingModSize(argument(3));
  parameters.SetFirstModSize(argument(4));
  parameters.SetNumLargeDigits(argument(5));
  parameters.SetScalingTechnique(lbcrypto::FIXEDMANUAL);
  parameters.SetKeySwitchTechnique(lbcrypto::HYBRID);
  parameters.SetSecurityLevel(lbcrypto::HEStd_NotSet);
  const auto scheme = lbcrypto::GenCryptoContext(parameters);
  for (const auto feature : {lbcrypto::PKE, lbcrypto::KEYSWITCH, lbcrypto::LEVELEDSHE}) scheme->Enable(feature);
  const auto keys = scheme->KeyGen();
  scheme->EvalMultKeyGen(keys.secretKey);
  scheme->EvalRotateKeyGen(keys.secretKey, {3});

  std::vector<double> values(16);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.25 + 0.03 * static_cast<double>(i);
  const auto plaintext = scheme->MakeCKKSPackedPlaintext(values);
  const auto theirs_x = scheme->Encrypt(keys.publicKey, plaintext), theirs_y = scheme->Encrypt(keys.publicKey, plaintext);

  const std::size_t n = scheme->GetRingDimension();
  std::vector<std::uint64_t> q, p, roots;
  const auto& relinearisation_key = scheme->GetEvalMultKeyVector(keys.secretKey->GetKeyTag())[0];
  const std::size_t moduli = theirs_x->GetElements()[0].GetAllElements().size();
  for (const auto& row : relinearisation_key->GetBVector()[0].GetParams()->GetParams()) {
    (q.size() < moduli ? q : p).push_back(row->GetModulus().ConvertToInt());
    roots.push_back(row->GetRootOfUnity().ConvertToInt());
  }
  const Context context(n, q, p, relinearisation_key->GetBVector().size(), roots);
  const std::size_t g = context.galois_element(3);
  const Polynomial to_multiply = words(relinearisation_key);
  const auto rotation_keys = scheme->GetEvalAutomorphismKeyMap(keys.secretKey->GetKeyTag());
  const Polynomial to_rotate = words(rotation_keys.at(scheme->FindAutomorphismIndex(3)));

  const Ciphertext x = words(theirs_x), y = words(theirs_y);
  const auto theirs_product = scheme->EvalMult(theirs_x, theirs_y), theirs_rescaled = scheme->Rescale(theirs_product);
  const auto theirs_rotated = scheme->EvalRotate(theirs_rescaled, 3);
  const auto multiply = [&] { return ckks::relinearise(context, ckks::multiply(context, x, y), to_multiply); };
  const Ciphertext product = multiply(), rescaled = ckks::rescale(context, product);
  const auto rotate = [&] { return ckks::rotate_last(context, rescaled, g, to_rotate); };

  const int rounds = std::atoi(arguments[6]);
  race("EvalMult", different(product, words(theirs_product)), [&] { scheme->EvalMult(theirs_x, theirs_y); }, multiply, rounds);
  race("Rescale", different(rescaled, words(theirs_rescaled)), [&] { scheme->Rescale(theirs_product); },
       [&] { ckks::rescale(context, product); }, rounds);
  race("EvalRotate", different(rotate(), words(theirs_rotated)), [&] { scheme->EvalRotate(theirs_rescaled, 3); }, rotate, rounds);
  race("EvalAdd", different(ckks::add(context, x, y), words(scheme->EvalAdd(theirs_x, theirs_y))),
       [&] { scheme->EvalAdd(theirs_x, theirs_y); }, [&] { ckks::add(context, x, y); }, rounds);
  return 0;
}
