/* Divisions by a product of moduli (ModDown) with the library `rows`, which momagen generates from kernels.toml. */
#ifndef DROPIN_ROWS_DIVISION_HPP
#define DROPIN_ROWS_DIVISION_HPP

#include "conversion.hpp"

namespace dropin {

/* Returns the division of s·a by the product of the moduli q with one kernel of the library, or an empty function if the kernel
   does not support the moduli. The operands are the residues of a modulo the moduli p, followed by those modulo the moduli q; the
   results are residues modulo the p. A row of the result may be the row of the operand with the same modulus; no other rows may
   overlap. */
template <auto create, auto execute_rows, auto destroy>
Conversion by_divider(const Words &q, const Words &p, std::uint64_t s)
{
    Words moduli = p;
    moduli.insert(moduli.end(), q.begin(), q.end());
    auto *const created = create(moduli.size(), moduli.data(), q.size(), s, 1, nullptr);
    const std::shared_ptr<std::remove_pointer_t<decltype(created)>> plan(created, destroy);
    if (!plan)
        return {};
    return [plan](const Results &z, const Operands &x, std::size_t n) {
        return execute_rows(plan.get(), z.data(), x.data(), n) == ROWS_OK;
    };
}

using Divider = Conversion (*)(const Words &q, const Words &p, std::uint64_t s);

/* The kernels for one method of rounding, sorted by the length of the moduli that they support. */
using Rounding = std::array<Divider, 3>;

/* Rounds to the nearest integer, as OpenFHE's ScaleAndRound to a basis and ScaleAndRoundPOverQ do. */
inline constexpr Rounding nearest{
    by_divider<rows_nearest50_create, rows_nearest50_execute_rows, rows_nearest50_destroy>,
    by_divider<rows_nearest60_create, rows_nearest60_execute_rows, rows_nearest60_destroy>,
    by_divider<rows_nearest62_create, rows_nearest62_execute_rows, rows_nearest62_destroy>,
};

/* Rounds down, to less than q.size() below the quotient, as OpenFHE's FastRNSFloorq does. */
inline constexpr Rounding below{
    by_divider<rows_below50_create, rows_below50_execute_rows, rows_below50_destroy>,
    by_divider<rows_below60_create, rows_below60_execute_rows, rows_below60_destroy>,
    by_divider<rows_below62_create, rows_below62_execute_rows, rows_below62_destroy>,
};

/* Returns the division with the first kernel that supports all moduli, or NULL if no kernel supports them. */
inline std::shared_ptr<const Conversion> division(const Rounding &rounding, const Words &q, const Words &p, std::uint64_t s)
{
    for (const Divider divider : rounding)
        if (Conversion found = divider(q, p, s))
            return std::make_shared<const Conversion>(std::move(found));
    return nullptr;
}

}  // namespace dropin

#endif
