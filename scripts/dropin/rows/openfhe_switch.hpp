/* Replacements for OpenFHE's functions ApproxSwitchCRTBasis and SwitchCRTBasis. */
#ifndef DROPIN_ROWS_OPENFHE_SWITCH_HPP
#define DROPIN_ROWS_OPENFHE_SWITCH_HPP

#include "openfhe_request.hpp"

namespace dropin {

/* Returns the expected constants: for each row i of the operands, the inverse of Q/q[i] modulo q[i], and Q/q[i] modulo every
   p[j]. OpenFHE also calls ApproxSwitchCRTBasis with constants that contain further factors, which the library does not support.
   */
inline std::vector<Words> factors(const Words &q, const Words &p)
{
    return {words(q.size(), [&](std::size_t i) { return inverse_cofactor(q, i); }),
            words(q.size(), p.size(), [&](std::size_t i, std::size_t j) { return product(q, i, p[j]); })};
}

/* Returns the multiples of Q modulo every p[j] that are subtracted if the quotient is 0, 1, …, q.size(). */
inline Words multiples(const Words &q, const Words &p)
{
    return words(q.size() + 1, p.size(), [&](std::size_t u, std::size_t j) {
        return multiply(u % p[j], product(q, p[j]), p[j]);
    });
}

/* Creates the conversion if the constants are the expected ones; otherwise returns NULL. */
inline Stored approximate_switch(const Request &request)
{
    return request.constants == factors(request.q, request.p) ? conversion(fast, request.q, request.p) : nullptr;
}

/* Creates the conversion if the constants are the expected ones; otherwise returns NULL. */
inline Stored rounded_switch(const Request &request)
{
    std::vector<Words> expected = factors(request.q, request.p);
    expected.push_back(multiples(request.q, request.p));
    return request.constants == expected ? conversion(corrected, request.q, request.p) : nullptr;
}

/* Replaces ApproxSwitchCRTBasis: converts the first `count` towers x to the towers z. Returns false if OpenFHE must fall back
   to its own code. */
template <class Towers, class Integers, class Matrix>
bool switch_approximately(Towers &z, const Towers &x, std::size_t count, const Integers &QHatInvModq,
                          const Matrix &QHatModp)
{
    const Request request{
        moduli(x, 0, count),
        moduli(z, 0, z.size()),
        {words(count, [&](std::size_t i) { return word(QHatInvModq[i]); }), matrix(QHatModp, count, z.size())},
    };
    return convert(stored<approximate_switch>(request), pointers<std::uint64_t>(z, 0, z.size()),
                   pointers<const std::uint64_t>(x, 0, count), x[0].GetLength());
}

/* Replaces SwitchCRTBasis: converts all towers x to the towers z. Returns false if OpenFHE must fall back to its own code. */
template <class Towers, class Integers, class Matrix>
bool switch_rounded(Towers &z, const Towers &x, const Integers &QHatInvModq, const Matrix &QHatModp,
                    const Matrix &alphaQModp)
{
    const std::size_t count = x.size(), goals = z.size();
    const Request request{
        moduli(x, 0, count),
        moduli(z, 0, goals),
        {words(count, [&](std::size_t i) { return word(QHatInvModq[i]); }),
         words(count, goals, [&](std::size_t i, std::size_t j) { return word(QHatModp[j][i]); }),
         matrix(alphaQModp, count + 1, goals)},
    };
    return convert(stored<rounded_switch>(request), pointers<std::uint64_t>(z, 0, goals),
                   pointers<const std::uint64_t>(x, 0, count), x[0].GetLength());
}

}  // namespace dropin

#endif
