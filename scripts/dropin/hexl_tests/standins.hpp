// Stand-ins for the private functions of HEXL that its unit tests call. They call public functions, or compute the
// result from the definition.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "hexl/hexl.hpp"
#include "util/util-internal.hpp"

namespace intel {
namespace hexl {
namespace {

template <class... Args>
void EltwiseAddModNative(Args... args) { EltwiseAddMod(args...); }

template <class... Args>
void EltwiseSubModNative(Args... args) { EltwiseSubMod(args...); }

template <class... Args>
void EltwiseCmpAddNative(Args... args) { EltwiseCmpAdd(args...); }

template <class... Args>
void EltwiseCmpSubModNative(Args... args) { EltwiseCmpSubMod(args...); }

template <int InputModFactor, class... Args>
void EltwiseMultModNative(Args... args) { EltwiseMultMod(args..., InputModFactor); }

[[maybe_unused]] void EltwiseReduceModNative(uint64_t* result, const uint64_t* operand, uint64_t n, uint64_t modulus,
                                             uint64_t, uint64_t output_mod_factor) {
  for (uint64_t i = 0; i < n; ++i) result[i] = operand[i] % (output_mod_factor * modulus);
}

inline uint64_t Product(uint64_t x, uint64_t y, uint64_t q) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(x) * y % q);
}

inline uint64_t Power(uint64_t x, uint64_t exponent, uint64_t q) {
  uint64_t power = 1 % q;
  for (; exponent != 0; exponent >>= 1, x = Product(x, x, q)) {
    if (exponent & 1) power = Product(power, x, q);
  }
  return power;
}

inline uint64_t Reversed(uint64_t i, uint64_t n) {
  uint64_t reversed = 0;
  for (; n > 1; n >>= 1, i >>= 1) reversed = 2 * reversed + (i & 1);
  return reversed;
}

// Computes the forward transform from its definition: value i is x evaluated at w^(2 rev(i) + 1). Entry n/2 of the
// table of powers is w.
inline void ReferenceForwardTransformToBitReverse(uint64_t* x, uint64_t n, uint64_t q, const uint64_t* powers) {
  const std::vector<uint64_t> in(x, x + n);
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t point = Power(powers[n / 2], 2 * Reversed(i, n) + 1, q);
    x[i] = 0;
    for (uint64_t j = n; j-- > 0;) x[i] = (Product(x[i], point, q) + in[j] % q) % q;
  }
}

// Computes the inverse transform from its definition: coefficient j is 1/n times the sum over i of value i times
// w^(-(2 rev(i) + 1) j). Entry 1 of the table is 1/w.
inline void ReferenceInverseTransformFromBitReverse(uint64_t* x, uint64_t n, uint64_t q, const uint64_t* inverse_powers) {
  const std::vector<uint64_t> in(x, x + n);
  for (uint64_t j = 0; j < n; ++j) {
    x[j] = 0;
    for (uint64_t i = 0; i < n; ++i) {
      x[j] = (x[j] + Product(in[i] % q, Power(inverse_powers[1], (2 * Reversed(i, n) + 1) * j, q), q)) % q;
    }
    x[j] = Product(x[j], Power(n, q - 2, q), q);
  }
}

inline void OutOfPlace(void (*transform)(uint64_t*, uint64_t, uint64_t, const uint64_t*), uint64_t* result,
                       const uint64_t* operand, uint64_t n, uint64_t q, const uint64_t* powers) {
  std::vector<uint64_t> x(operand, operand + n);
  transform(x.data(), n, q, powers);
  std::copy(x.begin(), x.end(), result);
}

template <class... Unused>
void ForwardTransformToBitReverseRadix2(uint64_t* result, const uint64_t* operand, uint64_t n, uint64_t q,
                                        const uint64_t* powers, Unused...) {
  OutOfPlace(ReferenceForwardTransformToBitReverse, result, operand, n, q, powers);
}

template <class... Unused>
void InverseTransformFromBitReverseRadix2(uint64_t* result, const uint64_t* operand, uint64_t n, uint64_t q,
                                          const uint64_t* powers, Unused...) {
  OutOfPlace(ReferenceInverseTransformFromBitReverse, result, operand, n, q, powers);
}

template <class... Unused>
void ForwardTransformToBitReverseRadix4(Unused... args) { ForwardTransformToBitReverseRadix2(args...); }

template <class... Unused>
void InverseTransformFromBitReverseRadix4(Unused... args) { InverseTransformFromBitReverseRadix2(args...); }

}  // namespace
}  // namespace hexl
}  // namespace intel
