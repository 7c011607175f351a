/* Conversions between RNS bases with the library `rows`, which momagen generates from kernels.toml. */
#ifndef DROPIN_ROWS_CONVERSION_HPP
#define DROPIN_ROWS_CONVERSION_HPP

#include <rows.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace dropin {

using Words = std::vector<std::uint64_t>;
using Results = std::vector<std::uint64_t *>;
using Operands = std::vector<const std::uint64_t *>;

/* Converts rows of n residues, one row for each modulus. Returns false if the conversion is not supported and the caller must
   fall back to its own code. In that case the contents of z are unspecified; but if rows of z and x overlap, nothing is
   written. */
using Conversion = std::function<bool(const Results &z, const Operands &x, std::size_t n)>;

/* Returns whether a row of z overlaps with a row of x, which no kernel of the library allows. */
inline bool overlaps(const Results &z, const Operands &x, std::size_t n)
{
    const std::less<const std::uint64_t *> before;
    for (const std::uint64_t *result : z)
        for (const std::uint64_t *operand : x)
            if (before(result, operand + n) && before(operand, result + n))
                return true;
    return false;
}

/* Returns the conversion from the moduli q to the moduli p with one kernel of the library, or an empty function if the kernel
   does not support them. */
template <auto create, auto execute_rows, auto destroy>
Conversion by_kernel(const Words &q, const Words &p)
{
    auto *const created = create(q.size(), q.data(), p.size(), p.data(), nullptr);
    const std::shared_ptr<std::remove_pointer_t<decltype(created)>> plan(created, destroy);
    if (!plan)
        return {};
    return [plan](const Results &z, const Operands &x, std::size_t n) {
        return !overlaps(z, x, n) && execute_rows(plan.get(), z.data(), x.data(), n) == ROWS_OK;
    };
}

using Kernel = Conversion (*)(const Words &q, const Words &p);

/* The kernels for one method, sorted by the length of the moduli that they support. */
using Method = std::array<Kernel, 3>;

/* Converts a to a + u·Q with 0 <= u < moduli, as SEAL's fast_convert_array and OpenFHE's ApproxSwitchCRTBasis do. */
inline constexpr Method fast{
    by_kernel<rows_fast50_create, rows_fast50_execute_rows, rows_fast50_destroy>,
    by_kernel<rows_fast60_create, rows_fast60_execute_rows, rows_fast60_destroy>,
    by_kernel<rows_fast62_create, rows_fast62_execute_rows, rows_fast62_destroy>,
};

/* Converts a with -Q/2 < a < Q/2 exactly, with a rounded quotient, as SEAL's exact_convert_array and OpenFHE's SwitchCRTBasis
   do. */
inline constexpr Method corrected{
    by_kernel<rows_corrected50_create, rows_corrected50_execute_rows, rows_corrected50_destroy>,
    by_kernel<rows_corrected60_create, rows_corrected60_execute_rows, rows_corrected60_destroy>,
    by_kernel<rows_corrected62_create, rows_corrected62_execute_rows, rows_corrected62_destroy>,
};

/* Converts like `corrected`, but with a redundant modulus, the last of q, as SEAL's fastbconv_sk and OpenFHE's FastBaseConvSK
   do. */
inline constexpr Method redundant{
    by_kernel<rows_redundant50_create, rows_redundant50_execute_rows, rows_redundant50_destroy>,
    by_kernel<rows_redundant60_create, rows_redundant60_execute_rows, rows_redundant60_destroy>,
    by_kernel<rows_redundant62_create, rows_redundant62_execute_rows, rows_redundant62_destroy>,
};

/* Converts like `corrected`, but with a Montgomery reduction, as OpenFHE's FastBaseConvqToBskMontgomery does. */
inline constexpr Method montgomery{
    by_kernel<rows_montgomery50_create, rows_montgomery50_execute_rows, rows_montgomery50_destroy>,
    by_kernel<rows_montgomery60_create, rows_montgomery60_execute_rows, rows_montgomery60_destroy>,
    by_kernel<rows_montgomery62_create, rows_montgomery62_execute_rows, rows_montgomery62_destroy>,
};

/* Computes P·a/Q, rounded to the nearest integer, where P is the product of all p, as OpenFHE's ScaleAndRound to the plaintext
   modulus does. */
inline constexpr Method scaled{
    by_kernel<rows_scaled50_create, rows_scaled50_execute_rows, rows_scaled50_destroy>,
    by_kernel<rows_scaled60_create, rows_scaled60_execute_rows, rows_scaled60_destroy>,
    by_kernel<rows_scaled62_create, rows_scaled62_execute_rows, rows_scaled62_destroy>,
};

/* Returns the conversion with the first kernel that supports all moduli, or NULL if no kernel supports them. */
inline std::shared_ptr<const Conversion> conversion(const Method &method, const Words &q, const Words &p)
{
    for (const Kernel kernel : method)
        if (Conversion found = kernel(q, p))
            return std::make_shared<const Conversion>(std::move(found));
    return nullptr;
}

}  // namespace dropin

#endif
