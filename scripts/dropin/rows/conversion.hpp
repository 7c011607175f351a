/* Conversions between RNS bases by the library `rows`, which momagen generates from kernels.toml. */
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

/* Converts rows of n residues, one row for each modulus. Returns false if the caller must convert x by its own code: the
   rows of z then have unspecified contents, unless they overlap with those of x. */
using Conversion = std::function<bool(const Results &z, const Operands &x, std::size_t n)>;

/* Returns whether a row of z shares memory with a row of x, which no kernel of the library allows. */
inline bool overlaps(const Results &z, const Operands &x, std::size_t n)
{
    const std::less<const std::uint64_t *> before;
    for (const std::uint64_t *result : z)
        for (const std::uint64_t *operand : x)
            if (before(result, operand + n) && before(operand, result + n))
                return true;
    return false;
}

/* Returns the conversion from the moduli q to the moduli p by one kernel of the library, or an empty function. */
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

/* The kernels of one method, sorted by the length of the moduli that they serve. */
using Method = std::array<Kernel, 3>;

/* Converts to a + u·Q with 0 <= u < moduli: SEAL's fast_convert_array, OpenFHE's ApproxSwitchCRTBasis. */
inline constexpr Method fast{
    by_kernel<rows_fast50_create, rows_fast50_execute_rows, rows_fast50_destroy>,
    by_kernel<rows_fast60_create, rows_fast60_execute_rows, rows_fast60_destroy>,
    by_kernel<rows_fast62_create, rows_fast62_execute_rows, rows_fast62_destroy>,
};

/* Converts to a with -Q/2 < a < Q/2, by a rounded quotient: SEAL's exact_convert_array, OpenFHE's SwitchCRTBasis. */
inline constexpr Method corrected{
    by_kernel<rows_corrected50_create, rows_corrected50_execute_rows, rows_corrected50_destroy>,
    by_kernel<rows_corrected60_create, rows_corrected60_execute_rows, rows_corrected60_destroy>,
    by_kernel<rows_corrected62_create, rows_corrected62_execute_rows, rows_corrected62_destroy>,
};

/* Converts like `corrected`, but by a redundant modulus, the last of q: SEAL's fastbconv_sk, OpenFHE's FastBaseConvSK. */
inline constexpr Method redundant{
    by_kernel<rows_redundant50_create, rows_redundant50_execute_rows, rows_redundant50_destroy>,
    by_kernel<rows_redundant60_create, rows_redundant60_execute_rows, rows_redundant60_destroy>,
    by_kernel<rows_redundant62_create, rows_redundant62_execute_rows, rows_redundant62_destroy>,
};

/* Converts like `corrected`, but by a Montgomery reduction: OpenFHE's FastBaseConvqToBskMontgomery. */
inline constexpr Method montgomery{
    by_kernel<rows_montgomery50_create, rows_montgomery50_execute_rows, rows_montgomery50_destroy>,
    by_kernel<rows_montgomery60_create, rows_montgomery60_execute_rows, rows_montgomery60_destroy>,
    by_kernel<rows_montgomery62_create, rows_montgomery62_execute_rows, rows_montgomery62_destroy>,
};

/* Converts P·a/Q, rounded to the nearest integer, where P is the product of all p: OpenFHE's ScaleAndRound to the plaintext
   modulus. */
inline constexpr Method scaled{
    by_kernel<rows_scaled50_create, rows_scaled50_execute_rows, rows_scaled50_destroy>,
    by_kernel<rows_scaled60_create, rows_scaled60_execute_rows, rows_scaled60_destroy>,
    by_kernel<rows_scaled62_create, rows_scaled62_execute_rows, rows_scaled62_destroy>,
};

/* Returns the conversion by the first kernel that serves all moduli, or NULL if no kernel does. */
inline std::shared_ptr<const Conversion> conversion(const Method &method, const Words &q, const Words &p)
{
    for (const Kernel kernel : method)
        if (Conversion found = kernel(q, p))
            return std::make_shared<const Conversion>(std::move(found));
    return nullptr;
}

}  // namespace dropin

#endif
