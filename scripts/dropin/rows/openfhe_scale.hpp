/* Replacements for OpenFHE's functions ScaleAndRound and ScaleAndRoundPOverQ. */
#ifndef DROPIN_ROWS_OPENFHE_SCALE_HPP
#define DROPIN_ROWS_OPENFHE_SCALE_HPP

#include "division.hpp"
#include "openfhe_request.hpp"

namespace dropin {

/* Returns the constants of the division of s·a by the product Q of the moduli q, for every p[j]: the factors of the rows of the
   operand modulo each q[i], followed by the factor of the row modulo p[j]. */
inline Words quotient_factors(const Words &q, const Words &p, std::uint64_t s)
{
    return words(p.size(), q.size() + 1, [&](std::size_t j, std::size_t i) {
        if (i == q.size())
            return multiply(s % p[j], inverse(product(q, p[j]), p[j]), p[j]);
        const std::uint64_t rest = multiply(s % q[i], inverse_cofactor(q, i), q[i]);
        return multiply(negate(rest % p[j], p[j]), inverse(q[i], p[j]), p[j]);
    });
}

/* Creates the division if the constants are those of quotient_factors; otherwise returns NULL. OpenFHE does not pass s, which
   is computed from the factor of the row modulo p[0], assuming that s is below p[0]. */
inline Stored nearest_quotient(const Request &request)
{
    const Words &q = request.q, &p = request.p;
    const std::uint64_t s = multiply(request.constants[0][q.size()], product(q, p[0]), p[0]);
    return request.constants[0] == quotient_factors(q, p, s) ? division(nearest, q, p, s) : nullptr;
}

/* Creates the division with s = 1 if the constants are the inverses of Q modulo every p[j]; otherwise returns NULL. */
inline Stored nearest_quotient_of_one(const Request &request)
{
    const Words &q = request.q, &p = request.p;
    const Words expected = words(p.size(), [&](std::size_t j) { return inverse(product(q, p[j]), p[j]); });
    return request.constants[0] == expected ? division(nearest, q, p, 1) : nullptr;
}

/* Replaces ScaleAndRound to a basis: computes the towers z of s·a/Q, rounded to the nearest integer, where a has the towers x,
   and Q is the product of the moduli that are not in z. The moduli of z are either the first or the last moduli of x. Returns
   false if OpenFHE must fall back to its own code. */
template <class Towers, class Matrix>
bool scale_to_basis(Towers &z, const Towers &x, const Matrix &tOSHatInvModsDivsModo)
{
    const std::size_t kept = z.size(), divisors = x.size() - kept;
    const bool is_first = word(z[0].GetModulus()) == word(x[0].GetModulus());
    const std::size_t first_kept = is_first ? 0 : divisors, first_divisor = is_first ? kept : 0;
    const Request request{
        moduli(x, first_divisor, divisors), moduli(z, 0, kept), {matrix(tOSHatInvModsDivsModo, kept, divisors + 1)}};
    if (request.p != moduli(x, first_kept, kept))
        return false;
    Operands operands = pointers<const std::uint64_t>(x, first_kept, kept);
    append(operands, x, first_divisor, divisors);
    return convert(stored<nearest_quotient>(request), pointers<std::uint64_t>(z, 0, kept), operands, x[0].GetLength());
}

/* Replaces ScaleAndRoundPOverQ: divides the towers x by the last modulus, in place. Returns false if OpenFHE must fall back to
   its own code. */
template <class Towers, class Integers>
bool divide_by_last(Towers &x, const Integers &pInvModq)
{
    const std::size_t kept = x.size() - 1;
    const Request request{
        moduli(x, kept, 1), moduli(x, 0, kept), {words(kept, [&](std::size_t i) { return word(pInvModq[i]); })}};
    return convert(stored<nearest_quotient_of_one>(request), pointers<std::uint64_t>(x, 0, kept),
                   pointers<const std::uint64_t>(x, 0, kept + 1), x[0].GetLength());
}

/* Creates the conversion if constant i is floor(t·w/q[i]) modulo t, where w is the inverse of Q/q[i] modulo q[i]; otherwise
   returns NULL. */
inline Stored plaintext_quotient(const Request &request)
{
    const Words &q = request.q;
    const std::uint64_t t = request.p[0];
    const Words expected = words(q.size(), [&](std::size_t i) {
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(t) * inverse_cofactor(q, i) / q[i] % t);
    });
    return request.constants[0] == expected ? conversion(scaled, q, request.p) : nullptr;
}

/* Creates the conversion if constant i is t·2^26·w modulo q[i], where w is the inverse of Q/q[i] modulo q[i]; otherwise returns
   NULL. */
inline Stored plaintext_quotient_by_gamma(const Request &request)
{
    const Words &q = request.q;
    const Words expected = words(q.size(), [&](std::size_t i) {
        return multiply(multiply(request.p[0] % q[i], (1 << 26) % q[i], q[i]), inverse_cofactor(q, i), q[i]);
    });
    return request.constants[0] == expected ? conversion(scaled, q, request.p) : nullptr;
}

/* Replaces ScaleAndRound to the plaintext modulus t: computes t·a/Q, rounded to the nearest integer, modulo t, where a has the
   towers x. `create` checks the constants. Returns false if OpenFHE must fall back to its own code. */
template <Create create, class Values, class Towers, class Integer, class Integers>
bool scale_to_plaintext(Values &values, const Towers &x, const Integer &t, const Integers &constants)
{
    const std::size_t count = x.size();
    const Request request{
        moduli(x, 0, count), {word(t)}, {words(count, [&](std::size_t i) { return word(constants[i]); })}};
    return convert(stored<create>(request), {reinterpret_cast<std::uint64_t *>(&values[0])},
                   pointers<const std::uint64_t>(x, 0, count), x[0].GetLength());
}

}  // namespace dropin

#endif
