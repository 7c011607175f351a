/* Straightforward modular arithmetic, with which the constants of OpenFHE are recomputed in order to check them. */
#ifndef DROPIN_ROWS_RESIDUES_HPP
#define DROPIN_ROWS_RESIDUES_HPP

#include "conversion.hpp"

namespace dropin {

inline std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::uint64_t modulus)
{
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % modulus);
}

/* Returns -a modulo the modulus; a is below the modulus. */
inline std::uint64_t negate(std::uint64_t a, std::uint64_t modulus)
{
    return a ? modulus - a : 0;
}

/* Returns the product of all moduli q except q[omitted], modulo m. Pass q.size() to omit none. */
inline std::uint64_t product(const Words &q, std::size_t omitted, std::uint64_t m)
{
    std::uint64_t value = 1 % m;
    for (std::size_t i = 0; i < q.size(); i++)
        if (i != omitted)
            value = multiply(value, q[i] % m, m);
    return value;
}

/* Returns the product of all moduli q modulo m. */
inline std::uint64_t product(const Words &q, std::uint64_t m)
{
    return product(q, q.size(), m);
}

/* Returns the inverse of a modulo m, or 0 if a and m share a factor. */
inline std::uint64_t inverse(std::uint64_t a, std::uint64_t m)
{
    std::uint64_t r = m, s = a % m;
    __int128 u = 0, v = 1;
    while (s) {
        const std::uint64_t quotient = r / s;
        r = std::exchange(s, r % s);
        u = std::exchange(v, u - quotient * v);
    }
    return r == 1 ? static_cast<std::uint64_t>((u % m + m) % m) : 0;
}

/* Returns the inverse of Q/q[i] modulo q[i], where Q is the product of all q. */
inline std::uint64_t inverse_cofactor(const Words &q, std::size_t i)
{
    return inverse(product(q, i, q[i]), q[i]);
}

/* Returns the list of the `count` words f(0), f(1), … */
template <class Function>
Words words(std::size_t count, Function f)
{
    Words values;
    for (std::size_t i = 0; i < count; i++)
        values.push_back(f(i));
    return values;
}

/* Returns the list of the rows·columns words f(0, 0), f(0, 1), … */
template <class Function>
Words words(std::size_t rows, std::size_t columns, Function f)
{
    return words(rows * columns, [&](std::size_t k) { return f(k / columns, k % columns); });
}

}  // namespace dropin

#endif
