/* SEAL's small Montgomery reduction (sm_mrq) with HEXL's functions, that is, with the kernels of the drop-in replacement for
   HEXL. */
#ifndef DROPIN_ROWS_SEAL_REDUCTION_HPP
#define DROPIN_ROWS_SEAL_REDUCTION_HPP

#include "conversion.hpp"

#include <hexl/hexl.hpp>

namespace dropin {

/* Computes z = (x + product·[r])·inverse modulo `modulus`, where [r] is the residue of r modulo m_tilde that lies in -m_tilde/2
   <= [r] < m_tilde/2. Residues of x and both factors are below the modulus, r is below m_tilde, and m_tilde is even. Returns
   false if the caller must fall back to its own code, because EltwiseFMAMod only supports moduli below 2^61. */
inline bool reduce_small(std::uint64_t *z, const std::uint64_t *x, const std::uint64_t *r, std::size_t n,
                         std::uint64_t modulus, std::uint64_t m_tilde, std::uint64_t product, std::uint64_t inverse)
{
    if (modulus >> 61 || modulus < m_tilde || overlaps({z}, {x, r}, n))
        return false;
    const auto scaled = static_cast<std::uint64_t>(static_cast<unsigned __int128>(product) * inverse % modulus);
    intel::hexl::EltwiseCmpAdd(z, r, n, intel::hexl::CMPINT::NLT, m_tilde / 2, modulus - m_tilde);
    intel::hexl::EltwiseFMAMod(z, z, scaled, nullptr, n, modulus, 1);
    intel::hexl::EltwiseFMAMod(z, x, inverse, z, n, modulus, 1);
    return true;
}

}  // namespace dropin

#endif
